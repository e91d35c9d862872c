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
			p.slowly("2", "esc")
			p.pastes("y")
			p.slowly("esc", "2", "shift+tab")
			p.pastes("s")
			if d := m.Draft(0); m.Done() || len(d) != 1 || d[0].Other != "" {
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

// A large text is kept whole. The dialog asks once whether it is meant, and shows
// its end before it goes.
func TestLongTextIsNeverBlocked(t *testing.T) {
	const asks = "This answer is long (259,999 characters). Continue anyway? Y/n"
	text := strings.TrimSpace(strings.Repeat("One line of a large file.\n", 10000))
	for _, c := range []struct {
		name string
		keys string
		sent bool
	}{
		{"no", "n", false},
		{"esc", "esc", false},
		{"yes, and looks at it", "y end enter", true},
		{"Enter, and Enter shows the end", "enter enter enter", true},
		{"no, and then yes", "n enter y end enter", true},
		{"asked once", "y shift+tab enter end enter", true},
		{"yes alone does not send it unseen", "y enter", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dialog(t, nil, func(p *person, m *Model) {
				p.types("x")
				p.press("backspace")
				p.pastes(text)
				p.mustNotSee("long")
				p.slowly("enter")
				p.mustSee(asks)
				p.slowly(strings.Fields(c.keys)...)
				if m.Done() != c.sent {
					t.Fatalf("sent %v on\n%s", m.Done(), p.sees())
				}
				if got := answersOf(m, 0); c.sent && (len(got) != 1 || got[0].Other != text) {
					t.Error("the text was not sent whole")
				}
			}, name())
		})
	}
	dialog(t, nil, func(p *person, m *Model) {
		p.pastes(strings.Repeat("a", 2000))
		p.slowly("enter", "end", "enter")
		if !m.Done() {
			t.Error("2,000 characters are not long")
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
		p.slowly("enter", "2") // a number means the option it stands before, which is out of sight
		p.mustSee("❯ 2 ○ Fastify", "Express.js", "Option 2 was out of sight")
		p.slowly("2")
		p.mustSee("❯ 2 ● Fastify")
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
		p.mustSee("Review and send", "❝ ma")
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
