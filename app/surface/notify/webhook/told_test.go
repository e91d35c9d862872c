package webhook_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/webhook"
	"github.com/saysohq/sayso/hub"
)

// receiver is the other end, without a network: time is the test's.
type receiver struct {
	mu     sync.Mutex
	down   int // how many requests fail
	after  string
	status int
	got    []got
}

type got struct {
	id, kind, ask string
	at            time.Time
	ok            bool
}

func (r *receiver) RoundTrip(req *http.Request) (*http.Response, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var m webhook.Message
	_ = json.NewDecoder(req.Body).Decode(&m)
	g := got{req.Header.Get("webhook-id"), m.Type, m.Data.ID, time.Now(), r.down == 0}
	r.got = append(r.got, g)
	res := &http.Response{StatusCode: 204, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: req}
	if r.down > 0 {
		r.down--
		res.StatusCode = r.status
		res.Header.Set("Retry-After", r.after)
	}
	return res, nil
}

func (r *receiver) all() []got {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]got(nil), r.got...)
}

type world struct {
	*testing.T
	store hub.Store
	hub   *hub.Hub
	n     *notify.Notifier
	to    *receiver
}

func newWorld(t *testing.T) *world {
	store := hub.NewMemory(nil)
	h, err := hub.Open(t.Context(), store, &hub.Options{Key: []byte("a key for these tests")})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, store: store, hub: h, to: &receiver{status: 503}}
	w.start()
	a, err := webhook.NewAddress("https://hooks.example.com/", nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(a)
	if _, err := w.n.Add(t.Context(), &notify.Contact{Tenant: "home", Kind: notify.Webhook, Address: raw}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.n.Close(); h.Stop() })
	return w
}

func (w *world) start() {
	c := webhook.New(&webhook.Options{Client: &http.Client{Transport: w.to}, Handle: w.hub.Handle})
	w.n = notify.Start(w.hub, w.store, &notify.Options{Node: "a", Alone: true, Channels: map[notify.Kind]notify.Channel{notify.Webhook: c}})
}

func (w *world) ask() *hub.Ticket {
	w.Helper()
	a := &sayso.Ask{ID: "a", Origin: sayso.Origin{Host: "some-agent"}, Questions: []sayso.Question{{Text: "Which database?"}}}
	a.Normalize()
	t, err := w.hub.Submit(w.Context(), "home", a)
	if err != nil {
		w.Fatal(err)
	}
	return t
}

func (w *world) told() notify.Told {
	w.Helper()
	log, err := w.n.Log(w.Context(), "home", "", 10)
	if err != nil || len(log) != 1 {
		w.Fatalf("%d records, %v", len(log), err)
	}
	return log[0]
}

// A receiver that is down gets the message later, also from another process, and always
// the same one. What was tried is written down.
func TestRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.to.down = 4
		ask := w.ask()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if told := w.told(); told.Attempts != 1 || !strings.Contains(told.Error, "503") || told.Retry.IsZero() {
			t.Errorf("after the first attempt: %+v", told)
		}
		time.Sleep(30 * time.Second)
		synctest.Wait()
		before := w.told()
		if before.Attempts < 2 {
			t.Errorf("after half a minute: %+v", before)
		}
		w.n.Close()
		w.start()
		synctest.Wait()
		if now := w.told(); now.Attempts != before.Attempts {
			t.Errorf("after a restart: %+v", now)
		}
		time.Sleep(6 * time.Hour)
		synctest.Wait()
		if told := w.told(); told.Attempts != 0 || told.Error != "" || told.Where == "" {
			t.Errorf("after its arrival: %+v", told)
		}
		if _, err := w.hub.Close(t.Context(), ask, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Other: "SQLite"}}, By: sayso.Responder{Kind: sayso.ByPerson, Surface: "web"}}, nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		all := w.to.all()
		if len(all) != 6 {
			t.Fatalf("%+v", all)
		}
		for i, g := range all[:5] {
			if g.kind != webhook.TypeWaiting || g.id != all[0].id || g.ok != (i == 4) || g.ask != w.hub.Handle(ask.Address) {
				t.Errorf("%d: %+v", i, g)
			}
			if i > 0 && i < 4 && g.at.Sub(all[i-1].at) < time.Second {
				t.Errorf("%d came %v after the last", i, g.at.Sub(all[i-1].at))
			}
		}
		if last := all[5]; last.kind != webhook.TypeClosed || last.id == all[0].id || !last.ok {
			t.Errorf("%+v", last)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.to.down, w.to.after = 1, "1800"
		w.ask()
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		all := w.to.all()
		if len(all) != 2 || all[1].at.Sub(all[0].at).Round(time.Minute) != 30*time.Minute {
			t.Errorf("%+v", all)
		}
	})
}

// A receiver that wants nothing more gets nothing more.
func TestGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.to.down, w.to.status = 1, 410
		w.ask()
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		all, err := w.n.Contacts(t.Context(), "home", "")
		if err != nil || len(all) != 1 || !all[0].Off {
			t.Errorf("%+v, %v", all, err)
		}
		if len(w.to.all()) != 1 {
			t.Errorf("%+v", w.to.all())
		}
	})
}

// counted counts what the notifier wants, and stops a test that would never end.
type counted struct {
	notify.Channel
	t     *testing.T
	calls atomic.Int64
}

func (c *counted) Limits() notify.Limits { return notify.Limits{Machine: true, Again: true} }

func (c *counted) Put(ctx context.Context, to *notify.Contact, n *notify.Note, where string) (string, error) {
	if c.calls.Add(1) > 100 {
		c.t.Error("it is tried again and again")
		<-ctx.Done()
		return "", ctx.Err()
	}
	return c.Channel.Put(ctx, to, n, where)
}

// What can never be sent is tried once.
func TestNever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		all, err := w.n.Contacts(t.Context(), "home", "")
		if err != nil {
			t.Fatal(err)
		}
		c := &counted{Channel: webhook.New(nil), t: t}
		w.n.SetChannel(notify.Webhook, c)
		if _, err := w.n.Change(t.Context(), "home", "", all[0].ID, func(c *notify.Contact) { c.Address = json.RawMessage("{}") }); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		w.ask()
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		if c.calls.Load() != 1 {
			t.Errorf("%d attempts", c.calls.Load())
		}
	})
}
