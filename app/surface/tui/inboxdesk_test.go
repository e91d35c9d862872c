package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// sitAtDesk opens a hub in memory whose answers are held, with asks in it and somebody
// else to delegate to, and sits down at the inbox.
func sitAtDesk(t *testing.T, term terminal, o *Options, asks ...*sayso.Ask) *room {
	t.Helper()
	h, err := hub.Open(t.Context(), hub.NewMemory(nil), &hub.Options{
		People: func(context.Context, string) ([]string, error) { return []string{"ann", "bob"}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	r := &room{t: t, hub: h}
	for _, a := range asks {
		r.submit(a)
	}
	if o == nil {
		o = &Options{Guard: -1}
	}
	o.By = ann
	r.sitDown(h.Inbox("t", ann), term, o)
	t.Cleanup(h.Stop)
	return r
}

// atDesk runs a test at such an inbox, in a window of 120 by 40.
func atDesk(t *testing.T, do func(r *room), asks ...*sayso.Ask) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { do(sitAtDesk(t, terminal{w: 120, h: 40}, nil, asks...)) })
}

func (r *room) ticket(a *sayso.Ask) *hub.Ticket {
	r.t.Helper()
	t, err := r.hub.Get(r.t.Context(), hub.AddressOf("t", a))
	if err != nil {
		r.t.Fatal(err)
	}
	return t
}

// bob is somebody else at the same hub.
func (r *room) bob() hub.Desk {
	return r.hub.Inbox("t", sayso.Responder{Kind: sayso.ByPerson, ID: "bob", Surface: "web"}).(hub.Desk)
}

func TestInboxHoldsAnAnswer(t *testing.T) {
	atDesk(t, func(r *room) {
		r.slowly("enter", "2")
		r.mustSee("Sends in 4 s · ctrl+z undo", "✓ Database: SQLite", "What should we name") // the next is open
		if now := r.ticket(databases()); !now.Open() || now.Held == nil {
			t.Fatalf("not held: %+v", now)
		}
		r.wait(2 * time.Second)
		r.mustSee("Sends in 2 s")
		r.wait(4 * time.Second)
		r.mustNotSee("Sends in")
		r.mustSee("sent · ctrl+z undo") // the field for own words has the letters
		if o := r.outcome(databases()); o == nil || o.Answers[0].Selected[0] != "o2" {
			t.Errorf("after its time: %+v", o)
		}
	}, databases(), aged(name(), time.Minute))
}

// aged is an ask of another age.
func aged(a *sayso.Ask, ago time.Duration) *sayso.Ask {
	a.AskedAt = start.Add(-ago)
	return a
}

func TestInboxUndoesWhatIsHeld(t *testing.T) {
	atDesk(t, func(r *room) {
		r.slowly("enter", "2", "1")
		r.mustSee("All caught up", "Sends in")
		r.slowly("u") // the second
		r.mustSee("Undone. This is what you had sent.", "1 ● Keep")
		r.slowly("esc", "u") // and the first, whose time is not over
		r.mustSee("2 ● SQLite")
		for _, a := range []*sayso.Ask{databases(), keep()} {
			if now := r.ticket(a); !now.Open() || now.Held != nil || now.History[0].Why != hub.Undone {
				t.Errorf("%s is not as before: %+v", a.ID, now)
			}
		}
		if got := r.box.Records(); len(got) != 0 {
			t.Errorf("records %q", got)
		}
	}, databases(), keep())
}

// keep is a single choice without danger.
func keep() *sayso.Ask {
	return &sayso.Ask{ID: "ask_keep", Origin: origin, AskedAt: start, Questions: []sayso.Question{{
		Header: "Logs", Text: "What to do with the old logs?", Options: []sayso.Option{{Label: "Keep"}, {Label: "Pack"}},
	}}}
}

func TestInboxUndoesWhileTyping(t *testing.T) {
	atDesk(t, func(r *room) {
		r.slowly("enter", "2")
		r.types("u")
		r.mustSee("❯ u")
		r.slowly("ctrl+z")
		r.mustSee("The question is open again.", "❯ u") // what was typed has not gone
		if now := r.ticket(databases()); now.Held != nil {
			t.Error("still held")
		}
	}, databases(), aged(name(), time.Minute))
}

// One key answers only a simple question whose answer is held.
func TestInboxOneKey(t *testing.T) {
	secretly := databases()
	secretly.Questions[0].Text = "Paste your GitHub password"
	for name, c := range map[string]struct {
		ask  *sayso.Ask
		opts Options
		keys []string
		sent bool
	}{
		"a single choice":         {databases(), Options{Guard: -1}, []string{"2"}, true},
		"with the guard":          {databases(), Options{}, []string{"2"}, true},
		"nothing is held":         {databases(), Options{Guard: -1, Grace: -1}, []string{"2"}, false},
		"nothing is held, Enter":  {databases(), Options{Guard: -1, Grace: -1}, []string{"2", "enter"}, true},
		"several":                 {features(), Options{Guard: -1}, []string{"2"}, false},
		"the harmless one of two": {branches(), Options{Guard: -1}, []string{"1"}, false},
		"the dangerous one":       {branches(), Options{Guard: -1}, []string{"2"}, false},
		"a secret":                {secretly, Options{Guard: -1}, []string{"2"}, false},
		"permission":              {mayRun(), Options{Guard: -1}, []string{"3"}, false},
		"three questions":         {service(), Options{Guard: -1}, []string{"2"}, false},
		"space":                   {databases(), Options{Guard: -1}, []string{"down", "space"}, false},
		"unread":                  {lengthy(), Options{Guard: -1}, []string{"2"}, false},
		"read":                    {lengthy(), Options{Guard: -1}, []string{"ctrl+o", "end", "2", "2"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := sitAtDesk(t, terminal{w: 80, h: 24}, &c.opts, c.ask)
				r.slowly("enter")
				r.slowly(c.keys...)
				now := r.ticket(c.ask)
				if sent := now.Held != nil || !now.Open(); sent != c.sent {
					t.Errorf("sent %t, want %t\n%s", sent, c.sent, r.sees())
				}
			})
		})
	}
}

