package tui

import (
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso"
)

func TestLeaveBar(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string
		want sayso.Status
	}{
		{"later", []string{"esc", "l"}, sayso.StatusPending},
		{"ctrl+c twice is later", []string{"ctrl+c", "ctrl+c"}, sayso.StatusPending},
		{"decline", []string{"esc", "d"}, sayso.StatusDeclined},
		{"esc twice goes back", []string{"esc", "esc"}, ""},
		{"enter goes back", []string{"esc", "enter"}, ""},
		{"any key goes back", []string{"esc", "x"}, ""},
		{"esc alone", []string{"esc"}, ""},
		{"decline with an answer asks", []string{"2", "esc", "d"}, ""},
		{"and can be called off", []string{"2", "esc", "d", "esc"}, ""},
		{"by any key", []string{"2", "esc", "d", "d"}, ""},
		{"or meant", []string{"2", "esc", "d", "y"}, sayso.StatusDeclined},
		{"later never asks", []string{"2", "esc", "l"}, sayso.StatusPending},
	} {
		t.Run(c.name, func(t *testing.T) {
			dialog(t, nil, func(p *person, m *Model) {
				p.slowly(c.keys...)
				if got := status(m, 0); got != c.want {
					t.Errorf("status %q, want %q", got, c.want)
				}
				if got := answersOf(m, 0); len(got) > 0 {
					t.Errorf("answers %v", got)
				}
			}, databases())
		})
	}
}

func TestDiscardCounts(t *testing.T) {
	dialog(t, nil, func(p *person, _ *Model) {
		answerService(p)
		p.slowly("esc", "d")
		p.mustSee("Decline and discard 3 answers?")
	}, service())
	dialog(t, nil, func(p *person, _ *Model) {
		p.slowly("2", "esc", "d")
		p.mustSee("Decline and discard 1 answer?")
	}, service())
}

// Esc, from wherever, leaves every typed letter in place.
func TestEscNeverLosesText(t *testing.T) {
	for name, a := range map[string]*sayso.Ask{"own words": databases(), "text": name(), "multi": features(), "several": service()} {
		t.Run(name, func(t *testing.T) {
			dialog(t, nil, func(p *person, m *Model) {
				p.slowly("0")
				p.types("a paragraph")
				for range 7 {
					p.slowly("esc")
				}
				if m.Done() {
					t.Fatal("Esc left the dialog")
				}
				s := m.forms[0].sheets[0]
				want := "a paragraph"
				if name == "text" {
					want = "0" + want // a digit is text there
				}
				if got := s.words.value(); got != want {
					t.Errorf("the field holds %q", got)
				}
				if d := m.Draft(0); len(d) != 1 || d[0].Other != want {
					t.Errorf("draft %v", d)
				}
			}, a)
		})
	}
}

// drawer keeps drafts like a hub would.
type drawer struct {
	mu    sync.Mutex
	kept  map[string][]sayso.Answer
	saves int
}

func (d *drawer) options() *Options {
	d.kept = map[string][]sayso.Answer{}
	return &Options{
		LoadDraft: func(a *sayso.Ask) ([]sayso.Answer, error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			return d.kept[a.ID], nil
		},
		SaveDraft: func(a *sayso.Ask, answers []sayso.Answer) error {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.saves++
			d.kept[a.ID] = answers
			return nil
		},
	}
}

func TestDraftsAreKept(t *testing.T) {
	var d drawer
	o := d.options()
	want := []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}, Other: "an idea", Note: "hm"}}
	dialog(t, o, func(p *person, _ *Model) {
		p.press("0")
		p.types("an idea")
		p.slowly("esc", "2", "n")
		p.types("hm")
		p.wait(time.Second) // a crash comes now
	}, databases())
	if got := d.kept["ask_db"]; !reflect.DeepEqual(got, want) || d.saves > 6 {
		t.Fatalf("kept %+v after %d saves", got, d.saves)
	}
	dialog(t, o, func(p *person, m *Model) {
		p.mustSee("2 ● SQLite", "an idea", "hm")
		p.slowly("down", "esc", "d", "y")
		if status(m, 0) != sayso.StatusDeclined {
			t.Fatal("not declined")
		}
	}, databases())
	if got := d.kept["ask_db"]; !reflect.DeepEqual(got, want) {
		t.Fatalf("declining dropped the draft: %+v", got)
	}
	dialog(t, o, func(p *person, _ *Model) { p.slowly("2", "enter") }, databases())
	if got, ok := d.kept["ask_db"]; got != nil || !ok {
		t.Errorf("after the answer: %+v", got)
	}
}

func TestSecretsAreNotKept(t *testing.T) {
	var d drawer
	dialog(t, d.options(), func(p *person, m *Model) {
		p.types("hunter2")
		p.wait(time.Second)
		p.mustSee("•••••••")
		p.mustNotSee("hunter2")
		p.slowly("enter")
		if got := answersOf(m, 0)[0].Other; got != "hunter2" {
			t.Errorf("answer %q", got)
		}
		if r := m.Record(0, 80); strings.Contains(r, "hunter2") {
			t.Errorf("record %q", r)
		}
		if strings.Contains(p.raw.String(), "hunter2") {
			t.Error("the secret was on the screen")
		}
		if m.o.History != nil {
			t.Errorf("history %v", m.o.History)
		}
	}, secret())
	if len(d.kept["ask_name"]) > 0 {
		t.Errorf("kept %v", d.kept)
	}
}

