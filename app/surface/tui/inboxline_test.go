package tui

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

var errGone = fmt.Errorf("client: listing: %w: Get %q: connection refused", sayso.ErrUnreachable, "http://localhost/v1/asks")

// severed is an inbox that goes on by itself when its hub is back, behind the last change,
// and so tells nothing new.
type severed struct {
	flaky
	line chan bool
}

func (s *severed) WatchLine(ctx context.Context, fn func(hub.Change), line func(up bool)) error {
	line(true)
	fn(hub.Change{Reset: true})
	for {
		select {
		case up := <-s.line:
			line(up)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *severed) List(ctx context.Context, f *hub.Filter) (*hub.Tickets, error) {
	if err := s.err(); err != nil {
		return nil, err
	}
	return s.Inbox.List(ctx, f)
}

// The inbox says that it reconnects, wherever the person is in it, and names no request.
// It is live again as soon as the hub is.
func TestInboxSaysThatItReconnects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(h.Stop)
		r := &room{t: t, hub: h}
		r.submit(databases())
		s := &severed{flaky: flaky{Inbox: h.Inbox("t", ann)}, line: make(chan bool)}
		r.sitDown(s, terminal{w: 80, h: 30}, &Options{Guard: -1, Grace: -1, By: ann})
		r.mustSee("● live", "Waiting for you 1")
		r.slowly("enter")
		r.mustNotSee("reconnecting…")
		s.set(errGone)
		s.line <- false
		r.wait(time.Second)
		r.mustSee("○ reconnecting…", "PostgreSQL") // the title is not on the screen
		r.slowly("2", "enter")
		r.mustSee("Not sent. What you entered is still here. The hub cannot be reached")
		r.mustNotSee("localhost")
		r.slowly("esc", "y")
		r.mustSee("Inbox · Waiting for you 1", "○ reconnecting…")
		s.set(nil)
		r.submit(branches()) // while the line was cut
		s.line <- true
		r.wait(time.Second)
		r.mustSee("● live", "Waiting for you 2")
	})
}

// A list that failed is tried again, although nothing changes.
func TestInboxListsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(h.Stop)
		r := &room{t: t, hub: h}
		r.submit(databases())
		s := &severed{flaky: flaky{Inbox: h.Inbox("t", ann), down: errGone}, line: make(chan bool)}
		r.sitDown(s, terminal{w: 80, h: 30}, &Options{Guard: -1, Grace: -1, By: ann})
		r.wait(5 * time.Second)
		r.mustSee("○ reconnecting…")
		r.mustNotSee("localhost", "All caught up")
		s.set(nil)
		r.wait(2 * relistPause)
		r.mustSee("● live", "Waiting for you 1")
	})
}
