package webhook

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/outbound"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/hub"
)

// receiver is a strict one: it takes what is signed, once.
type receiver struct {
	*httptest.Server
	keys [][]byte

	mu    sync.Mutex
	now   time.Time
	got   []request
	seen  map[string]bool
	reply func(w http.ResponseWriter)
}

type request struct {
	id   string
	body []byte
	Message
	again bool
}

func newReceiver(t *testing.T, a *Address) *receiver {
	t.Helper()
	keys, err := a.keys()
	if err != nil {
		t.Fatal(err)
	}
	r := &receiver{keys: keys, seen: make(map[string]bool), now: epoch}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		body, _ := io.ReadAll(req.Body)
		id := req.Header.Get("webhook-id")
		got := request{id: id, body: body, again: r.seen[id]}
		r.seen[id] = true
		d := json.NewDecoder(strings.NewReader(string(body)))
		d.DisallowUnknownFields()
		switch want := sign(r.keys, id, r.now, body); {
		case req.Method != "POST" || req.Header.Get("Content-Type") != "application/json":
			t.Errorf("%s of %s", req.Method, req.Header.Get("Content-Type"))
		case req.Header.Get("webhook-timestamp") != "1772366460":
			t.Errorf("timestamp %s", req.Header.Get("webhook-timestamp"))
		case req.Header.Get("webhook-signature") != want:
			t.Errorf("signature %s, want %s", req.Header.Get("webhook-signature"), want)
		case d.Decode(&got.Message) != nil:
			t.Errorf("body %s", body)
		case len(body) > 20<<10:
			t.Errorf("%d bytes", len(body))
		}
		r.got = append(r.got, got)
		if r.reply != nil {
			r.reply(w)
		}
	}))
	t.Cleanup(r.Close)
	a.URL = r.URL + "/secret-path?token=s3cret"
	return r
}

func (r *receiver) taken() []request {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got = nil
	return got
}

var epoch = time.Date(2026, 3, 1, 12, 1, 0, 0, time.UTC)

var inside = &outbound.Options{Allow: []string{"127.0.0.1"}}

func setUp(t *testing.T) (*Channel, *receiver, *notify.Contact, *Address) {
	t.Helper()
	a := &Address{URL: "https://example.org/", Secrets: []string{NewSecret()}}
	r := newReceiver(t, a)
	c := New(&Options{Client: outbound.Client(inside), Now: func() time.Time { return epoch }, Handle: func(a hub.Address) string { return "h-" + a.ID }})
	t.Cleanup(c.opts.Client.CloseIdleConnections)
	return c, r, contact(a), a
}

func contact(a *Address) *notify.Contact {
	raw, _ := json.Marshal(a)
	return &notify.Contact{Tenant: "local", ID: "webhook-1", Kind: notify.Webhook, Address: raw}
}

func open() *hub.Ticket {
	a := &sayso.Ask{ID: "a", AskedAt: epoch.Add(-time.Minute), Questions: []sayso.Question{{Text: "Which database?"}}}
	a.Normalize()
	return &hub.Ticket{Address: hub.Address{Tenant: "local", ID: "a"}, Ask: a, Digest: a.Digest(), Revision: 1}
}

func closed(t *hub.Ticket) *hub.Ticket {
	c := *t
	c.Revision++
	c.Outcome = &sayso.Outcome{Status: sayso.StatusAnswered, At: epoch.Add(-time.Second), Answers: []sayso.Answer{{QuestionID: "q1", Other: "SQLite"}}}
	return &c
}

func undone(t *hub.Ticket) *hub.Ticket {
	c := *t
	c.Revision++
	c.History, c.Outcome = append(c.History, hub.Entry{Outcome: t.Outcome, Why: hub.Undone}), nil
	return &c
}

func note(tickets ...*hub.Ticket) *notify.Note {
	m := &notify.Matter{Key: "k1", Token: "token", Alert: true, Asks: tickets, Inbox: "https://hub.example/", Now: epoch}
	if len(tickets) == 1 {
		m.URL = "https://hub.example/ask/h-a"
	}
	return notify.Compose(&notify.Contact{Detail: notify.DetailText}, notify.Limits{Machine: true, Again: true}, m)
}

