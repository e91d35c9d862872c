package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// flaky is an inbox whose hub comes and goes.
type flaky struct {
	hub.Inbox
	mu   sync.Mutex
	down error
}

func (f *flaky) set(err error) { f.mu.Lock(); defer f.mu.Unlock(); f.down = err }
func (f *flaky) err() error    { f.mu.Lock(); defer f.mu.Unlock(); return f.down }

func (f *flaky) Watch(ctx context.Context, fn func(hub.Change)) error {
	if err := f.err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	return f.Inbox.Watch(ctx, fn)
}

func (f *flaky) Close(ctx context.Context, t *hub.Ticket, o *sayso.Outcome) (*hub.Ticket, error) {
	if err := f.err(); err != nil {
		return nil, err
	}
	return f.Inbox.Close(ctx, t, o)
}

func TestInboxSurvivesItsHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		r := &room{t: t, hub: h}
		r.submit(databases())
		f := &flaky{Inbox: h.Inbox("t", ann)}
		r.sitDown(f, terminal{w: 80, h: 30}, &Options{Guard: -1, Grace: -1, By: ann})
		t.Cleanup(h.Stop)
		f.set(errors.New("connection refused"))
		r.wait(10 * time.Second)
		r.mustSee("reconnecting…", "Waiting for you 1")
		r.slowly("enter", "2", "enter")
		r.mustSee("Not sent. What you entered is still here. connection refused")
		r.submit(branches())
		f.set(nil)
		r.wait(20 * time.Second)
		r.slowly("enter")
		r.mustSee("What shall become")
		if o := r.outcome(databases()); o == nil || o.Answers[0].Selected[0] != "o2" {
			t.Errorf("outcome %+v", o)
		}
	})
}

// silent is an inbox that says what there is, and then no more.
type silent struct{ hub.Inbox }

func (s silent) Watch(ctx context.Context, fn func(hub.Change)) error {
	fn(hub.Change{Reset: true})
	<-ctx.Done()
	return ctx.Err()
}

// The hub's reply to an answer says whether it can be undone, before any news does.
func TestInboxOffersUndo(t *testing.T) {
	for _, isFinal := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
			if err != nil {
				t.Fatal(err)
			}
			r := &room{t: t, hub: h}
			a := databases()
			a.Final = isFinal
			r.submit(a)
			r.sitDown(silent{h.Inbox("t", ann)}, terminal{w: 80, h: 30}, &Options{Guard: -1, Grace: -1, By: ann})
			t.Cleanup(h.Stop)
			r.attend(a)
			r.slowly("enter", "2", "enter")
			r.mustSee("sent")
			if offers := strings.Contains(r.sees(), "u undo"); offers == isFinal {
				t.Errorf("final %t: undo is offered: %t\n%s", isFinal, offers, r.sees())
			}
		})
	}
}

// A list may lag behind what was told: it brings nothing back and takes nothing
// away.
func TestInboxListsMayLag(t *testing.T) {
	b := NewInbox(t.Context(), nil, nil)
	ticket := func(id string, revision uint64, open bool) *hub.Ticket {
		tk := &hub.Ticket{Address: hub.Address{Tenant: "t", ID: id}, Ask: databases(), Revision: revision}
		if !open {
			tk.Outcome = elsewhere("web", sayso.StatusDeclined)
		}
		return tk
	}
	waiting := func() string {
		var ids []string
		for _, tk := range b.waiting {
			ids = append(ids, fmt.Sprint(tk.Address.ID, tk.Revision))
		}
		return strings.Join(ids, " ")
	}
	b.told(hub.Change{Ticket: ticket("a", 1, true)})
	b.told(hub.Change{Reset: true})
	since := b.changes
	b.told(hub.Change{Ticket: ticket("b", 1, true)})
	b.told(hub.Change{Ticket: ticket("a", 2, false)})
	b.listed(listedMsg{inbox: b, tickets: []*hub.Ticket{ticket("a", 1, true)}, since: since})
	if got := waiting(); got != "b1" {
		t.Errorf("after a list that lags: %q", got)
	}
	b.told(hub.Change{Ticket: ticket("a", 3, true)}) // undone
	if got := waiting(); got != "a3 b1" {
		t.Errorf("after an undo: %q", got)
	}
	b.told(hub.Change{Reset: true})
	b.listed(listedMsg{inbox: b, tickets: []*hub.Ticket{ticket("b", 1, true)}, since: b.changes})
	if got := waiting(); got != "b1" {
		t.Errorf("after a list without it: %q", got)
	}
}
