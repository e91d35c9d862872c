package webpush_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/pushtest"
	"github.com/saysohq/sayso/app/surface/notify/webpush"
	"github.com/saysohq/sayso/hub"
)

// world is a channel, the push service and a browser that subscribed there.
type world struct {
	c       *webpush.Channel
	service *pushtest.Server
	browser *pushtest.Browser
	to      *notify.Contact
}

func newWorld(t *testing.T) *world {
	t.Helper()
	key, err := webpush.SharedKey(t.Context(), hub.NewMemory(nil))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{service: pushtest.New(t)}
	w.c = webpush.New(&webpush.Options{Key: key, Allow: []string{w.service.Host()}})
	w.browser = w.service.Browser(w.c.PublicKey())
	at, err := w.c.Address(w.browser.Subscription(), "https://my.name", "")
	if err != nil {
		t.Fatal(err)
	}
	w.to = &notify.Contact{Kind: notify.Push, Detail: notify.DetailSender, Address: at}
	return w
}

func note() *notify.Note {
	return &notify.Note{Key: "note1", Alert: true, Title: "claude-code asks", Body: "1 question waits", URL: "https://my.name/ask/h1", Waiting: 1}
}

// TestPut shows, replaces and withdraws.
func TestPut(t *testing.T) {
	w := newWorld(t)
	where, err := w.c.Put(t.Context(), w.to, note(), "")
	if err != nil || where == "" {
		t.Fatal(where, err)
	}
	if got := w.browser.Shown()["note1"]; got.Title != "claude-code asks" || got.Navigate != "https://my.name/ask/h1" {
		t.Errorf("shown: %+v", w.browser.Shown())
	}
	n := note()
	n.Round, n.Body = 1, "2 questions wait"
	if where, err = w.c.Put(t.Context(), w.to, n, where); err != nil {
		t.Fatal(err)
	}
	if got := w.browser.Shown(); len(got) != 1 || got["note1"].Body != "2 questions wait" || w.browser.Rang() != 2 {
		t.Errorf("after a reminder: %+v, rang %d times", got, w.browser.Rang())
	}
	n.Alert = false
	if where, err = w.c.Put(t.Context(), w.to, n, where); err != nil || w.browser.Rang() != 2 {
		t.Errorf("a change made itself noticed: %v", err)
	}
	if where, err = w.c.Put(t.Context(), w.to, &notify.Note{Key: "note1", Over: true}, where); err != nil || where != "" {
		t.Error(where, err)
	}
	if got := w.browser.Shown(); len(got) != 0 {
		t.Errorf("after the end: %+v", got)
	}
	for i, m := range w.service.Sent() {
		if m.Topic != "note1" || m.TTL != 24*3600 || m.Subject != webpush.Project || m.Urgency != []string{"high", "high", "normal", "normal"}[i] {
			t.Errorf("message %d: %+v", i, m)
		}
		if len(m.Plain) > 500 || len(m.Body) != 86+16+256 && len(m.Body) != 86+16+512 {
			t.Errorf("message %d: %d bytes, %d on the wire", i, len(m.Plain), len(m.Body))
		}
	}
}

func TestTTL(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct {
		in   time.Duration
		want int
	}{{time.Hour, 3599}, {48 * time.Hour, 24 * 3600}, {-time.Hour, 60}} {
		n := note()
		n.Until = time.Now().Add(tt.in)
		if _, err := w.c.Put(t.Context(), w.to, n, ""); err != nil {
			t.Fatal(err)
		}
		sent := w.service.Sent()
		if got := sent[len(sent)-1].TTL; got < tt.want-60 || got > tt.want+1 {
			t.Errorf("%v: TTL %d", tt.in, got)
		}
	}
}

// TestFaults: what each reply of a push service means.
func TestFaults(t *testing.T) {
	w := newWorld(t)
	var retry *notify.RetryError
	for _, tt := range []struct {
		status     int
		retryAfter string
		want       func(error) bool
	}{
		{404, "", func(err error) bool { return errors.Is(err, notify.ErrGone) }},
		{410, "", func(err error) bool { return errors.Is(err, notify.ErrGone) }},
		{413, "", func(err error) bool { return errors.As(err, &retry) && retry.Never }},
		{429, "120", func(err error) bool { return errors.As(err, &retry) && !retry.Never && retry.After == 2*time.Minute }},
		{429, "", func(err error) bool { return errors.As(err, &retry) && !retry.Never && retry.After == 0 }},
		{503, "99999999999", func(err error) bool { return errors.As(err, &retry) && retry.After == 0 }},
		{503, "1000000", func(err error) bool { return errors.As(err, &retry) && retry.After == 24*time.Hour }},
		{503, "Thu, 01 Jan 1970 00:00:00 GMT", func(err error) bool { return errors.As(err, &retry) && retry.After == 0 }},
		{500, "", func(err error) bool { return errors.As(err, &retry) && !retry.Never }},
		{403, "", func(err error) bool { return err != nil && !errors.As(err, &retry) && !errors.Is(err, notify.ErrGone) }},
		{302, "", func(err error) bool { return err != nil && !errors.As(err, &retry) && !errors.Is(err, notify.ErrGone) }},
	} {
		retry = nil
		w.service.Fail(tt.status, tt.retryAfter)
		where, err := w.c.Put(t.Context(), w.to, note(), "")
		if where != "" || !tt.want(err) {
			t.Errorf("%d %q: %q, %v", tt.status, tt.retryAfter, where, err)
		}
		if tt.status == 403 && !strings.Contains(err.Error(), "the test wants this") {
			t.Errorf("what the service said is missing: %v", err)
		}
		if err != nil && strings.Contains(err.Error(), w.browser.Channel) {
			t.Errorf("the error has the address, with which anybody can send: %v", err)
		}
	}
	w.service.Unsubscribe(w.browser.Channel)
	if _, err := w.c.Put(t.Context(), w.to, note(), ""); !errors.Is(err, notify.ErrGone) {
		t.Errorf("after the end of the subscription: %v", err)
	}
	if len(w.service.Sent()) != 0 {
		t.Error("a message got through")
	}
}

