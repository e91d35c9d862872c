package web_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/surface/web"
	"github.com/saysohq/sayso/hub"
)

const typed = "\n two lines\nof <text> "

// TestSignedOut: a form that comes without a session is handed back with everything
// in it, and can be sent after signing in.
func TestSignedOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket, page := w.ask(threeQuestions())
	b := w.browse("ann")
	b.open(page)
	b.tick(b.form(), "q0", "option:o2")
	b.tick(b.form(), "q1", "option:o1")
	b.write(b.form(), "t2", typed)
	in := b.c.Jar
	b.c.Jar = newJar()
	b.press(b.form(), nil)
	if s := b.main(false); !strings.Contains(s, "You are signed out") || !strings.Contains(s, "Nothing was sent") || !strings.Contains(s, "<text>") || strings.Contains(s, "database") {
		t.Fatalf("the page says\n%s", s)
	}
	b.c.Jar = in
	b.press(find(b.doc, func(n *node) bool { return n.Data == "form" }), nil)
	if s := b.main(false); !strings.Contains(s, "Nothing was sent yet") || w.outcome(ticket) != nil {
		t.Fatalf("the page says\n%s", s)
	}
	b.press(b.form(), nil)
	o := w.outcome(ticket)
	if o == nil || o.Answers[2].Other != typed || o.Answers[0].Selected[0] != "o2" {
		t.Errorf("stored %+v", o)
	}
}

// broken is a store that fails while it is told to.
type broken struct {
	hub.Store
	reads, writes atomic.Bool
}

func (s *broken) Get(ctx context.Context, k hub.Kind, a hub.Address) (hub.Record, error) {
	if s.reads.Load() {
		return hub.Record{}, errors.New("no disk")
	}
	return s.Store.Get(ctx, k, a)
}

func (s *broken) Put(ctx context.Context, r hub.Record, revision uint64) (uint64, error) {
	if s.writes.Load() {
		return 0, errors.New("no disk")
	}
	return s.Store.Put(ctx, r, revision)
}

func (s *broken) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	if s.reads.Load() {
		return hub.Page{}, errors.New("no disk")
	}
	return s.Store.List(ctx, q)
}