// A key that is pressed twice answers one question, not the next one as well.
func TestInboxGuardsTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := sitAtDesk(t, terminal{w: 120, h: 40}, &Options{}, databases(), keep())
		r.slowly("enter")
		r.press("2")
		r.press("2") // a moment later: the next is open
		if now := r.ticket(databases()); now.Held == nil {
			t.Errorf("the first is not answered:\n%s", r.sees())
		}
		if now := r.ticket(keep()); now.Held != nil {
			t.Error("the second was answered by keys meant for the first")
		}
	})
}

// A draft is never sent by one key that did not mean it, nor with what was typed.
func TestInboxOneKeyAndDrafts(t *testing.T) {
	atDesk(t, func(r *room) {
		r.slowly("enter", "0")
		r.types("half a thought")
		r.slowly("esc", "esc", "enter", "2")
		if now := r.ticket(databases()); now.Held != nil {
			t.Fatalf("sent %+v", now.Held.Outcome)
		}
		r.mustSee("half a thought")
	}, databases())
}

func TestInboxGoesOnWithTheNext(t *testing.T) {
	var asks []*sayso.Ask
	for i := range 10 {
		a := keep()
		a.ID, a.AskedAt = fmt.Sprintf("ask_%d", i), start.Add(time.Duration(i-20)*time.Minute)
		a.Questions[0].Text = fmt.Sprintf("What to do with log %d?", i)
		asks = append(asks, a)
	}
	atDesk(t, func(r *room) {
		r.slowly("down", "down", "enter")
		r.mustSee("9 more waiting")
		r.slowly("1")
		if r.box.shown == nil || r.box.shown.Ask.ID != "ask_3" {
			t.Fatalf("after the third comes %v", r.box.shown)
		}
		r.mustSee("8 more waiting")
		r.submit(databases())
		r.wait(time.Second)
		r.mustSee("9 more waiting") // the new one counts
		r.slowly("esc")
		r.slowly("down", "enter", "1") // the fifth; the fourth was left
		if r.box.shown == nil || r.box.shown.Ask.ID != "ask_5" {
			t.Fatalf("after the fifth comes %v", r.box.shown.Ask.ID)
		}
		want := "✓ Logs: Keep (unverified · says it is claude-code · payments-api @ main)"
		if got := r.box.Records(); len(got) != 2 || got[0] != want {
			t.Errorf("records %q", got)
		}
	}, asks...)
}

func TestInboxHeldByOthers(t *testing.T) {
	atDesk(t, func(r *room) {
		o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o1"}}}}
		if _, err := r.bob().Hold(t.Context(), r.ticket(databases()), o, 20*time.Second); err != nil {
			t.Fatal(err)
		}
		r.wait(time.Second)
		r.mustSee("Answered in the browser by bob:", "PostgreSQL (counts in 20 s)")
		r.slowly("enter", "2")
		r.mustSee("✓ Answered in the browser by bob: PostgreSQL")
		r.slowly("enter")
		r.wait(30 * time.Second)
		if o := r.outcome(databases()); o == nil || o.By.ID != "bob" {
			t.Errorf("outcome %+v", o)
		}
	}, databases())
}

// The asker's own withdrawal wins over what is held, and the person learns it.
func TestInboxTooLate(t *testing.T) {
	atDesk(t, func(r *room) {
		r.slowly("enter", "2")
		now := r.ticket(databases())
		out := &sayso.Outcome{Status: sayso.StatusCancelled, By: sayso.Responder{Kind: sayso.ByAsker}}
		if _, err := r.hub.Close(t.Context(), now, out, nil); err != nil {
			t.Fatal(err)
		}
		r.wait(time.Second)
		r.mustSee("Your answer came too late: The agent no longer needs this answer")
		r.mustNotSee("undo")
	}, databases())
}

