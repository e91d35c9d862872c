package tui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
)

func TestPasteLandsInOwnWords(t *testing.T) {
	hostile := "first\r\nse\x1b[2Jcond\x07 \x9b31m \u202eeman\rlast"
	const clean = "first\nse[2Jcond  emana\nlast"
	for name, keys := range map[string][]string{
		"nothing touched": nil, "an option highlighted": {"down"}, "an option chosen": {"2"}, "in own words": {"0"},
	} {
		t.Run(name, func(t *testing.T) {
			dialog(t, nil, func(p *person, m *Model) {
				p.slowly(keys...)
				p.pastes(strings.ReplaceAll(hostile, "eman", "emana"))
				if m.Done() {
					t.Fatal("a paste sent an answer")
				}
				p.slowly("enter")
				got := answersOf(m, 0)
				if len(got) != 1 || len(got[0].Selected) > 0 || squeeze(got[0].Other) != squeeze(strings.ReplaceAll(clean, "  ", " 31m ")) {
					t.Errorf("answers %q", got)
				}
			}, databases())
		})
	}
	t.Run("into the note", func(t *testing.T) {
		dialog(t, nil, func(p *person, m *Model) {
			p.slowly("2", "n")
			p.pastes("from the clipboard")
			p.slowly("enter", "enter")
			if got := answersOf(m, 0); len(got) != 1 || got[0].Note != "from the clipboard" {
				t.Errorf("answers %q", got)
			}
		}, databases())
	})
	t.Run("nowhere", func(t *testing.T) {
		dialog(t, nil, func(p *person, m *Model) {
			p.slowly("esc")
			p.pastes("d")
			p.slowly("esc", "shift+tab")
			p.pastes("s")
			if m.Done() || len(m.Draft(0)) > 0 {
				t.Errorf("outcome %v, draft %v", m.Outcomes()[0], m.Draft(0))
			}
		}, service())
	})
	t.Run("within the guard", func(t *testing.T) {
		m := New(one(databases()), &Options{Now: func() time.Time { return start }})
		m.Init()
		m.paste("typed for another window")
		if len(m.Draft(0)) > 0 {
			t.Error("it was taken")
		}
	})
}

// A large paste is kept whole, and only remarked upon.
func TestLongTextIsNeverBlocked(t *testing.T) {
	text := strings.TrimSpace(strings.Repeat("One line of a large file.\n", 5000))
	dialog(t, nil, func(p *person, m *Model) {
		p.types("x")
		p.mustNotSee("This is long")
		p.press("backspace")
		p.pastes(text)
		p.mustSee("This is long (129,999 characters)")
		p.slowly("enter")
		if got := answersOf(m, 0); len(got) != 1 || got[0].Other != text {
			t.Error("the text was not sent whole")
		}
	}, name())
}

func TestFilter(t *testing.T) {
	dialog(t, nil, func(p *person, m *Model) {
		p.slowly("/")
		p.types("RES")
		p.mustSee("2 of 12", "Express.js", "Restify", "own words")
		p.mustNotSee("Koa")
		p.slowly("backspace", "backspace", "backspace")
		p.types("9")
		p.mustSee("0 of 12")
		p.slowly("ctrl+u")
		p.types("sails")
		p.slowly("enter", "enter")
		p.mustSee("Choose with") // a filter chooses nothing, even with one option left
		p.slowly("down", "enter")
		if got := answersOf(m, 0); len(got) != 1 || got[0].Selected[0] != "o8" {
			t.Errorf("answers %v", got)
		}
	}, frameworks())
	dialog(t, nil, func(p *person, _ *Model) {
		p.slowly("/")
		p.types("sails")
		p.slowly("esc")
		p.mustSee("Express.js")
		p.slowly("/")
		p.types("sails")
		p.slowly("enter", "2") // a number means the option it stands before
		p.mustSee("❯ 2 ● Fastify", "Express.js")
	}, frameworks())
	dialog(t, nil, func(p *person, _ *Model) {
		p.slowly("/")
		p.types("x")
		p.mustNotSee("/ x")
	}, databases())
}

func TestHistory(t *testing.T) {
	o := &Options{History: []string{"newest", "older"}}
	dialog(t, o, func(p *person, m *Model) {
		p.slowly("up")
		p.mustSee("❯ newest")
		p.slowly("up", "up")
		p.mustSee("❯ older")
		p.slowly("down")
		p.mustSee("❯ newest")
		p.slowly("down")
		p.mustSee("❯ Type your answer")
		p.types("my own")
		p.slowly("up")
		p.mustSee("❯ my own")
		p.slowly("enter", "up") // the next ask remembers
		p.mustSee("❯ my own")
	}, name(), func() *sayso.Ask { a := name(); a.ID = "ask_2"; return a }())
	dialog(t, o, func(p *person, _ *Model) {
		p.slowly("up", "up") // walking through own words recalls nothing
		p.mustSee("❯ 3 ○ MongoDB")
		p.slowly("0", "up")
		p.mustSee("❯ 4 ● newest")
	}, databases())
}

func TestPathCompletion(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"main.go", "main_test.go", "README.md", "evil\x1b[2J.go", ".hidden"} {
		if err := os.WriteFile(filepath.Join(dir, f), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "docs"), 0o700); err != nil {
		t.Fatal(err)
	}
	complete := CompletePath(dir)
	if got := complete(""); !slices.Equal(got, []string{"README.md", "docs/", "main.go", "main_test.go"}) {
		t.Errorf("found %q", got)
	}
	if got := complete("./.h"); !slices.Equal(got, []string{"./.hidden"}) {
		t.Errorf("found %q", got)
	}
	if got := complete("no/such"); got != nil {
		t.Errorf("found %q", got)
	}
	a := name()
	a.Questions[0].Text = "Which file should hold it?"
	dialog(t, &Options{Complete: complete}, func(p *person, m *Model) {
		p.types("put it in ma")
		p.slowly("tab")
		p.mustSee("put it in main")
		p.slowly("tab")
		p.mustSee("main.go main_test.go")
		p.types("_")
		p.slowly("tab", "enter")
		if got := answersOf(m, 0); len(got) != 1 || got[0].Other != "put it in main_test.go" {
			t.Errorf("answers %v", got)
		}
	}, a)
	dialog(t, &Options{Complete: complete}, func(p *person, _ *Model) {
		p.slowly("tab", "tab")
		p.types("ma") // not a question about a path: Tab goes on
		p.slowly("tab")
		p.mustSee("Review and send", "“ma”")
		p.slowly("3")
		p.types(" ./do")
		p.slowly("tab")
		p.mustSee("ma ./docs/")
	}, service())
}

func TestSecretFieldTakesOnlyWhatItNeeds(t *testing.T) {
	dialog(t, nil, func(p *person, m *Model) {
		p.types("abc")
		p.slowly("left", "home", "backspace", "up", "ctrl+j")
		p.types("d")
		p.slowly("enter")
		if got := answersOf(m, 0); len(got) != 1 || got[0].Other != "abd" {
			t.Errorf("answers %q", got)
		}
	}, secret())
}
