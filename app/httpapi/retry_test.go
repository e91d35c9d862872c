package httpapi

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/rules"
	"github.com/saysohq/sayso/hub"
)

// countingStore counts the writes of tickets.
type countingStore struct {
	hub.Store
	mu   sync.Mutex
	puts int
}

func (s *countingStore) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	revision, err := s.Store.Put(ctx, r, expect)
	if err == nil && (r.Kind == hub.KindTicket || r.Kind == hub.KindRule || r.Kind == hub.KindSession && r.Closed) {
		s.mu.Lock()
		s.puts++
		s.mu.Unlock()
	}
	return revision, err
}

func (s *countingStore) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.puts
}

// change is a request that changes something.
type change struct {
	id, who, method string
	prepare         func(t *testing.T, w *world, n int) (path, body string)
	header          string // its idempotency key, if it has one
}

// changes has every mutating route. Drafts are written over, and who is where is not stored, so they are not here.
func changes() []change {
	name := func(n int) string { return fmt.Sprint("a", n) }
	open := func(t *testing.T, w *world, n int) api.Ticket {
		return w.ask(t, name(n), func(a *sayso.Ask) { a.Origin.Conversation = name(n) })
	}
	closed := func(t *testing.T, w *world, n int) api.Ticket {
		tk := open(t, w, n)
		return must[api.Ticket](t, w, "ada", "PUT", "/v1/asks/"+tk.ID+"/answer", answerBody(tk, "pg"))
	}
	call := func(n int) string {
		return fmt.Sprintf(`{"id":"toolu_%d","conversation":%q,"arguments":%s}`, n, name(n), toolCall)
	}
	return []change{
		{"submitAsk", "bot", "POST", func(t *testing.T, w *world, n int) (string, string) {
			return "/v1/asks", fmt.Sprintf(`{"questions":[{"text":"Which %d?"}]}`, n)
		}, "key"},
		{"submitAsk", "bot", "POST", func(t *testing.T, w *world, n int) (string, string) {
			return fmt.Sprint("/v1/asks?dialect=claude&conversation=", name(n), "&toolCall=t", n), toolCall
		}, ""},
		{"answerAsk", "ada", "PUT", func(t *testing.T, w *world, n int) (string, string) {
			tk := open(t, w, n)
			return "/v1/asks/" + tk.ID + "/answer", answerBody(tk, "pg")
		}, ""},
		{"answerAsk", "ada", "PUT", func(t *testing.T, w *world, n int) (string, string) {
			tk := open(t, w, n)
			return "/v1/asks/" + tk.ID + "/answer", answerBody(tk, "pg")
		}, "key"},
		{"declineAsk", "ada", "POST", func(t *testing.T, w *world, n int) (string, string) {
			tk := open(t, w, n)
			return "/v1/asks/" + tk.ID + "/decline", `{"digest":"` + tk.Digest + `"}`
		}, ""},
		{"delegateAsk", "ada", "POST", func(t *testing.T, w *world, n int) (string, string) {
			return "/v1/asks/" + open(t, w, n).ID + "/delegate", `{"to":"bob","comment":"please"}`
		}, ""},
		{"repeatAsk", "ada", "POST", func(t *testing.T, w *world, n int) (string, string) {
			return "/v1/asks/" + closed(t, w, n).ID + "/again", ""
		}, ""},
		{"withdrawAsk", "bot", "POST", func(t *testing.T, w *world, n int) (string, string) {
			return "/v1/asks/" + open(t, w, n).ID + "/withdraw", ""
		}, ""},
		{"consumeAsk", "bot", "POST", func(t *testing.T, w *world, n int) (string, string) {
			return "/v1/asks/" + closed(t, w, n).ID + "/consumed", ""
		}, ""},
		{"undoAnswer", "ada", "POST", func(t *testing.T, w *world, n int) (string, string) {
			return "/v1/asks/" + closed(t, w, n).ID + "/undo", ""
		}, ""},
		{"answerAsk", "ada", "PUT", func(t *testing.T, w *world, n int) (string, string) { // and it is held
			tk := open(t, w, n)
			return "/v1/asks/" + tk.ID + "/answer", strings.TrimSuffix(answerBody(tk, "pg"), "}") + `,"hold":30}`
		}, "key"},
		{"undoAnswer", "ada", "POST", func(t *testing.T, w *world, n int) (string, string) {
			tk := open(t, w, n)
			must[api.Ticket](t, w, "ada", "PUT", "/v1/asks/"+tk.ID+"/answer", strings.TrimSuffix(answerBody(tk, "pg"), "}")+`,"hold":30}`)
			return "/v1/asks/" + tk.ID + "/undo", ""
		}, ""},
		{"amendAnswer", "ada", "POST", func(t *testing.T, w *world, n int) (string, string) {
			tk := closed(t, w, n)
			return "/v1/asks/" + tk.ID + "/amend", answerBody(tk, "lite")
		}, ""},
		{"callTool", "bot", "POST", func(t *testing.T, w *world, n int) (string, string) {
			return "/v1/dialects/claude/call?wait=1ms", call(n)
		}, ""},
		{"callTool", "bot", "POST", func(t *testing.T, w *world, n int) (string, string) {
			asked := must[api.CallResult](t, w, "bot", "POST", "/v1/dialects/claude/call?wait=1ms", call(n))
			must[api.Ticket](t, w, "ada", "POST", "/conversations/"+name(n)+"/respond", `{"ask":"`+asked.Ask+`","answers":{"Which database?":"SQLite"}}`)
			return "/v1/dialects/claude/call?wait=1ms", call(n)
		}, ""},
		{"takeLateResults", "bot", "POST", func(t *testing.T, w *world, n int) (string, string) {
			tk := open(t, w, n)
			o := &sayso.Outcome{Status: sayso.StatusAnswered, Reply: "SQLite", By: sayso.Responder{Kind: sayso.ByPerson, ID: "ada"}, At: time.Now().Add(-time.Hour)}
			if _, err := w.hub.Close(t.Context(), &tk.Ticket, o, nil); err != nil {
				t.Fatal(err)
			}
			return "/v1/conversations/" + name(n) + "/late", ""
		}, ""},
		{"relayAnswer", "bot", "POST", func(t *testing.T, w *world, n int) (string, string) {
			tk := open(t, w, n)
			return "/v1/asks/" + tk.ID + "/relay", answerBody(tk, "pg")
		}, ""},
		{"respondInConversation", "ada", "POST", func(t *testing.T, w *world, n int) (string, string) {
			return "/conversations/" + name(n) + "/respond", `{"ask":"` + open(t, w, n).ID + `","answers":{"Which database?":"PostgreSQL"}}`
		}, ""},
		{"endSession", "ada", "POST", func(t *testing.T, w *world, n int) (string, string) {
			return "/v1/sessions/" + w.signIn(t) + "/end", ""
		}, ""},
		{"addRule", "ada", "POST", func(t *testing.T, w *world, n int) (string, string) {
			noRules(t, w)
			return "/v1/rules", fmt.Sprintf(`{"act":"deny","pattern":{"tool":"T%d"}}`, n)
		}, "key"},
		{"addRequirement", "root", "POST", func(t *testing.T, w *world, n int) (string, string) {
			noRules(t, w)
			return "/v1/rules/require", fmt.Sprintf(`{"act":"require","pattern":{"tool":"T%d"},"people":["ada"]}`, n)
		}, "key"},
		{"revokeRule", "ada", "POST", func(t *testing.T, w *world, n int) (string, string) {
			noRules(t, w)
			return "/v1/rules/" + must[hub.Rule](t, w, "ada", "POST", "/v1/rules", `{"act":"deny","pattern":{"tool":"T"}}`).ID + "/revoke", ""
		}, ""},
		{"cancelInConversation", "ada", "POST", func(t *testing.T, w *world, n int) (string, string) {
			open(t, w, n)
			return "/conversations/" + name(n) + "/cancel", ""
		}, ""},
	}
}