func TestPut(t *testing.T) {
	c, r, to, _ := setUp(t)
	put := func(n *notify.Note, where string, wantBody string) (string, string) {
		t.Helper()
		where, err := c.Put(t.Context(), to, n, where)
		if err != nil {
			t.Fatal(err)
		}
		got := r.taken()
		if wantBody == "" {
			if len(got) > 0 {
				t.Errorf("it is sent again: %s", got[0].body)
			}
			return where, ""
		}
		if len(got) != 1 || string(got[0].body) != wantBody {
			t.Fatalf("got %+v\nwant %s", got, wantBody)
		}
		if got[0].again {
			t.Errorf("two messages are called %s", got[0].id)
		}
		return where, got[0].id
	}
	waiting := `{"type":"ask.waiting","timestamp":"2026-03-01T12:00:00Z","data":{"id":"h-a","kind":"questions","url":"https://hub.example/ask/h-a","status":"pending","waiting":1}}`
	first := open()
	where, id := put(note(first), "", waiting)
	if where != id || len(where) > 256 {
		t.Errorf("it is at %q, want %q", where, id)
	}
	touched := *first
	touched.Revision++
	where, _ = put(note(&touched), where, "") // somebody begins to answer
	end := closed(&touched)
	where, _ = put(note(end), where, `{"type":"ask.closed","timestamp":"2026-03-01T12:00:59Z","data":{"id":"h-a","kind":"questions","url":"https://hub.example/ask/h-a","status":"answered","waiting":0}}`)
	if where != "" {
		t.Errorf("it is at %q after its end", where)
	}
	where, _ = put(note(undone(end)), where, waiting)
	put(note(closed(undone(end))), where, `{"type":"ask.closed","timestamp":"2026-03-01T12:00:59Z","data":{"id":"h-a","kind":"questions","url":"https://hub.example/ask/h-a","status":"answered","waiting":0}}`)

	wants := open()
	ask := *wants.Ask
	wants.Ask, wants.Digest, ask.Kind = &ask, "e", sayso.AskApproval
	put(note(wants), "", strings.Replace(waiting, "questions", "approval", 1))

	other := open()
	other.Address.ID, other.Digest = "b", "d"
	put(note(first, other), "", `{"type":"ask.waiting","timestamp":"2026-03-01T12:00:00Z","data":{"url":"https://hub.example/","waiting":2}}`)
	put(&notify.Note{Key: "k2", Token: "t2", Test: true, URL: "https://hub.example/"}, "", `{"type":"test","timestamp":"2026-03-01T12:01:00Z","data":{"url":"https://hub.example/","waiting":0}}`)
	put(&notify.Note{Key: "k2", Token: "t3", Test: true}, "", `{"type":"test","timestamp":"2026-03-01T12:01:00Z","data":{"waiting":0}}`)
}

// What is sent again, after a failure or a crash, has the same id and the same body.
func TestAgain(t *testing.T) {
	c, r, to, _ := setUp(t)
	r.reply = func(w http.ResponseWriter) { w.WriteHeader(500) }
	n := note(open())
	for range 2 {
		if where, err := c.Put(t.Context(), to, n, ""); err == nil || where != "" {
			t.Fatal(where, err)
		}
	}
	r.reply = nil
	if _, err := c.Put(t.Context(), to, n, ""); err != nil {
		t.Fatal(err)
	}
	got := r.taken()
	if len(got) != 3 || !got[1].again || !got[2].again || string(got[0].body) != string(got[2].body) {
		t.Errorf("got %+v", got)
	}
}

func TestAnswers(t *testing.T) {
	tests := []struct {
		status int
		after  string
		gone   bool
		want   time.Duration
	}{
		{status: 200, want: -1}, {status: 201, want: -1}, {status: 204, want: -1}, {status: 299, want: -1},
		{status: 301}, {status: 302}, {status: 304}, {status: 307}, {status: 308}, {status: 400}, {status: 401}, {status: 404},
		{status: 410, gone: true},
		{status: 429, after: "120", want: 2 * time.Minute},
		{status: 503, after: "Sun, 01 Mar 2026 12:11:00 GMT", want: 10 * time.Minute},
		{status: 503, after: "Sun, 01 Mar 2026 11:00:00 GMT"},
		{status: 503, after: "99999999", want: 24 * time.Hour},
		{status: 503, after: "-5"}, {status: 503, after: "soon"}, {status: 500}, {status: 502},
	}
	for _, tt := range tests {
		t.Run(http.StatusText(tt.status)+" "+tt.after, func(t *testing.T) {
			c, r, to, _ := setUp(t)
			r.reply = func(w http.ResponseWriter) {
				w.Header().Set("Location", "/elsewhere")
				w.Header().Set("Retry-After", tt.after)
				w.WriteHeader(tt.status)
			}
			where, err := c.Put(t.Context(), to, note(open()), "")
			var retry *notify.RetryError
			switch {
			case tt.want < 0:
				if err != nil || where == "" {
					t.Errorf("%q, %v", where, err)
				}
			case tt.gone:
				if !errors.Is(err, notify.ErrGone) {
					t.Error(err)
				}
			case !errors.As(err, &retry) || retry.After != tt.want || retry.Never || where != "":
				t.Errorf("%q, %+v", where, err)
			}
			if err != nil && (strings.Contains(err.Error(), "secret-path") || strings.Contains(err.Error(), "s3cret")) {
				t.Errorf("the address is in the error: %v", err)
			}
			if len(r.taken()) != 1 {
				t.Error("more than one request")
			}
		})
	}
}

// Nobody is there: the error does not tell the address, which may be a secret.
func TestUnreachable(t *testing.T) {
	c, r, to, _ := setUp(t)
	r.Close()
	_, err := c.Put(t.Context(), to, note(open()), "")
	if err == nil || strings.Contains(err.Error(), "secret-path") || !strings.Contains(err.Error(), "127.0.0.1") {
		t.Error(err)
	}
}

// Without the operator's word no request reaches this machine.
func TestInside(t *testing.T) {
	_, r, _, a := setUp(t)
	for _, scheme := range []string{"http://", "https://"} {
		a.URL = scheme + strings.TrimPrefix(r.URL, "http://")
		if _, err := New(nil).Put(t.Context(), contact(a), note(open()), ""); !errors.Is(err, outbound.ErrRefused) {
			t.Error(err)
		}
	}
	if len(r.taken()) > 0 {
		t.Error("it was reached")
	}
}

func TestBadContact(t *testing.T) {
	for _, raw := range []string{``, `{}`, `[]`, `{"url":"https://example.org"}`, `{"url":"https://example.org","secrets":["whsec_x"]}`} {
		_, err := New(nil).Put(t.Context(), &notify.Contact{Address: json.RawMessage(raw)}, note(open()), "")
		var retry *notify.RetryError
		if !errors.As(err, &retry) || !retry.Never {
			t.Errorf("%s: %v", raw, err)
		}
	}
}
