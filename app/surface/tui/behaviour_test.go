package tui

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
)

// dialog runs fn with a person at a dialog of the given asks.
func dialog(t *testing.T, o *Options, fn func(p *person, m *Model), asks ...*sayso.Ask) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := New(asks, o)
		fn(sit(t, m, terminal{w: 80, h: 30}), m)
		for i, out := range m.Outcomes() {
			if out == nil {
				continue
			}
			if err := m.forms[i].ask.Check(out); err != nil {
				t.Errorf("outcome %d does not fit: %v", i, err)
			}
		}
	})
}

func status(m *Model, i int) sayso.Status {
	if o := m.Outcomes()[i]; o != nil {
		return o.Status
	}
	return ""
}

func answersOf(m *Model, i int) []sayso.Answer {
	if o := m.Outcomes()[i]; o != nil {
		return o.Answers
	}
	return nil
}

func TestSingleChoice(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string
		want []string
		sent bool
	}{
		{"number and enter", []string{"2", "enter"}, []string{"o2"}, true},
		{"arrows and enter", []string{"down", "down", "enter"}, []string{"o2"}, true},
		{"arrow up from nothing, and back", []string{"up", "up", "enter"}, []string{"o3"}, true},
		{"vi keys", []string{"j", "j", "k", "enter"}, []string{"o1"}, true},
		{"space and enter", []string{"down", "space", "enter"}, []string{"o1"}, true},
		{"number alone", []string{"2"}, nil, false},
		{"change of mind by number", []string{"1", "3", "enter"}, []string{"o3"}, true},
		{"highlight elsewhere needs two", []string{"1", "down", "enter"}, nil, false},
		{"highlight elsewhere, confirmed", []string{"1", "down", "enter", "enter"}, []string{"o2"}, true},
		{"no such number", []string{"7", "enter"}, nil, false},
		{"space on nothing", []string{"space", "enter"}, nil, false},
		{"letters", []string{"x", "y", "z", "enter"}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dialog(t, nil, func(p *person, m *Model) {
				p.slowly(c.keys...)
				if m.Done() != c.sent {
					t.Fatalf("sent %v, want %v", m.Done(), c.sent)
				}
				if !c.sent {
					return
				}
				if got := answersOf(m, 0)[0].Selected; !slices.Equal(got, c.want) {
					t.Errorf("selected %v, want %v", got, c.want)
				}
			}, databases())
		})
	}
}

// A dangerous option takes a second key that is none of habit, on a page that names
// it, from whichever side it was chosen.
func TestDangerIsConfirmed(t *testing.T) {
	form := service()
	form.Questions[0] = branches().Questions[0]
	rest := []string{"1", "enter", "x", "enter"}
	for _, c := range []struct {
		name string
		ask  *sayso.Ask
		keys []string
	}{
		{"number", branches(), []string{"2", "2", "enter"}},
		{"arrows", branches(), []string{"down", "down", "enter"}},
		{"space", branches(), []string{"down", "down", "space", "enter"}},
		{"own words", branches(), []string{"0", "=delete IT", "enter", "enter"}},
		{"a number in own words", branches(), []string{"0", "=2", "enter", "enter"}},
		{"review", form, append([]string{"2", "space", "enter"}, append(rest, "enter")...)},
		{"send without the open ones", form, []string{"2", "space", "shift+tab", "s"}},
		{"called off and again", branches(), []string{"2", "space", "enter", "esc", "enter", "n", "enter"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dialog(t, nil, func(p *person, m *Model) {
				for _, k := range c.keys {
					if text, typed := strings.CutPrefix(k, "="); typed {
						p.types(text)
					} else {
						p.slowly(k)
					}
				}
				p.slowly("enter", "enter")
				if m.Done() {
					t.Fatalf("Enter sent %v", answersOf(m, 0))
				}
				p.mustSee("! Delete it dangerous", "Cannot be undone", "This is marked as dangerous. Send it?")
				p.slowly("y")
				if got := answersOf(m, 0); len(got) == 0 || !slices.Equal(got[0].Selected, []string{"o2"}) {
					t.Errorf("answers %v on\n%s", got, p.sees())
				}
			}, c.ask)
		})
	}
}

func TestMultiSelectWithOwnWords(t *testing.T) {
	dialog(t, nil, func(p *person, m *Model) {
		p.slowly("down", "space", "3", "3", "3", "0")
		p.types("webhooks")
		p.slowly("enter")
		want := []sayso.Answer{{QuestionID: "q1", Selected: []string{"o1", "o3"}, Other: "webhooks"}}
		if got := answersOf(m, 0); !reflect.DeepEqual(got, want) {
			t.Errorf("answers %+v", got)
		}
	}, features())
}

func TestOwnWordsReplaceASingleChoice(t *testing.T) {
	dialog(t, nil, func(p *person, m *Model) {
		p.slowly("1", "0")
		p.types("two lines")
		p.press("ctrl+j")
		p.types("of it 123")
		p.slowly("enter")
		want := []sayso.Answer{{QuestionID: "q1", Other: "two lines\nof it 123"}}
		if got := answersOf(m, 0); !reflect.DeepEqual(got, want) {
			t.Errorf("answers %+v", got)
		}
	}, databases())
}

func TestNote(t *testing.T) {
	dialog(t, nil, func(p *person, m *Model) {
		p.slowly("n")
		p.types("only for the beta")
		p.slowly("enter", "enter")
		p.mustSee("A note goes with a choice")
		p.slowly("2", "enter")
		want := []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}, Note: "only for the beta"}}
		if got := answersOf(m, 0); !reflect.DeepEqual(got, want) {
			t.Errorf("answers %+v", got)
		}
	}, databases())
}

