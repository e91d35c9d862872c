package tui

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

var ann = sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "terminal"}

// room is a hub with asks in it and a person at its inbox.
type room struct {
	t   *testing.T
	hub *hub.Hub
	box *Inbox
	*person
}

// enter opens a hub in memory, submits the asks and sits down at the inbox.
func enter(t *testing.T, term terminal, asks ...*sayso.Ask) *room {
	t.Helper()
	h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &room{t: t, hub: h}
	for _, a := range asks {
		r.submit(a)
	}
	r.sitDown(h.Inbox("t", ann), term, &Options{Guard: -1, Grace: -1, By: ann, Now: func() time.Time { return start }})
	t.Cleanup(h.Stop)
	return r
}

func (r *room) sitDown(in hub.Inbox, term terminal, o *Options) {
	ctx, stop := context.WithCancel(context.Background())
	r.box = NewInbox(ctx, in, o)
	var watched sync.WaitGroup
	r.t.Cleanup(func() { stop(); watched.Wait() })
	r.person = sit(r.t, r.box, term)
	watched.Go(func() { r.box.Watch(ctx, in, r.program.Send) })
	r.wait(time.Second)
}

func (r *room) submit(a *sayso.Ask) *hub.Ticket {
	r.t.Helper()
	a = a.Clone()
	a.Normalize()
	t, err := r.hub.Submit(r.t.Context(), "t", a)
	if err != nil {
		r.t.Fatal(err)
	}
	return t
}

func (r *room) outcome(a *sayso.Ask) *sayso.Outcome {
	r.t.Helper()
	t, err := r.hub.Get(r.t.Context(), hub.AddressOf("t", a))
	if err != nil {
		r.t.Fatal(err)
	}
	return t.Outcome
}

// attend has the asker wait for the ask.
func (r *room) attend(a *sayso.Ask) {
	r.t.Helper()
	var work sync.WaitGroup
	work.Go(func() { r.hub.Wait(r.t.Context(), hub.AddressOf("t", a)) })
	r.t.Cleanup(work.Wait)
	r.wait(time.Second)
}

// elsewhere closes an ask as another person in the browser would.
func (r *room) elsewhere(a *sayso.Ask, status sayso.Status) {
	r.t.Helper()
	t, err := r.hub.Get(r.t.Context(), hub.AddressOf("t", a))
	if err != nil {
		r.t.Fatal(err)
	}
	o := elsewhere("web", status)
	o.By.ID = "bob"
	if _, err := r.hub.Close(r.t.Context(), t, o, nil); err != nil {
		r.t.Fatal(err)
	}
	r.wait(time.Second)
}

func TestInboxScreens(t *testing.T) {
	var many []*sayso.Ask
	for i := range 14 {
		a := databases()
		a.ID, a.AskedAt = fmt.Sprintf("ask_%02d", i), start.Add(-time.Duration(i)*time.Hour)
		many = append(many, a)
	}
	for _, v := range []struct {
		name string
		asks []*sayso.Ask
		do   func(r *room)
	}{
		{"inbox", []*sayso.Ask{service(), branches(), name(), cjk()}, nil},
		{"inbox-empty", nil, nil},
		{"inbox-many", many, func(r *room) { r.press("down", "down", "down", "down", "down", "down") }},
		{"inbox-open", []*sayso.Ask{service(), branches()}, func(r *room) { r.press("enter") }},
		{"inbox-next", []*sayso.Ask{databases(), branches()}, func(r *room) { r.press("enter", "1", "enter"); r.wait(time.Second) }},
		{"inbox-later", []*sayso.Ask{databases(), branches()}, func(r *room) { r.press("enter", "esc"); r.wait(time.Second) }},
		{"inbox-done", []*sayso.Ask{databases()}, func(r *room) { r.press("enter", "1", "enter"); r.wait(time.Second) }},
		{"inbox-final", []*sayso.Ask{final()}, func(r *room) {
			r.attend(final())
			r.press("enter", "1", "enter")
			r.wait(time.Second)
		}},
		{"inbox-elsewhere", []*sayso.Ask{databases(), branches()}, func(r *room) {
			r.press("down", "enter", "0")
			r.types("half a thought")
			r.elsewhere(databases(), sayso.StatusAnswered)
		}},
	} {
		t.Run(v.name, func(t *testing.T) {
			var got strings.Builder
			for _, term := range widths {
				fmt.Fprintf(&got, "=== %d × %d\n", term.w, term.h)
				synctest.Test(t, func(t *testing.T) {
					r := enter(t, term, v.asks...)
					if v.do != nil {
						v.do(r)
					}
					got.WriteString(r.sees())
				})
			}
			golden(t, "screens/"+v.name+".txt", got.String())
		})
	}
}

func TestInboxAnswersOneAfterAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := enter(t, terminal{w: 80, h: 30}, databases(), name(), features())
		r.mustSee("Waiting for you 3", "● live")
		r.slowly("enter") // the oldest: name, asked three hours ago
		r.types("orders")
		r.slowly("enter")
		r.mustSee("Which database")
		r.slowly("ctrl+d")
		r.mustSee("Which features")
		r.slowly("1", "enter")
		r.mustSee("All caught up")
		if o := r.outcome(name()); o == nil || o.Answers[0].Other != "orders" || o.By != ann {
			t.Errorf("name: %+v", o)
		}
		if o := r.outcome(databases()); o == nil || o.Status != sayso.StatusDeclined {
			t.Errorf("database: %+v", o)
		}
		if o := r.outcome(features()); o == nil || o.Answers[0].Selected[0] != "o1" {
			t.Errorf("features: %+v", o)
		}
		by := " (unverified · says it is claude-code · payments-api @ main)"
		want := strings.Join([]string{"✓ Service Setup: “orders”", "✗ Database: Declined", "✓ Features: Authentication"}, by+"|") + by
		if got := strings.Join(r.box.Records(), "|"); got != want {
			t.Errorf("records %q", got)
		}
		r.press("q")
		<-r.done
	})
}

func TestInboxIsLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := enter(t, terminal{w: 80, h: 40}, databases(), branches())
		r.press("down") // on databases, the younger
		r.submit(name())
		r.wait(time.Second)
		r.mustSee("Waiting for you 3", "What should we name")
		if r.box.cur.ID != "ask_db" {
			t.Errorf("the highlight went to %s", r.box.cur.ID)
		}
		r.elsewhere(name(), sayso.StatusDeclined)
		r.mustSee("Waiting for you 2")
		r.press("enter", "0")
		r.types("half a thought")
		r.elsewhere(databases(), sayso.StatusAnswered)
		r.mustSee("Answered in the browser by bob: SQLite", "half a thought")
		r.slowly("x")
		r.mustSee("What shall become")
		r.slowly("esc")
		r.mustSee("Waiting for you 1", "not answered yet")
		if o := r.outcome(branches()); o != nil {
			t.Errorf("left for later: %+v", o)
		}
		r.slowly("enter")
		r.mustSee("What shall become")
	})
}

func TestInboxKeepsDrafts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := enter(t, terminal{w: 80, h: 30}, databases())
		r.press("enter", "0")
		r.types("half a thought")
		r.wait(time.Second)
		d, err := r.hub.Draft(t.Context(), hub.AddressOf("t", databases()), "ann")
		if err != nil || len(d.Answers) != 1 || d.Answers[0].Other != "half a thought" {
			t.Fatalf("draft %+v, %v", d, err)
		}
		r.slowly("esc", "esc")
		d.Reply = "typed in the browser"
		if err := r.hub.SaveDraft(t.Context(), hub.AddressOf("t", databases()), "ann", d); err != nil {
			t.Fatal(err)
		}
		r.slowly("enter")
		r.mustSee("half a thought")
		r.slowly("0")
		r.types("!")
		r.wait(time.Second)
		d, err = r.hub.Draft(t.Context(), hub.AddressOf("t", databases()), "ann")
		if err != nil || d.Answers[0].Other != "half a thought!" || d.Reply != "typed in the browser" {
			t.Fatalf("draft %+v, %v", d, err)
		}
	})
}
