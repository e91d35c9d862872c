package tui

import (
	"errors"
	"testing"
	"time"

	"github.com/saysohq/sayso"
)

func elsewhere(surface string, s sayso.Status) *sayso.Outcome {
	o := &sayso.Outcome{Status: s, By: sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: surface}, At: start}
	if s == sayso.StatusAnswered {
		o.Answers = []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}}}
	}
	return o
}

func TestClosedElsewhere(t *testing.T) {
	var d drawer
	dialog(t, d.options(), func(p *person, m *Model) {
		p.press("0")
		p.types("my half sentence")
		p.program.Send(ClosedElsewhereMsg{"ask_other", elsewhere("web", sayso.StatusDeclined)})
		p.program.Send(ClosedElsewhereMsg{"ask_db", elsewhere("web", sayso.StatusAnswered)})
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

func TestClosedElsewhereWording(t *testing.T) {
	w := English()
	a := databases()
	a.Normalize()
	withdrawn := &sayso.Outcome{Status: sayso.StatusCancelled, By: sayso.Responder{Kind: sayso.ByAsker}}
	replaced := &sayso.Outcome{Status: sayso.StatusSuperseded, By: sayso.Responder{Kind: sayso.ByAsker}}
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
		{replaced, "✗ Replaced by a newer request"},
		{expired, "✗ The deadline passed"},
		{reply, "✓ Answered on slack: “ask␛]52;c;␇ me later”"},
	} {
		c.want += " (unverified · says it is claude-code · payments-api @ main)"
		if got := w.Record(a, c.o, sayso.Responder{Surface: "terminal"}); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Another surface may win while the answer is on its way.
func TestClosedElsewhereWhileSending(t *testing.T) {
	for name, tell := range map[string]bool{"told by the hub": true, "told by the refusal": false} {
		t.Run(name, func(t *testing.T) {
			o := &Options{Send: func(*sayso.Ask, *sayso.Outcome) (*sayso.Outcome, error) {
				time.Sleep(time.Second) // in the bubble
				if tell {
					return nil, errors.New("the line broke")
				}
				return elsewhere("web", sayso.StatusAnswered), nil
			}}
			dialog(t, o, func(p *person, m *Model) {
				p.press("1", "enter")
				if tell {
					p.program.Send(ClosedElsewhereMsg{"ask_db", elsewhere("web", sayso.StatusAnswered)})
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

func TestClosedElsewhereBeforeItAppeared(t *testing.T) {
	dialog(t, nil, func(p *person, m *Model) {
		p.program.Send(ClosedElsewhereMsg{"ask_name", elsewhere("web", sayso.StatusDeclined)})
		p.slowly("2", "enter")
		p.mustSee("Which features")
		if status(m, 1) != sayso.StatusDeclined {
			t.Error("not noted")
		}
	}, databases(), name(), features())
}

// The news of one's own answer may come before its receipt, or instead of it.
func TestOwnAnswerIsNotElsewhere(t *testing.T) {
	for name, err := range map[string]error{"before": nil, "instead": errors.New("the line broke")} {
		t.Run(name, func(t *testing.T) {
			o := &Options{Send: func(*sayso.Ask, *sayso.Outcome) (*sayso.Outcome, error) {
				time.Sleep(time.Second) // in the bubble
				return nil, err
			}}
			dialog(t, o, func(p *person, m *Model) {
				p.press("2", "enter")
				p.program.Send(ClosedElsewhereMsg{"ask_db", elsewhere("terminal", sayso.StatusAnswered)})
				p.wait(2 * time.Second)
				if !m.Done() || m.Outcomes()[0].By.Surface != "terminal" || m.Outcomes()[0].By.ID != "" {
					t.Errorf("outcome %+v on\n%s", m.Outcomes()[0], p.sees())
				}
			}, databases())
		})
	}
}
