package tui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
)

func TestLeaving(t *testing.T) {
	open := func(*sayso.Ask, []sayso.Answer) error { return nil }
	away := func(*sayso.Ask, []sayso.Answer) error { return errors.New("the hub is away") }
	const later, cancelled, declined = sayso.StatusPending, sayso.StatusCancelled, sayso.StatusDeclined
	for _, c := range []struct {
		name  string
		later bool
		save  func(*sayso.Ask, []sayso.Answer) error
		keys  string
		want  sayso.Status
	}{
		{"nothing entered, it can wait", true, open, "esc", later},
		{"nothing entered, it cannot", false, nil, "esc", cancelled},
		{"ctrl+c where it cannot wait", false, nil, "ctrl+c", cancelled},
		{"a highlight is nothing", false, nil, "down esc", cancelled},
		{"the draft is kept", true, open, "2 esc", later},
		{"esc in own words goes to the list first", true, open, "0 x esc", ""},
		{"and then leaves", true, open, "0 x esc esc", later},
		{"esc in a note goes back first", true, open, "2 n x esc", ""},
		{"nobody keeps it", true, nil, "2 esc", ""},
		{"nobody keeps it, called off", true, nil, "2 esc esc", ""},
		{"nobody keeps it, meant", true, nil, "2 esc y", later},
		{"nobody keeps it, Enter means nothing", true, nil, "2 esc enter", ""},
		{"nobody keeps it, ctrl+c again means nothing", true, nil, "2 ctrl+c ctrl+c", ""},
		{"the hub is away", true, away, "2 esc", ""},
		{"the hub is away, meant", true, away, "2 esc y", later},
		{"it cannot wait, and something is lost", false, nil, "2 esc", ""},
		{"it cannot wait, meant", false, nil, "2 esc y", cancelled},
		{"cancel", true, open, "ctrl+c", cancelled},
		{"cancel with an answer asks", true, open, "2 ctrl+c", ""},
		{"cancel with an answer, meant", true, open, "2 ctrl+c y", cancelled},
		{"cancel from own words", true, open, "0 x ctrl+c y", cancelled},
		{"decline", true, open, "ctrl+d", declined},
		{"decline where it cannot wait", false, nil, "ctrl+d", declined},
		{"decline with an answer asks", true, open, "2 ctrl+d", ""},
		{"decline with an answer, called off", true, open, "2 ctrl+d esc", ""},
		{"decline with an answer, any key", true, open, "2 ctrl+d d", ""},
		{"decline with an answer, meant", true, open, "2 ctrl+d y", declined},
	} {
		t.Run(c.name, func(t *testing.T) {
			dialog(t, &Options{Later: c.later, SaveDraft: c.save}, func(p *person, m *Model) {
				p.slowly(strings.Fields(c.keys)...)
				if got := status(m, 0); got != c.want {
					t.Errorf("status %q, want %q, on\n%s", got, c.want, p.sees())
				}
				if got := answersOf(m, 0); len(got) > 0 {
					t.Errorf("answers %v", got)
				}
			}, databases())
		})
	}
}

// Whoever leaves right after typing leaves when the hub has the draft, and not
// before; who does not want to wait is asked.
func TestLeavingWaitsForTheDraft(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string
		wait time.Duration
		want sayso.Status
	}{
		{"still saving", nil, 0, ""},
		{"saved", nil, 4 * time.Second, sayso.StatusPending},
		{"does not wait", []string{"esc"}, 0, ""},
		{"does not wait, and then it is saved", []string{"esc"}, 4 * time.Second, sayso.StatusPending},
		{"does not wait and gives it up", []string{"esc", "y"}, 0, sayso.StatusPending},
		{"cancels meanwhile", []string{"ctrl+c"}, 4 * time.Second, ""},
		{"cancels meanwhile, meant", []string{"ctrl+c", "y"}, 0, sayso.StatusCancelled},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := &Options{Later: true, SaveDraft: func(*sayso.Ask, []sayso.Answer) error {
				time.Sleep(3 * time.Second) // in the bubble
				return nil
			}}
			dialog(t, o, func(p *person, m *Model) {
				p.press("2", "esc")
				p.mustSee("Saving your draft…")
				p.press(c.keys...)
				p.wait(c.wait)
				if got := status(m, 0); got != c.want {
					t.Errorf("status %q, want %q, on\n%s", got, c.want, p.sees())
				}
			}, databases())
		})
	}
}

// No draft holds a secret: leaving would lose it.
func TestLeavingASecretAsks(t *testing.T) {
	o := &Options{Later: true, SaveDraft: func(*sayso.Ask, []sayso.Answer) error { return nil }}
	dialog(t, o, func(p *person, m *Model) {
		p.types("hunter2")
		p.slowly("esc")
		p.mustSee("Discard 1 answer? y leave")
		p.slowly("esc", "esc", "y")
		if status(m, 0) != sayso.StatusPending {
			t.Errorf("status %q", status(m, 0))
		}
	}, secret())
}

func TestDiscardCounts(t *testing.T) {
	dialog(t, nil, func(p *person, _ *Model) {
		answerService(p)
		p.slowly("ctrl+d")
		p.mustSee("Discard 3 answers?", "y decline: tell the agent you will not answer")
	}, service())
	dialog(t, nil, func(p *person, _ *Model) {
		p.slowly("2", "ctrl+c")
		p.mustSee("Discard 1 answer?", "y cancel the question and tell the agent")
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