// noRules makes room for one: a person may have so many.
func noRules(t *testing.T, w *world) {
	if err := w.opts.Rules.Reset(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
}

// TestLostReply cuts the reply of every mutating route after the server acted,
// and sends the request again: it has one effect. R07.
func TestLostReply(t *testing.T) { loseReplies(t, 1000) }

func TestFigure_R07(t *testing.T) {
	figures(t)
	t.Logf("FIGURE R07 %d second effects/10000", loseReplies(t, 10_000))
}

func loseReplies(t *testing.T, cuts int) (wrong int) {
	store := &countingStore{Store: hub.NewMemory(nil)}
	w := newWorldOver(t, store, nil, &Options{Quota: Quota{Open: -1, Rate: -1}, Rules: rules.New(store, nil)})
	p := newProxy(t, w.listen(t))
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	rng := rand.New(rand.NewPCG(7, 7))
	list := changes()
	tried := map[string]bool{}
	for n := range cuts {
		c := list[n%len(list)]
		tried[c.id] = true
		path, body := c.prepare(t, w, n)
		send := func() (int, string, error) {
			req := w.request(c.who, c.method, path, body)
			req.RequestURI, req.URL.Host = "", strings.TrimPrefix(p.url(), "http://")
			if c.header != "" {
				req.Header.Set("Idempotency-Key", fmt.Sprint(c.header, n))
			}
			resp, err := client.Do(req)
			if err != nil {
				return 0, "", err
			}
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			return resp.StatusCode, string(text), err
		}
		before := store.count()
		p.cutAfter(rng.IntN(100)) // somewhere in the head of the reply
		if code, text, err := send(); err == nil {
			t.Fatalf("%s: the reply was not lost: %d %s", c.id, code, text)
		}
		if acted := store.count() - before; acted != 1 {
			t.Fatalf("%s: %d writes before the reply was lost", c.id, acted)
		}
		p.cutAfter(-1)
		code, text, err := send()
		if effects := store.count() - before; err != nil || code < 200 || code > 299 || effects != 1 {
			wrong++
			t.Errorf("%s: %d writes; %d %s %v", c.id, effects, code, text, err)
		}
	}
	last := []string{"saveDraft", "savePreferences", "snoozeAsk", "endSnooze", "noteActivity"} // the last one wins, and says the same
	for _, rt := range routes() {
		if rt.method != "GET" && !slices.Contains(last, rt.id) && rt.id != "attendAsk" && rt.id != "putContent" && rt.id != "rehearseRule" && !tried[rt.id] {
			t.Errorf("%s is not tried", rt.id)
		}
	}
	return wrong
}
