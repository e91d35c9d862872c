package hook_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/hook"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/hub"
)

// small is a small agent: this is all that an agent has to say for itself.
type small struct{}

func (small) Info() hook.Info {
	return hook.Info{
		Name: "small", Tool: smallTool, Events: []string{"ask", "dialog", "said", "next", "hello"}, Nothing: []byte("-"),
		Unattended: func(h http.Header) bool { return h.Get("X-Alone") == "yes" },
	}
}

var smallTool = &sayso.Tool{Dialect: dialect.Opal}

func (small) Parse(data []byte) (hook.Event, error) {
	var e smallEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, err
	}
	return &e, nil
}

type smallEvent struct{ Event, Session, Call, Question, Words string }

func (e *smallEvent) About() hook.About {
	means := map[string]hook.Meaning{"ask": hook.Asking, "dialog": hook.Showing, "said": hook.Answered, "next": hook.Prompted, "hello": hook.Alone}
	arguments, _ := json.Marshal(map[string]string{"question": e.Question})
	return hook.About{Name: e.Event, Meaning: means[e.Event], Session: e.Session, Call: sayso.Call{ID: e.Call, Arguments: arguments}}
}

func (e *smallEvent) Said(a *sayso.Ask) (*sayso.Outcome, error) {
	ans, err := a.Questions[0].Match([]string{e.Words}, nil)
	return &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{ans}}, err
}

func (e *smallEvent) Reply(t hook.Told) ([]byte, error) {
	text := func(a *sayso.Ask, o *sayso.Outcome) string { return sayso.RenderResult(a, o) }
	switch {
	case t.Refusal != nil:
		return []byte("no: " + t.Refusal.Text), nil
	case t.Deferred:
		return []byte("later"), nil
	case len(t.Late) > 0:
		return fmt.Appendf(nil, "late: %s", text(t.Late[0].Ask, t.Late[0].Outcome)), nil
	case t.Kept != nil:
		return fmt.Appendf(nil, "kept: %s", text(t.Kept.Ask, t.Kept.Outcome)), nil
	case t.Outcome != nil:
		return []byte(text(t.Ask, t.Outcome)), nil
	}
	return []byte("hello"), nil
}

// sends is an event as it is sent.
func sends(event, question, said string) []byte {
	b, err := json.Marshal(smallEvent{event, "s1", "c1", question, said})
	if err != nil {
		panic(err)
	}
	return b
}

// away is a hub that cannot be reached.
type away struct{ hub.Asker }

func (away) Submit(context.Context, *sayso.Ask) (*hub.Ticket, error) {
	return nil, sayso.ErrUnreachable
}

func (away) List(context.Context, *hub.Filter) (*hub.Tickets, error) {
	return nil, sayso.ErrUnreachable
}

const question = "Which database?"

