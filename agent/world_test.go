package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"charm.land/fantasy"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/agent/model"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/conversation"
	"github.com/saysohq/sayso/hub"
)

// patience is how long a test waits for what must happen.
const patience = 60 * time.Second

// world is a host with everything around it, in this process.
type world struct {
	t       *testing.T
	host    *agent.Host
	hub     *hub.Hub
	journal journal.Journal
	model   *modeltest.Server
	opts    agent.Options
	asker   string // whose credential the host asks with; empty: it asks without

	mu  sync.Mutex
	ran []string // the keys and arguments of tool calls
}

// The wires that every flow is played over.
var wires = []string{model.Anthropic, model.OpenAI, model.OpenAICompatible}

func openModel(t *testing.T, wire string, server *modeltest.Server) fantasy.LanguageModel {
	t.Helper()
	cfg := model.Config{Provider: wire, Model: "claude-sonnet-4-5", APIKey: "none", BaseURL: server.URL, HTTPClient: &http.Client{}}
	if wire != model.Anthropic {
		cfg.Model, cfg.BaseURL = "gpt-5", server.URL+"/v1"
	}
	m, err := model.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// newWorld starts a host in memory; change may be nil.
func newWorld(t *testing.T, wire string, script modeltest.Script, change func(*agent.Options)) *world {
	t.Helper()
	w := newClosedWorld(t, wire, script)
	if change != nil {
		change(&w.opts)
	}
	w.open()
	return w
}

// newClosedWorld has everything but the host.
func newClosedWorld(t *testing.T, wire string, script modeltest.Script) *world {
	t.Helper()
	w := &world{t: t, journal: journal.NewMemory(), model: modeltest.New(t, script)}
	h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	w.hub = h
	w.opts = agent.Options{
		Journal: w.journal, Asks: h.Asker("home", sayso.Responder{}), Model: openModel(t, wire, w.model),
		System: "You are tested.", RetryDelay: time.Millisecond,
		Tools: []agent.Tool{w.tool("read"), w.tool("write")},
	}
	return w
}

func (w *world) open() {
	w.t.Helper()
	h, err := agent.Open(w.t.Context(), &w.opts)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(h.Stop)
	w.host = h
}

// tool is one that notes its calls and says what it was told.
func (w *world) tool(name string) agent.Tool {
	return agent.Tool{
		Name: name, Description: "A tool.", Schema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`),
		Run: func(_ context.Context, c agent.Call) (agent.Result, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.ran = append(w.ran, name+" "+string(c.Arguments))
			return agent.Result{Text: name + " did " + string(c.Arguments)}, nil
		},
	}
}

func (w *world) context() context.Context {
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	w.t.Cleanup(cancel)
	return ctx
}

func (w *world) send(id, message, text string) {
	w.t.Helper()
	if err := w.host.Send(w.context(), id, message, text); err != nil {
		w.t.Fatal(err)
	}
}

// rest waits until the conversation is at rest in this state.
func (w *world) rest(id, state string) *agent.Conversation {
	w.t.Helper()
	ctx := w.context()
	for {
		c, err := w.host.Wait(ctx, id)
		if err != nil {
			if c, _ := w.host.Get(w.t.Context(), id); c != nil {
				w.t.Fatalf("%v; the conversation is in %s:\n%s", err, conversation.Name(c.State), tell(c))
			}
			w.t.Fatal(err)
		}
		if conversation.Name(c.State) == state {
			return c
		}
	}
}

// answer closes an ask as a person.
func (w *world) answer(a *sayso.Ask, o *sayso.Outcome) {
	w.t.Helper()
	t, err := w.hub.Get(w.context(), w.addressOf(a))
	if err != nil {
		w.t.Fatal(err)
	}
	o.By = sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "test"}
	if _, err := w.hub.Close(w.context(), t, o, nil); err != nil {
		w.t.Fatal(err)
	}
}

func chose(options ...string) *sayso.Outcome {
	return &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: options}}}
}

// tell writes a conversation down, with calls numbered in place of their ids.
func tell(c *agent.Conversation) string {
	var b strings.Builder
	for i, member := range append([]*agent.Conversation{c}, c.Agents...) {
		fmt.Fprintf(&b, "== %d: %s\n", i, conversation.Name(member.State))
		var calls []string
		number := func(id string) string {
			if !slices.Contains(calls, id) {
				calls = append(calls, id)
			}
			return fmt.Sprint("#", slices.Index(calls, id)+1)
		}
		for _, e := range member.Transcript {
			fmt.Fprintf(&b, "%s: %s\n", e.Role, e.Text)
			for _, c := range e.Calls {
				fmt.Fprintf(&b, "  %s %s %s\n", number(c.ID), c.Name, c.Arguments)
			}
			for _, r := range e.Results {
				fmt.Fprintf(&b, "  %s", number(r.Call))
				if r.IsError {
					b.WriteString(" error")
				}
				fmt.Fprintf(&b, " %s\n", r.Text)
			}
		}
	}
	return b.String()
}

func use(tool string, input any) modeltest.Call { return modeltest.Call{Tool: tool, Input: input} }

func uses(calls ...modeltest.Call) modeltest.Reply { return modeltest.Reply{Calls: calls} }

func text(s string) map[string]any { return map[string]any{"text": s} }

// questions are the arguments of an ask with one question.
func questions(question string, options ...string) map[string]any {
	return map[string]any{"questions": []any{one(question, false, options...)}}
}

func one(question string, multi bool, options ...string) map[string]any {
	var list []any
	for _, o := range options {
		list = append(list, map[string]any{"label": o})
	}
	return map[string]any{"question": question, "options": list, "multiSelect": multi}
}

func agents(pairs ...string) map[string]any {
	var list []any
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, map[string]any{"name": pairs[i], "task": pairs[i+1]})
	}
	return map[string]any{"agents": list}
}

// addressOf returns where an ask of the host waits.
func (w *world) addressOf(a *sayso.Ask) hub.Address {
	stamped := *a
	stamped.Origin.Asker = w.asker
	return hub.AddressOf("home", &stamped)
}