// TestBrokenStore: whatever the hub cannot do, the page has what was typed, claims
// nothing, and sends it when the hub can.
func TestBrokenStore(t *testing.T) {
	t.Parallel()
	store := &broken{Store: hub.NewMemory(nil)}
	h, err := hub.Open(t.Context(), store, &hub.Options{Patience: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	w := &world{t: t, hub: h, sessions: auth.NewSessions(store, nil)}
	t.Cleanup(w.sessions.Close)
	w.site = web.New(h, w.sessions, &web.Options{Grace: -1})
	w.http = httptest.NewServer(w.site)
	t.Cleanup(w.http.Close)
	for what, fails := range map[string]*atomic.Bool{"reads": &store.reads, "writes": &store.writes} {
		ticket, page := w.ask(words("What name? " + what))
		b := w.browse("ann")
		b.open(page)
		b.write(b.form(), "t0", typed)
		fails.Store(true)
		b.press(b.form(), nil)
		s := b.main(false)
		if !strings.Contains(s, "<text>") || !strings.Contains(s, "Nothing was sent") && !strings.Contains(s, "may not have been sent") {
			t.Errorf("%s: the page says\n%s", what, s)
		}
		fails.Store(false)
		if b.form() == nil {
			b.press(find(b.doc, func(n *node) bool { return n.Data == "form" }), nil)
		}
		b.press(b.form(), nil)
		if o := w.outcome(ticket); o == nil || o.Answers[0].Other != typed {
			t.Errorf("%s: stored %+v, the page says\n%s", what, o, b.main(false))
		}
	}
}

// TestConfirmed: what is confirmed is what is sent. A confirmation of something else
// is none.
func TestConfirmed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := &sayso.Ask{Questions: []sayso.Question{
		{Text: "What about the table?", Options: []sayso.Option{{Label: "Keep"}, {Label: "Drop", Danger: true}, {Label: "Truncate", Danger: true, Description: "empties it"}}},
		{Text: "And the backups?", Multi: true, Options: []sayso.Option{{Label: "Delete", Danger: true}, {Label: "Move"}}},
	}}
	ticket, page := w.ask(a)
	b := w.browse("ann")
	sure := func(n *node) bool { return get(n, "class") == "danger" && n.Data == "button" }
	b.open(page)
	b.tick(b.form(), "q0", "option:o2")
	b.press(b.form(), nil)
	if s := b.main(false); !strings.Contains(s, "Question 2 still needs an answer") {
		t.Fatalf("the page says\n%s", s)
	}
	b.press(b.form(), button("partial"))
	if s := textOf(find(b.doc, sure), true); s != "Yes, send “Drop”\n" {
		t.Fatalf("the button says %q in\n%s", s, b.main(false))
	}
	for _, change := range [][3]string{{"q0", "option:o3", "Yes, send “Truncate”\n"}, {"q1", "option:o1", "Yes, send “Truncate” and “Delete”\n"}} {
		b.tick(b.form(), change[0], change[1])
		b.press(b.form(), sure)
		if o := w.outcome(ticket); o != nil {
			t.Fatalf("%+v was sent with a confirmation of something else", o)
		}
		if s := textOf(find(b.doc, sure), true); s != change[2] {
			t.Errorf("the button says %q", s)
		}
	}
	if b.press(b.form(), sure); w.outcome(ticket) == nil {
		t.Errorf("not sent:\n%s", b.main(false))
	}
}

// TestTooWeak: a question that this session cannot answer says so before the form,
// and has nothing to send.
func TestTooWeak(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := threeQuestions()
	a.MinAssurance = sayso.AssurancePasskey
	ticket, page := w.ask(a)
	b := w.browse("ann")
	b.open(page)
	s := b.main(false)
	needs, question := strings.Index(s, "An answer needs a passkey."), strings.Index(s, "Which database?")
	if needs < 0 || needs > question || find(b.form(), func(n *node) bool { return n.Data == "button" }) != nil {
		t.Errorf("the page says\n%s", s)
	}
	r := w.post(w.c, page, form(ticket.Digest, "q0", "option:o2", "q1", "option:o1", "t2", "kept"))
	if r.code != http.StatusForbidden || !strings.Contains(r.body, "a stronger sign-in") || !strings.Contains(r.body, "kept") || w.outcome(ticket) != nil {
		t.Errorf("got %d", r.code)
	}
}

// TestMarks: who asks, and every mark, in the list and on the page; nothing of it
// once the ask is closed.
func TestMarks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for in, want := range map[time.Duration]string{20 * time.Second: "due now", 25 * time.Minute: "due in 25 min", 3 * time.Hour: "due in 3 h", 100 * time.Hour: "due in 4 days"} {
		a := threeQuestions()
		a.Deadline = time.Now().Add(in)
		a.Questions[0].Options[1].Danger = true
		a.Origin.Asker, a.Origin.Via = "deploy-bot", "http"
		a.Metadata = map[string]any{"blocked": map[string]any{"tools": []any{"deploy"}}}
		ticket, page := w.ask(a)
		b := w.browse("ann")
		b.open("/")
		row := textOf(find(b.doc, byID("li-"+strings.TrimPrefix(page, "/ask/"))), true)
		b.open(page)
		for _, mark := range []string{"Asked by: deploy-bot (over http)", "Says it is: planner ▸ researcher · payments-api @ main", want, "dangerous"} {
			if !strings.Contains(row, mark) || !strings.Contains(strings.Join(strings.Fields(b.main(false)), " "), mark) {
				t.Errorf("no %q in the row\n%s\nor on the page\n%s", mark, row, b.main(false))
			}
		}
		if !strings.Contains(row, "holds up 1") {
			t.Errorf("the row does not say what is held up: %s", row)
		}
		b.press(b.form(), button("decline"))
		if s := b.main(false); strings.Contains(s, want) || strings.Contains(s, "Held up") || w.outcome(ticket) == nil {
			t.Errorf("the closed ask says\n%s", s)
		}
	}
}

// TestTooLong: a form that is too long is refused with a sentence.
func TestTooLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticket, page := w.ask(words("What name?"))
	for _, path := range []string{page, page + "/draft"} {
		r := w.post(w.c, path, url.Values{"digest": {ticket.Digest}, "t0": {strings.Repeat("x", 2<<20)}})
		if r.code != http.StatusRequestEntityTooLarge || w.outcome(ticket) != nil {
			t.Errorf("%s: %d %s", path, r.code, r.body)
		}
	}
}
