package claude_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/door/hook"
	"github.com/saysohq/sayso/app/door/hook/claude"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// world is Claude Code, a hub and a person, in a bubble of synctest. It writes
// down what is said.
type world struct {
	t     *testing.T
	hub   *hub.Hub
	api   *httpapi.Server
	role  auth.Role // of Claude Code; the person has their own
	away  bool      // the hub cannot be reached
	opts  hook.Options
	book  txtar.Archive
	turns int

	requires []string // who has to answer requests for permission, by a rule
}

func newWorld(t *testing.T, opts hook.Options) *world {
	w := &world{t: t, opts: opts, role: auth.Everything}
	h, err := hub.Open(t.Context(), hub.NewMemory(nil), &hub.Options{Decide: func(context.Context, *hub.Ticket, hub.Contents) (*hub.Decision, error) {
		return &hub.Decision{To: w.requires}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	w.hub = h
	if w.api, err = httpapi.New(h, &httpapi.Options{Auth: w}); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) close() {
	w.api.Close()
	w.hub.Stop()
}

// Authenticate knows Claude Code by what it is here.
func (w *world) Authenticate(*http.Request) (*auth.Principal, error) {
	if w.role == 0 {
		return nil, auth.ErrCredential
	}
	return &auth.Principal{Tenant: "t", Role: w.role}, nil
}

// RoundTrip takes the door's requests to the API.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	if w.away {
		return nil, errors.New("connection refused")
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	rec := httptest.NewRecorder()
	w.api.ServeHTTP(rec, r)
	return rec.Result(), nil
}

func (w *world) client() *client.Client {
	c, err := client.New("http://localhost", &client.Options{Transport: w, Surface: claude.Surface})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) note(what string, v any) {
	text, ok := v.(string)
	if !ok {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(v); err != nil {
			w.t.Fatal(err)
		}
		text = b.String()
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	w.turns++
	w.book.Files = append(w.book.Files, txtar.File{Name: fmt.Sprintf("%02d %s", w.turns, what), Data: []byte(text)})
}

// call is an event that was sent, and may still wait.
type call struct {
	w      *world
	name   string
	cancel context.CancelFunc
	done   chan struct{}
	told   bool
	reply  []byte
	err    error
}

// parse reads an event as Claude Code spells it.
func (w *world) parse(event map[string]any) hook.Event {
	data, err := json.Marshal(event)
	if err != nil {
		w.t.Fatal(err)
	}
	e, err := claude.Agent().Parse(data)
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

// send sends an event.
func (w *world) send(event map[string]any) *call {
	e := w.parse(event)
	name := e.About().Name
	w.note("claude: "+name, event)
	ctx, cancel := context.WithCancel(w.t.Context())
	c := &call{w: w, name: name, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		c.reply, c.err = hook.New(claude.Agent(), w.client(), &w.opts).Take(ctx, e)
	}()
	synctest.Wait()
	c.tell("waits\n")
	return c
}

// tell writes the reply down once it is there, or else what is so instead.
func (c *call) tell(otherwise string) {
	select {
	case <-c.done:
	default:
		if otherwise != "" {
			c.w.note("sayso: "+c.name, otherwise)
		}
		return
	}
	if c.told {
		return
	}
	c.told = true
	var v any
	if err := json.Unmarshal(c.reply, &v); err != nil {
		c.w.t.Fatal(err)
	}
	c.w.note("sayso: "+c.name, v)
	if c.err != nil {
		c.w.note("log", c.err.Error())
	}
}

// end waits for the reply.
func (c *call) end() {
	<-c.done
	c.cancel()
	c.tell("")
}

// drop ends the connection, as Claude Code does upon Esc.
func (c *call) drop() {
	c.w.note("claude: drops "+c.name, "")
	c.cancel()
	<-c.done
}

// person closes the open ask of the session.
func (w *world) person(o *sayso.Outcome) {
	w.note("person", o)
	in := w.hub.Inbox("t", sayso.Responder{Kind: sayso.ByPerson, Surface: "phone"})
	page, err := in.List(w.t.Context(), nil)
	if err != nil || len(page.Tickets) != 1 {
		w.t.Fatal(len(page.Tickets), err)
	}
	if _, err := in.Close(w.t.Context(), page.Tickets[0], o); err != nil {
		w.t.Fatal(err)
	}
	synctest.Wait()
}

// finish writes down what the hub has in the end.
func (w *world) finish() []byte {
	page, err := w.hub.List(w.t.Context(), "t", &hub.Filter{Status: hub.AnyStatus})
	if err != nil {
		w.t.Fatal(err)
	}
	type row struct {
		ID       string          `json:"id"`
		Origin   sayso.Origin    `json:"origin"`
		Approval *sayso.Approval `json:"approval,omitempty"`
		Outcome  *sayso.Outcome  `json:"outcome"`
		Consumed bool            `json:"consumed"`
	}
	rows := []row{}
	for _, t := range page.Tickets {
		if t.Outcome != nil {
			o := *t.Outcome
			o.At = o.At.UTC()
			t.Outcome = &o
		}
		id := t.Ask.ID
		if t.Ask.Origin.ToolCall == "" {
			id = "(random)"
		}
		rows = append(rows, row{id, t.Ask.Origin, t.Ask.Approval, t.Outcome, !t.Consumed.IsZero()})
	}
	w.note("hub", rows)
	return txtar.Format(&w.book)
}

var database = json.RawMessage(`{"questions":[{"question":"Which database?","header":"DB","multiSelect":false,"options":[{"label":"PostgreSQL (Recommended)","description":"a server"},{"label":"SQLite","description":"a file","preview":"app.db"}]}]}`)

var form = json.RawMessage(`{"questions":[{"question":"Which database?","header":"DB","multiSelect":false,"options":[{"label":"PostgreSQL","description":"a server"},{"label":"SQLite","description":"a file"}]},{"question":"Which features?","header":"Features","multiSelect":true,"options":[{"label":"Auth","description":"x"},{"label":"Search, full text","description":"y"},{"label":"Export","description":"z"}]}],"metadata":{"source":"plan"}}`)

// event is one of Claude Code 2.1.325 in a session.
func event(name string, more map[string]any) map[string]any {
	e := map[string]any{
		"session_id": "c3dc5a83", "prompt_id": "40490ff3", "transcript_path": "/home/ann/.claude/projects/shop/c3dc5a83.jsonl",
		"cwd": "/home/ann/shop", "permission_mode": "default", "effort": map[string]any{"level": "medium"},
		"hook_event_name": name,
	}
	for k, v := range more {
		e[k] = v
	}
	return e
}

func pre(input json.RawMessage) map[string]any {
	return event(claude.PreToolUse, map[string]any{"tool_name": "AskUserQuestion", "tool_input": input, "tool_use_id": "toolu_0002"})
}

func request(input json.RawMessage) map[string]any {
	return event(claude.PermissionRequest, map[string]any{"tool_name": "AskUserQuestion", "tool_input": input})
}

// post says what the tool returned: the answers and annotations beside the input.
func post(input json.RawMessage, answers string) map[string]any {
	var whole map[string]any
	if err := errors.Join(json.Unmarshal(input, &whole), json.Unmarshal([]byte(answers), &whole)); err != nil {
		panic(err)
	}
	return event(claude.PostToolUse, map[string]any{
		"tool_name": "AskUserQuestion", "tool_input": whole, "tool_response": whole, "tool_use_id": "toolu_0002", "duration_ms": 2,
	})
}

// wants is a request for permission.
func wants(tool, input string, suggestions ...string) map[string]any {
	e := event(claude.PermissionRequest, map[string]any{"tool_name": tool, "tool_input": json.RawMessage(input)})
	if len(suggestions) > 0 {
		e["permission_suggestions"] = json.RawMessage("[" + strings.Join(suggestions, ",") + "]")
	}
	return e
}

// chooses is the decision of a person.
func chooses(offer string) *sayso.Outcome {
	return answered(sayso.Answer{QuestionID: sayso.VerdictQuestion, Selected: []string{offer}})
}

func prompt(text string) map[string]any {
	return event(claude.UserPromptSubmit, map[string]any{"prompt_id": "f96a5ba4", "prompt": text})
}

func answered(answers ...sayso.Answer) *sayso.Outcome {
	return &sayso.Outcome{Status: sayso.StatusAnswered, Answers: answers}
}

// withdraw closes the open ask on behalf of the asker, as somebody else at the hub
// may.
func (w *world) withdraw(reason string) {
	w.note("withdrawn", reason)
	page, err := w.client().List(w.t.Context(), nil)
	if err != nil || len(page.Tickets) != 1 {
		w.t.Fatal(len(page.Tickets), err)
	}
	if _, err := w.client().Withdraw(w.t.Context(), page.Tickets[0].Handle, sayso.StatusCancelled, reason); err != nil {
		w.t.Fatal(err)
	}
	synctest.Wait()
}

// hasty returns a client that tries once.
func (w *world) hasty() *client.Client {
	c, err := client.New("http://localhost", &client.Options{Transport: w, Patience: -1})
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}
