package client_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

func TestInbox(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := f.client(&client.Options{Surface: "terminal"})
	for i := range 5 {
		if _, err := c.Submit(t.Context(), ask(fmt.Sprintf("a%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	in := c.Inbox()
	var seen *hub.Ticket
	err := hub.Each(t.Context(), in, nil, func(got *hub.Ticket) bool { seen = got; return got.Ask.ID != "a4" })
	if err != nil || seen.Ask.ID != "a4" {
		t.Fatalf("got %+v, %v", seen, err)
	}
	if _, err := in.Draft(t.Context(), seen); err == nil {
		t.Error("there is a draft that nobody saved")
	}
	if err := in.SaveDraft(t.Context(), seen, &hub.Draft{Reply: "hm"}); err != nil {
		t.Fatal(err)
	}
	if d, err := in.Draft(t.Context(), seen); err != nil || d.Reply != "hm" {
		t.Errorf("got %+v, %v", d, err)
	}
	closed, err := in.Close(t.Context(), seen, answered(seen.Ask, "SQLite"))
	if err != nil || closed.Outcome.By.Surface != "terminal" {
		t.Fatalf("got %+v, %v", closed, err)
	}
	if open, err := in.Undo(t.Context(), closed); err != nil || !open.Open() {
		t.Errorf("got %+v, %v", open, err)
	}
	if _, err := in.Close(t.Context(), &hub.Ticket{Address: hub.Address{ID: "none"}}, answered(seen.Ask, "x")); err == nil {
		t.Error("an ask that does not exist was answered")
	}
}

// TestWatch reads streams that break off in every awkward place.
func TestWatch(t *testing.T) {
	t.Parallel()
	ticket := func(id string) string {
		return fmt.Sprintf(`{"id":%q,"ask":{"id":%q,"questions":[]}}`, id, id)
	}
	connections := []string{
		"event: reset\nid: 1\n\nevent: ask\nid: 2\ndata: " + ticket("a") + "\n\n: alive\n\nevent: ready\nid: 3\ndata: {\"open\":1}\n\n",
		"event: ask\nid: 4\ndata: " + ticket("b") + "\n\nevent: ask\nid: 5\ndata: {\"id\":", // torn: told again
		"event: ask\r\nid: 5\r\ndata: " + ticket("c") + "\r\n\r\n",
		"event: unheard-of\nid: 6\ndata: x\n\n",
		"event: reset\nid: 7\n\nevent: ask\nid: 8\ndata: " + strings.Replace(ticket("d"), ",", ",\ndata: ", 1) + "\n\n",
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var mu sync.Mutex
	var from []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		from = append(from, r.Header.Get("Last-Event-ID"))
		n := len(from)
		mu.Unlock()
		if n > len(connections)+1 {
			cancel() // the silent one was left for another
		}
		if n > len(connections) {
			<-r.Context().Done()
			return
		}
		w.Write([]byte(connections[n-1]))
	}))
	defer srv.Close()
	opts := &client.Options{Silence: 100 * time.Millisecond}
	opts.Pause.Min, opts.Pause.Max = time.Millisecond, time.Millisecond
	c, err := client.New(srv.URL, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var told []string
	c.Watch(ctx, nil, func(ch hub.Change) {
		switch {
		case ch.Reset:
			told = append(told, "reset")
		case ch.Ready:
			told = append(told, "ready")
		default:
			told = append(told, ch.Ticket.Handle)
		}
	})
	if want := []string{"reset", "a", "ready", "b", "c", "reset", "d"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	mu.Lock()
	defer mu.Unlock()
	if want := []string{"", "3", "4", "5", "6", "8"}; !slices.Equal(from[:6], want) {
		t.Errorf("resumed behind %q, want %q", from[:6], want)
	}
}

func TestWatchRefused(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.spoil(func(w http.ResponseWriter, r *http.Request) bool { w.WriteHeader(http.StatusUnauthorized); return true })
	err := f.client(nil).Inbox().Watch(t.Context(), func(hub.Change) {})
	if err == nil || t.Context().Err() != nil {
		t.Errorf("got %v", err)
	}
}

func TestInboxAttends(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	var path string
	f.spoil(func(w http.ResponseWriter, r *http.Request) bool {
		path = r.Method + " " + r.URL.Path
		w.WriteHeader(http.StatusNoContent)
		return true
	})
	in, ok := f.client(nil).Inbox().(interface {
		Attend(context.Context, *hub.Ticket) error
	})
	if !ok {
		t.Fatal("the inbox cannot say where the person is")
	}
	if err := in.Attend(t.Context(), &hub.Ticket{Handle: "h1"}); err != nil || path != "POST /v1/asks/h1/attend" {
		t.Errorf("it asked for %q, %v", path, err)
	}
}
