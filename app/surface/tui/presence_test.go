package tui

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// another is an ask that differs from the others.
func another(i int) *sayso.Ask {
	a := databases()
	a.ID = fmt.Sprint("another ", i)
	a.Questions[0].Header = "\x1b]2;owned\a"
	return a
}

// sitAt opens a hub and sits down at its inbox, with time that passes.
func sitAt(t *testing.T, o *Options, asks ...*sayso.Ask) *room {
	t.Helper()
	h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := &room{t: t, hub: h}
	for _, a := range asks {
		r.submit(a)
	}
	o.Guard, o.By = -1, ann
	r.sitDown(h.Inbox("t", ann), terminal{w: 80, h: 30}, o)
	t.Cleanup(h.Stop)
	return r
}

// alerts returns what was written to make itself noticed.
func (r *room) alerts() (all []string) {
	for _, s := range strings.Split(r.written(), "<alert ")[1:] {
		n, _, _ := strings.Cut(s, ">")
		all = append(all, n)
	}
	return all
}

func TestInboxAlerts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := sitAt(t, &Options{Alert: func(n int) string { return fmt.Sprintf("<alert %d>", n) }}, databases())
		want := func(why string, alerts ...string) {
			t.Helper()
			r.wait(time.Second)
			if got := r.alerts(); !slices.Equal(got, alerts) {
				t.Fatalf("%s: %q, want %q", why, got, alerts)
			}
		}
		want("what waited already")
		r.submit(another(1))
		want("the inbox has just been opened")
		r.wait(2 * time.Minute)
		r.submit(another(2))
		want("nobody pressed a key for two minutes", "3")
		r.submit(another(3))
		want("another one in the same moment", "3")
		r.wait(time.Minute)
		r.press("down")
		r.submit(another(4))
		want("a key was pressed just now", "3")
		r.program.Send(tea.BlurMsg{})
		r.submit(another(5))
		want("another window is in front", "3", "6")
		r.wait(30 * time.Second)
		r.program.Send(tea.FocusMsg{})
		r.submit(another(6))
		want("the window is in front again", "3", "6")
		r.program.Send(tea.BlurMsg{})
		r.slowly("enter") // also with a dialog open
		r.wait(2 * time.Minute)
		r.submit(another(7))
		want("in a dialog", "3", "6", "8")

		if raw := r.written(); !strings.Contains(raw, "\x1b]2;sayso: 8 waiting\a") || strings.Contains(raw, "\x1b]2;owned") {
			t.Errorf("the title: %q", raw)
		}
	})
}

func TestInboxSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := sitAt(t, &Options{}, databases())
		r.wait(2 * time.Minute)
		r.submit(another(1))
		r.wait(time.Second)
		if raw := r.written(); strings.Contains(raw, "\x1b]2;") || strings.Contains(raw, "\x1b[?1004h") {
			t.Errorf("written: %q", raw)
		}
	})
}

// curious is an inbox of a hub that wants to know where the person is.
type curious struct {
	hub.Inbox
	mu       sync.Mutex
	attended []string
}

func (c *curious) Attend(_ context.Context, seen *hub.Ticket) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attended = append(c.attended, seen.Address.ID)
	return nil
}

func TestInboxAttends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		r := &room{t: t, hub: h}
		first := r.submit(databases()).Address.ID
		c := &curious{Inbox: h.Inbox("t", ann)}
		r.sitDown(c, terminal{w: 80, h: 30}, &Options{Guard: -1, By: ann})
		t.Cleanup(h.Stop)
		want := func(why string, n int) {
			t.Helper()
			r.wait(time.Second)
			c.mu.Lock()
			defer c.mu.Unlock()
			if len(c.attended) != n || slices.ContainsFunc(c.attended, func(id string) bool { return id != first }) {
				t.Fatalf("%s: %q, want %d", why, c.attended, n)
			}
		}
		r.press("down", "up")
		want("in the list", 0)
		r.press("enter")
		want("it is only open", 0)
		r.press("down")
		want("a key", 1)
		r.press("up", "down", "up")
		want("more keys", 1)
		r.wait(20 * time.Second)
		want("no key", 1)
		r.press("down")
		want("a key later", 2)
		r.program.Send(tea.PasteMsg{Content: "x"})
		r.wait(30 * time.Second)
		r.program.Send(tea.PasteMsg{Content: "y"})
		want("pasted later", 3)
	})
}

// TestInboxTitle wants the title of the window to be what it was before.
func TestInboxTitle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(h.Stop)
		p := &person{t: t}
		t.Cleanup(p.faces(terminal{w: 80, h: 30}))
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		on := &screen{out: p, width: func() int { return 80 }, options: p.options(terminal{w: 80, h: 30})}
		if err := runInbox(ctx, h.Inbox("t", ann), &Options{By: ann, Alert: func(int) string { return "\a" }}, on); err != nil {
			t.Fatal(err)
		}
		raw := []byte(p.written())
		push, set, pop := bytes.Index(raw, []byte(pushTitle)), bytes.Index(raw, []byte("\x1b]2;sayso\a")), bytes.Index(raw, []byte(popTitle))
		if push < 0 || set < push || pop < set || bytes.Contains(raw[pop:], []byte("\x1b]2;")) {
			t.Errorf("written: %q", raw)
		}
	})
}