func elsewhere(surface string, s sayso.Status) *sayso.Outcome {
	o := &sayso.Outcome{Status: s, By: sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: surface}, At: start}
	if s == sayso.StatusAnswered {
		o.Answers = []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}}}
	}
	return o
}

func TestFold(t *testing.T) {
	var d drawer
	dialog(t, d.options(), func(p *person, m *Model) {
		p.press("0")
		p.types("my half sentence")
		p.program.Send(Fold{"ask_other", elsewhere("web", sayso.StatusDeclined)})
		p.program.Send(Fold{"ask_db", elsewhere("web", sayso.StatusAnswered)})
		p.press("x", "enter") // typed for the form
		p.mustSee("Answered in the browser by ann: SQLite", "Your draft is kept:", "my half sentence")
		p.wait(2 * time.Second)
		p.press("enter")
		if !m.Done() || m.Outcomes()[0].By.ID != "ann" {
			t.Errorf("outcome %+v", m.Outcomes()[0])
		}
		if len(p.closed) != 1 {
			t.Errorf("told %d times", len(p.closed))
		}
		if d := m.Draft(0); len(d) != 1 || d[0].Other != "my half sentence" {
			t.Errorf("draft %v", d)
		}
	}, databases())
	if got := d.kept["ask_db"]; len(got) != 1 || got[0].Other != "my half sentence" {
		t.Errorf("kept %v", got)
	}
}

func TestFoldWording(t *testing.T) {
	w := English()
	a := databases()
	a.Normalize()
	withdrawn := &sayso.Outcome{Status: sayso.StatusCancelled, By: sayso.Responder{Kind: sayso.ByAsker}}
	expired := &sayso.Outcome{Status: sayso.StatusExpired, By: sayso.Responder{Kind: sayso.ByPolicy}}
	reply := &sayso.Outcome{Status: sayso.StatusAnswered, Reply: "ask\x1b]52;c;\a me later", By: sayso.Responder{Surface: "slack"}}
	for _, c := range []struct {
		o    *sayso.Outcome
		want string
	}{
		{elsewhere("web", sayso.StatusAnswered), "✓ Answered in the browser by ann: SQLite"},
		{elsewhere("slack", sayso.StatusDeclined), "✗ Declined on slack by ann"},
		{elsewhere("prompt", sayso.StatusDeclined), "✗ Declined in another terminal by ann"},
		{withdrawn, "✗ The agent no longer needs this answer"},
		{expired, "✗ The deadline passed"},
		{reply, "✓ Answered on slack: “ask␛]52;c;␇ me later”"},
	} {
		if got := w.Record(a, c.o, sayso.Responder{Surface: "terminal"}); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Another surface may win while the answer is on its way.
func TestFoldWhileSending(t *testing.T) {
	for name, tell := range map[string]bool{"told by the hub": true, "told by the refusal": false} {
		t.Run(name, func(t *testing.T) {
			o := &Options{Send: func(*sayso.Ask, *sayso.Outcome) (*sayso.Outcome, error) {
				time.Sleep(time.Second) // in the bubble
				return elsewhere("web", sayso.StatusAnswered), nil
			}}
			dialog(t, o, func(p *person, m *Model) {
				p.press("1", "enter")
				if tell {
					p.program.Send(Fold{"ask_db", elsewhere("web", sayso.StatusAnswered)})
				}
				p.wait(2 * time.Second)
				p.mustSee("Answered in the browser by ann: SQLite", "PostgreSQL")
				p.wait(2 * time.Second)
				p.press("x")
				if !m.Done() || m.Outcomes()[0].By.ID != "ann" {
					t.Errorf("outcome %+v", m.Outcomes()[0])
				}
			}, databases())
		})
	}
}

func TestFoldOfAnAskNotOnScreen(t *testing.T) {
	dialog(t, nil, func(p *person, m *Model) {
		p.program.Send(Fold{"ask_name", elsewhere("web", sayso.StatusDeclined)})
		p.slowly("2", "enter")
		p.mustSee("Which features")
		if status(m, 1) != sayso.StatusDeclined {
			t.Error("not noted")
		}
	}, databases(), name(), features())
}

func TestDeadline(t *testing.T) {
	dialog(t, &Options{Expire: true}, func(p *person, m *Model) {
		p.wait(4 * time.Minute)
		p.mustSee("0:5", "then the agent goes on with “SQLite”")
		p.wait(time.Minute)
		o := m.Outcomes()[0]
		if o == nil || o.Status != sayso.StatusExpired || o.By.Kind != sayso.ByPolicy || o.Answers[0].Selected[0] != "o2" {
			t.Errorf("outcome %+v", o)
		}
	}, deadline())
	touched := 0
	o := &Options{Expire: true, Touched: func(*sayso.Ask) { touched++ }}
	dialog(t, o, func(p *person, m *Model) {
		p.press("enter") // touches nothing
		p.wait(time.Minute)
		p.press("down", "up")
		p.mustSee("the agent waits while you answer")
		p.wait(10 * time.Minute)
		p.mustSee("The deadline has passed")
		if touched != 1 || status(m, 0) != "" {
			t.Errorf("touched %d times, %v", touched, m.Outcomes()[0])
		}
		p.slowly("2", "enter")
		if status(m, 0) != sayso.StatusAnswered {
			t.Error("a late answer was refused")
		}
	}, deadline())
}
