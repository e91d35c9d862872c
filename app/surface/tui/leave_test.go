package tui

import (
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