// TestAgent plays what can happen with an agent of a few lines. A step sends an
// event and says what the agent is told, or that a person answers elsewhere.
func TestAgent(t *testing.T) {
	t.Parallel()
	type step struct{ event, said, want string }
	const person, waits = "person", "(waits)"
	alone := &hook.Options{Unattended: true}
	for name, tc := range map[string]struct {
		opts  *hook.Options
		away  bool
		ask   string // default: question
		steps []step
		hub   string // what became of the ask
	}{
		"answered elsewhere":    {steps: []step{{"ask", "", "-"}, {"dialog", "", waits}, {person, "SQLite", `✓ Which database?: "SQLite"`}, {"said", "SQLite", `kept: ✓ Which database?: "SQLite"`}}, hub: "answered on web"},
		"answered at the agent": {steps: []step{{"ask", "", "-"}, {"dialog", "", waits}, {"said", "SQLite", "-"}}, hub: "answered on small"},
		"both at once":          {steps: []step{{"ask", "", "-"}, {person, "MySQL", ""}, {"said", "SQLite", `kept: ✓ Which database?: "MySQL"`}}, hub: "answered on web"},
		"dismissed":             {steps: []step{{"ask", "", "-"}, {"next", "", "-"}}, hub: "cancelled on "},
		"late":                  {steps: []step{{"ask", "", "-"}, {person, "SQLite", ""}, {"next", "", `late: ✓ Which database?: "SQLite"`}, {"next", "", "-"}}, hub: "answered on web"},
		"alone":                 {opts: alone, steps: []step{{"ask", "", waits}, {person, "SQLite", `✓ Which database?: "SQLite"`}}, hub: "answered on web"},
		"alone, for a minute":   {opts: &hook.Options{Unattended: true, Wait: time.Minute}, steps: []step{{"ask", "", "✗ Which database?: still open"}}, hub: "pending on "},
		"alone, deferred":       {opts: &hook.Options{Unattended: true, Defer: true}, steps: []step{{"ask", "", "later"}, {person, "SQLite", ""}, {"ask", "", `✓ Which database?: "SQLite"`}}, hub: "answered on web"},
		"alone, refused":        {opts: alone, ask: " ", steps: []step{{"ask", "", "no: "}}},
		"refused":               {ask: " ", steps: []step{{"ask", "", "-"}}},
		"by itself":             {away: true, steps: []step{{"hello", "", "hello"}}},
		"not known":             {away: true, steps: []step{{"bye", "", "-"}}},
		"no hub":                {away: true, steps: []step{{"ask", "", "- nobody could be asked"}, {"dialog", "", "- nobody could be asked"}, {"said", "x", "- nobody could be asked"}, {"next", "", "- nobody could be asked"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
				if err != nil {
					t.Fatal(err)
				}
				defer h.Stop()
				var asker hub.Asker = h.Asker("t", sayso.Responder{ID: "small"})
				if tc.away {
					asker = away{}
				}
				if tc.ask == "" {
					tc.ask = question
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer synctest.Wait()
				defer cancel()
				told := make(chan string, 1)
				hear := func() string {
					synctest.Wait()
					select {
					case s := <-told:
						return s
					default:
						return waits
					}
				}
				for _, s := range tc.steps {
					var got string
					if s.event == person {
						answer(t, h, s.said)
						if got = hear(); got == waits {
							got = ""
						}
					} else {
						go func() { told <- take(ctx, asker, tc.opts, sends(s.event, tc.ask, s.said)) }()
						if got = hear(); got == waits && s.want != waits {
							got = <-told
						}
					}
					if got != s.want && (!strings.HasSuffix(s.want, ": ") || !strings.HasPrefix(got, s.want)) {
						t.Errorf("%s %s: told %q, want %q", s.event, s.said, got, s.want)
					}
				}
				all, err := h.List(t.Context(), "t", &hub.Filter{Status: hub.AnyStatus})
				if err != nil {
					t.Fatal(err)
				}
				got := ""
				for _, ticket := range all.Tickets {
					on := ""
					if !ticket.Open() {
						on = ticket.Outcome.By.Surface
					}
					got += fmt.Sprintf("%s on %s", ticket.Status(), on)
				}
				if got != tc.hub {
					t.Errorf("the hub has %q, want %q", got, tc.hub)
				}
			})
		})
	}
}

// take has an event taken, and returns what the agent is told and why if it is
// nothing.
func take(ctx context.Context, h hub.Asker, o *hook.Options, data []byte) string {
	e, err := small{}.Parse(data)
	if err != nil {
		return err.Error()
	}
	reply, err := hook.New(small{}, h, o).Take(ctx, e)
	if errors.Is(err, sayso.ErrUnreachable) {
		return string(reply) + " " + sayso.ErrUnreachable.Error()
	}
	return string(reply)
}

// answer answers the open ask on the web.
func answer(t *testing.T, h *hub.Hub, words string) {
	in := h.Inbox("t", sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "web"})
	page, err := in.List(t.Context(), nil)
	if err != nil || len(page.Tickets) != 1 {
		t.Fatal(len(page.Tickets), err)
	}
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Other: words}}}
	if _, err := in.Close(t.Context(), page.Tickets[0], o); err != nil {
		t.Fatal(err)
	}
}

// TestHandlerOfAgent: the same over HTTP.
func TestHandlerOfAgent(t *testing.T) {
	t.Parallel()
	h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	mux := http.NewServeMux()
	mux.Handle("POST /small/{event}", hook.Handler(small{}, &hook.HandlerOptions{
		Hub: func(*http.Request) (hub.Asker, error) { return h.Asker("t", sayso.Responder{ID: "small"}), nil },
	}))
	for _, tc := range []struct{ path, alone, want string }{
		{"ask", "no", "200 -"},
		{"ask?defer=true", "yes", "200 later"},
		{"bye", "no", "404 there is no such event\n"},
		{"next", "no", "400 hook: the event is not the one of this path\n"},
	} {
		r := httptest.NewRequest(http.MethodPost, "/small/"+tc.path, strings.NewReader(string(sends("ask", question, ""))))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Alone", tc.alone)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		if got := fmt.Sprintf("%d %s", w.Code, w.Body); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.path, got, tc.want)
		}
	}
}