func TestReview(t *testing.T) {
	dialog(t, nil, func(p *person, m *Model) {
		p.slowly("tab", "2", "tab", "tab")
		p.mustSee("Review and send", "not answered yet", "REST API")
		p.slowly("enter")
		p.mustSee("Question 1 still needs an answer.")
		p.slowly("1", "enter")
		p.types("svc")
		p.slowly("enter", "2", "1", "enter") // from the review back to question 2
		p.mustSee("● Authentication ● REST API")
		p.slowly("enter")
		want := []sayso.Answer{
			{QuestionID: "q1", Selected: []string{"o1"}},
			{QuestionID: "q2", Selected: []string{"o1", "o2"}},
			{QuestionID: "q3", Other: "svc"},
		}
		if got := answersOf(m, 0); !reflect.DeepEqual(got, want) {
			t.Errorf("answers %+v", got)
		}
	}, service())
}

func TestSendWithoutTheOpenOnes(t *testing.T) {
	dialog(t, nil, func(p *person, m *Model) {
		p.slowly("shift+tab", "s")
		p.mustSee("no answer to send yet")
		p.slowly("1", "2", "shift+tab", "s")
		got := answersOf(m, 0)
		if len(got) != 3 || got[0].Selected[0] != "o2" || got[1].Unanswered != sayso.ReasonSkipped {
			t.Errorf("answers %+v", got)
		}
	}, service())
}

func TestSendFails(t *testing.T) {
	tries := 0
	o := &Options{Send: func(*sayso.Ask, *sayso.Outcome) (*sayso.Outcome, error) {
		time.Sleep(time.Second) // in the bubble
		if tries++; tries == 1 {
			return nil, errors.New("no route\x1b[2J to hub")
		}
		return nil, nil
	}}
	dialog(t, o, func(p *person, m *Model) {
		p.press("2", "enter")
		p.mustSee("Sending…")
		p.press("3", "enter") // nothing can be changed on the way
		p.wait(2 * time.Second)
		p.mustSee("Not sent. What you entered is still here.", "no route␛[2J to hub")
		p.slowly("enter")
		p.wait(2 * time.Second)
		if got := answersOf(m, 0); tries != 2 || len(got) != 1 || got[0].Selected[0] != "o2" {
			t.Errorf("%d tries, answers %+v", tries, got)
		}
	}, databases())
}

// What does not fit must have been opened and seen to its end.
func TestEverythingMustBeReadToItsEnd(t *testing.T) {
	long := strings.Repeat("A long line of a preview.\n", 60)
	preview := databases()
	preview.Questions[0].Options[1].Preview = long
	description := databases()
	description.Questions[0].Options[1].Description = strings.Repeat("And on and on it goes. ", 120)
	inReview := service()
	inReview.Questions[0].Body = lengthy().Questions[0].Body
	text := name()
	text.Questions[0].Body = lengthy().Questions[0].Body
	const refusal = "Read it to its end first: ctrl+o opens it"
	for _, c := range []struct {
		name string
		ask  *sayso.Ask
		keys string // to the end of it
	}{
		{"body", lengthy(), "ctrl+o end"},
		{"body page by page", lengthy(), "ctrl+o pgdown pgdown pgdown"},
		{"preview", preview, "ctrl+o end end"},
		{"description", description, "ctrl+o pgdown pgdown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dialog(t, nil, func(p *person, m *Model) {
				p.slowly("2", "enter", "enter", "enter")
				p.mustSee(refusal)
				p.slowly("ctrl+o", "enter")
				if p.mustSee(refusal); m.Done() {
					t.Fatal("sent unread")
				}
				p.slowly("ctrl+o")
				p.slowly(strings.Fields(c.keys)...)
				p.slowly("enter", "enter") // the second on the review: the choice was out of sight
				if status(m, 0) != sayso.StatusAnswered {
					t.Errorf("not sent after it was read:\n%s", p.sees())
				}
			}, c.ask)
		})
	}
	t.Run("beside", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := New(one(preview), nil)
			p := sit(t, m, terminal{w: 140, h: 30})
			p.slowly("2", "enter")
			p.mustSee(refusal)
			p.slowly("ctrl+o", "end", "enter", "enter")
			if status(m, 0) != sayso.StatusAnswered {
				t.Errorf("not sent after it was read:\n%s", p.sees())
			}
		})
	})
	t.Run("text", func(t *testing.T) {
		dialog(t, nil, func(p *person, m *Model) {
			p.types("svc")
			p.slowly("enter")
			p.mustSee(refusal)
			p.slowly("ctrl+o", "end", "enter", "enter")
			if status(m, 0) != sayso.StatusAnswered {
				t.Errorf("not sent after it was read:\n%s", p.sees())
			}
		}, text)
	})
	t.Run("review", func(t *testing.T) {
		dialog(t, nil, func(p *person, m *Model) {
			p.slowly("2", "tab", "1", "tab")
			p.types("svc")
			p.slowly("tab", "enter")
			p.mustSee(refusal)
			p.slowly("ctrl+o", "end", "enter", "enter")
			if status(m, 0) != sayso.StatusAnswered {
				t.Error("not sent after it was read")
			}
		}, inReview)
	})
	t.Run("of another option", func(t *testing.T) {
		dialog(t, nil, func(p *person, m *Model) {
			p.slowly("1", "enter")
			if status(m, 0) != sayso.StatusAnswered {
				t.Error("a preview that was not chosen held the answer up")
			}
		}, preview)
	})
}
