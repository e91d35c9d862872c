package tui

import (
	"testing"
	"time"

	"github.com/saysohq/sayso"
)

func TestStrayEnterAnswersNothing(t *testing.T) {
	for _, a := range []*sayso.Ask{databases(), features(), name(), service(), frameworks(), secret(), deadline()} {
		t.Run(a.ID, func(t *testing.T) {
			dialog(t, nil, func(p *person, m *Model) {
				for range 20 {
					p.slowly("enter")
				}
				if m.Done() || status(m, 0) != "" {
					t.Errorf("Enter alone made %v", m.Outcomes()[0])
				}
			}, a)
		})
	}
}

func TestEnterAfterADraftIsBackSendsNothing(t *testing.T) {
	o := &Options{LoadDraft: func(*sayso.Ask) ([]sayso.Answer, error) {
		return []sayso.Answer{{QuestionID: "q1", Selected: []string{"o1"}}}, nil
	}}
	dialog(t, o, func(p *person, m *Model) {
		p.slowly("enter", "enter", "enter")
		p.mustSee("your draft from before")
		if status(m, 0) != "" {
			t.Fatal("a draft was sent unread")
		}
		p.slowly("up", "down", "enter")
		if m.Done() { // the highlight was moved elsewhere, so Enter only chose
			t.Fatal("Enter replaced the choice and sent it")
		}
		p.slowly("esc", "1", "enter")
		if status(m, 0) != sayso.StatusAnswered {
			t.Errorf("outcome %v", m.Outcomes()[0])
		}
	}, databases())
}

func TestGuardDropsKeysTypedBefore(t *testing.T) {
	for _, c := range []struct {
		name     string
		pauses   []time.Duration // before each of the keys 2, Enter
		answered bool
	}{
		{"at once", []time.Duration{0, 0}, false},
		{"just inside", []time.Duration{349 * time.Millisecond, 0}, false},
		{"typing on", []time.Duration{300 * time.Millisecond, 300 * time.Millisecond}, false},
		{"after", []time.Duration{351 * time.Millisecond, 0}, true},
		{"after a dropped key", []time.Duration{0, 0}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := start
			m := New(one(databases()), &Options{Now: func() time.Time { return now }})
			m.Init()
			for i, k := range []string{"2", "enter"} {
				now = now.Add(c.pauses[i])
				m.Update(keyOf(t, k))
			}
			if got := status(m, 0) == sayso.StatusAnswered; got != c.answered {
				t.Errorf("answered %v, want %v", got, c.answered)
			}
		})
	}
}

// Whoever types without a pause must not be locked out for ever.
func TestGuardEnds(t *testing.T) {
	now := start
	m := New(one(name()), &Options{Now: func() time.Time { return now }})
	m.Init()
	for range 40 { // a key every 100 ms, for four seconds
		now = now.Add(100 * time.Millisecond)
		m.Update(keyOf(t, "x"))
	}
	if got := len(m.forms[0].sheets[0].words.value()); got != 40-13 {
		t.Errorf("%d keys came through", got)
	}
}

func TestGuardAppliesToTheNextAskAndTheReview(t *testing.T) {
	dialog(t, nil, func(p *person, m *Model) {
		p.press("2", "enter", "2", "enter") // the second pair was meant for the first ask
		if status(m, 0) != sayso.StatusAnswered || status(m, 1) != "" {
			t.Errorf("outcomes %v", m.Outcomes())
		}
	}, databases(), branches())
	dialog(t, nil, func(p *person, m *Model) {
		p.press("2", "enter", "1", "enter")
		p.types("x")
		p.press("enter", "enter", "enter")
		p.mustSee("Review and send")
		if m.Done() {
			t.Error("sent without a look at the review")
		}
		p.wait(time.Second)
		p.press("enter")
		if status(m, 0) != sayso.StatusAnswered {
			t.Error("not sent")
		}
	}, service())
}