// TestUnreachable: an error does not have the address of the subscription.
func TestUnreachable(t *testing.T) {
	w := newWorld(t)
	key, err := webpush.SharedKey(t.Context(), hub.NewMemory(nil))
	if err != nil {
		t.Fatal(err)
	}
	c := webpush.New(&webpush.Options{Key: key, Allow: []string{w.service.Host()}, Client: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		return nil, errors.New("no network")
	})}})
	_, err = c.Put(t.Context(), w.to, note(), "")
	if err == nil || errors.Is(err, notify.ErrGone) || strings.Contains(err.Error(), w.browser.Channel) || !strings.Contains(err.Error(), "no network") {
		t.Errorf("got %v", err)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestForbidden: an address that is not allowed any more is not used, and ends.
func TestForbidden(t *testing.T) {
	w := newWorld(t)
	key, err := webpush.SharedKey(t.Context(), hub.NewMemory(nil))
	if err != nil {
		t.Fatal(err)
	}
	c := webpush.New(&webpush.Options{Key: key})
	for _, at := range []json.RawMessage{w.to.Address, nil, json.RawMessage(`{}`)} {
		to := *w.to
		to.Address = at
		if _, err := c.Put(t.Context(), &to, note(), ""); !errors.Is(err, notify.ErrGone) {
			t.Errorf("%s: %v", at, err)
		}
	}
	if len(w.service.Sent()) != 0 {
		t.Error("a message was sent")
	}
}

// TestSharedKey: two nodes over one store have one key.
func TestSharedKey(t *testing.T) {
	store := hub.NewMemory(nil)
	a, err := webpush.SharedKey(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	b, err := webpush.SharedKey(t.Context(), store)
	if err != nil || !a.Equal(b) {
		t.Error("two keys over one store", err)
	}
}

// TestSignedOut: a browser whose session has ended is told nothing new, and what it
// shows is still withdrawn.
func TestSignedOut(t *testing.T) {
	w := newWorld(t)
	key, err := webpush.SharedKey(t.Context(), hub.NewMemory(nil))
	if err != nil {
		t.Fatal(err)
	}
	holds, broken := true, error(nil)
	c := webpush.New(&webpush.Options{Key: key, Allow: []string{w.service.Host()},
		Holds: func(_ context.Context, tenant, person, session string) (bool, error) {
			return holds && tenant == "acme" && person == "ann" && session == "s1", broken
		},
		Handle: func(a hub.Address) string { return "handle-" + a.ID },
	})
	b := w.service.Browser(c.PublicKey())
	at, err := c.Address(b.Subscription(), "https://my.name", "")
	if err != nil {
		t.Fatal(err)
	}
	to := &notify.Contact{Tenant: "acme", Person: "ann", Session: "s1", Address: at}
	n := note()
	n.URL, n.Asks = "", []*hub.Ticket{{Address: hub.Address{ID: "7"}}}
	where, err := c.Put(t.Context(), to, n, "")
	if err != nil || b.Shown()["note1"].Navigate != "https://my.name/ask/handle-7" {
		t.Fatalf("%v %+v", err, b.Shown())
	}
	broken = errors.New("no storage")
	if _, err := c.Put(t.Context(), to, n, where); err == nil || errors.Is(err, notify.ErrGone) {
		t.Errorf("nobody can tell: %v", err)
	}
	holds, broken = false, nil
	if _, err := c.Put(t.Context(), to, n, where); !errors.Is(err, notify.ErrGone) {
		t.Errorf("signed out: %v", err)
	}
	if _, err := c.Put(t.Context(), to, &notify.Note{Key: "note1", Over: true}, where); err != nil || len(b.Shown()) != 0 {
		t.Errorf("withdrawing: %v", err)
	}
	if len(w.service.Sent()) != 2 {
		t.Errorf("%d messages", len(w.service.Sent()))
	}
}