// What a hub does not offer is not offered to the person.
func TestInboxWithoutADesk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		r := &room{t: t, hub: h}
		r.submit(databases())
		r.sitDown(struct{ hub.Inbox }{h.Inbox("t", ann)}, terminal{w: 120, h: 40}, &Options{Guard: -1, By: ann})
		t.Cleanup(h.Stop)
		r.mustNotSee("/ search", "v views", "e later", "f filter")
		r.slowly("v", "f", "/", "e", "d", "?")
		r.mustSee("Keys", "group by conversation", "undo")
		r.mustNotSee("waiting, later", "reuse", "delegate", "amend")
		r.slowly("x", "enter", "2") // nothing is held: a number only chooses
		r.mustSee("2 ● SQLite")
		if o := r.outcome(databases()); o != nil {
			t.Errorf("outcome %+v", o)
		}
		r.slowly("enter")
		if o := r.outcome(databases()); o == nil {
			t.Errorf("not sent:\n%s", r.sees())
		}
	})
}

// A hub that cannot hold after all gets nothing by one key, and says why.
func TestInboxHubThatDoesNotHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		r := &room{t: t, hub: h}
		r.submit(databases())
		r.sitDown(noHold{h.Inbox("t", ann).(hub.Desk)}, terminal{w: 120, h: 40}, &Options{Guard: -1, By: ann})
		t.Cleanup(h.Stop)
		r.slowly("enter", "2")
		r.mustSee("This hub does not hold")
		if o := r.outcome(databases()); o != nil {
			t.Fatalf("sent %+v", o)
		}
		r.slowly("enter")
		if o := r.outcome(databases()); o == nil {
			t.Errorf("not sent:\n%s", r.sees())
		}
	})
}

type noHold struct{ hub.Desk }

func (noHold) Hold(context.Context, *hub.Ticket, *sayso.Outcome, time.Duration) (*hub.Ticket, error) {
	return nil, fmt.Errorf("an old hub: %w", errors.ErrUnsupported)
}

// The person's own choice of the time counts, and the command line before it.
func TestInboxGrace(t *testing.T) {
	for _, c := range []struct {
		chosen int
		option time.Duration
		want   time.Duration
	}{{12, 0, 12 * time.Second}, {0, 0, 0}, {12, -1, 0}, {0, 3 * time.Second, 3 * time.Second}, {12, time.Hour, 30 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
			if err != nil {
				t.Fatal(err)
			}
			r := &room{t: t, hub: h}
			in := h.Inbox("t", ann).(hub.Desk)
			if err := in.SetPreferences(t.Context(), &hub.Preferences{Grace: &c.chosen}); err != nil {
				t.Fatal(err)
			}
			r.sitDown(in, terminal{w: 80, h: 24}, &Options{Guard: -1, By: ann, Grace: c.option})
			t.Cleanup(h.Stop)
			if got := r.box.holds(); got != c.want {
				t.Errorf("chosen %d, option %v: held for %v, want %v", c.chosen, c.option, got, c.want)
			}
		})
	}
}

// The language that the person chose counts, and that of the terminal if it cannot be
// shown in one.
func TestInboxLanguage(t *testing.T) {
	for language, want := range map[string]string{"": "Waiting for you", "de": "Wartet auf Sie", "ar": "Waiting for you"} {
		synctest.Test(t, func(t *testing.T) {
			h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
			if err != nil {
				t.Fatal(err)
			}
			r := &room{t: t, hub: h}
			r.submit(databases())
			in := h.Inbox("t", ann).(hub.Desk)
			if err := in.SetPreferences(t.Context(), &hub.Preferences{Language: language}); err != nil {
				t.Fatal(err)
			}
			r.sitDown(in, terminal{w: 120, h: 24}, &Options{Guard: -1, By: ann})
			t.Cleanup(h.Stop)
			r.mustSee(want)
		})
	}
}

func TestInboxSurvivesResizing(t *testing.T) {
	atDesk(t, func(r *room) {
		r.slowly("down", "enter", "0")
		r.types("half a thought")
		for _, w := range []int{40, 99, 100, 200, 30, 120} {
			r.resizes(w, 30)
			for _, line := range strings.Split(r.sees(), "\n") {
				if columns(line) > w {
					t.Fatalf("%d columns on %d: %q", columns(line), w, line)
				}
			}
			if w >= 40 {
				r.mustSee("half a thought")
			}
		}
		if r.box.cur.ID != "ask_keep" {
			t.Errorf("the highlight went to %s", r.box.cur.ID)
		}
	}, databases(), keep())
}
