package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/agent/engine"
	"github.com/saysohq/sayso/agent/mcptools"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/conversation"
	"github.com/saysohq/sayso/hub"
)

// scene is a story that is told with and without interruption.
type scene struct {
	name    string
	script  modeltest.Script
	options func(*agent.Options)
	silent  bool // the person does not answer

	// next does what comes next and reports whether the scene is over.
	next func(context.Context, *agent.Host, *agent.Conversation) (over bool, err error)
}

var scenes = []*scene{
	{
		name: "ask",
		script: modeltest.Steps(
			uses(use("shop__read", text("r1")), use("ask_user", questions("Which database?", "PostgreSQL", "SQLite")), use("shop__write", text("w1")), use("shop__pay", text("p1"))),
			uses(use("ask_user", map[string]any{"questions": []any{one("Which language?", false, "Go", "Rust"), one("Which parts?", true, "a", "b", "c")}}), use("shop__write", text("w2"))),
			modeltest.Say("done"),
		),
		next: untilIdle("m1"),
	},
	{name: "agents", script: family(), next: untilIdle("m1")},
	{
		name: "parent", next: untilIdle("m1"),
		script: func(ctx context.Context, r *modeltest.Request) modeltest.Reply {
			if !slices.Contains(r.Tools, "answer_sub_agent") {
				return family()(ctx, r)
			}
			if strings.Contains(string(r.Body), "MAINMARK") { // the one at the top knows
				return modeltest.Use("answer_sub_agent", map[string]any{"answers": []any{map[string]any{"question": "q1", "selected": []string{"o1"}}}})
			}
			return modeltest.Use("ask_person", nil)
		},
		options: func(o *agent.Options) { o.SubAgents.MayAnswer = true },
	},
	{name: "deny", script: family(), next: untilIdle("m1"), options: func(o *agent.Options) { o.SubAgents.Deny = true }},
	{
		name: "cancel", silent: true,
		script: func(ctx context.Context, r *modeltest.Request) modeltest.Reply {
			if r.Last == "And now?" {
				return modeltest.Say("as you like")
			}
			return family()(ctx, r)
		},
		next: func(ctx context.Context, h *agent.Host, c *agent.Conversation) (bool, error) {
			asked := len(c.Asks()) == 2
			return cancelled(ctx, h, c, asked && c.Working == "")
		},
	},
	{
		name: "stop", silent: true,
		script: func(_ context.Context, r *modeltest.Request) modeltest.Reply {
			if r.Last == "And now?" {
				return modeltest.Say("as you like")
			}
			return uses(use("shop__write", text("w1")), use("shop__slow", text("s1")), use("shop__write", text("w2")))
		},
		next: func(ctx context.Context, h *agent.Host, c *agent.Conversation) (bool, error) {
			s, ok := c.State.(conversation.ToolExecuting)
			return cancelled(ctx, h, c, ok && s.Current.Name == "shop__slow")
		},
	},
}

func sceneNamed(name string) *scene {
	return scenes[slices.IndexFunc(scenes, func(s *scene) bool { return s.name == name })]
}

// family has two sub-agents that ask, one of them two levels deep.
func family() modeltest.Script {
	return modeltest.Route(
		modeltest.Steps(uses(use("spawn_agents", agents("planner", "PLAN it", "tester", "TEST it")), use("shop__write", text("MAINMARK"))), modeltest.Say("main is done")),
		modeltest.RouteTo{Word: "PLAN", Script: modeltest.Steps(uses(use("spawn_agents", agents("scout", "SCOUT around"))), modeltest.Say("the plan"))},
		modeltest.RouteTo{Word: "SCOUT", Script: modeltest.Steps(
			uses(use("shop__write", text("scout 1")), use("ask_user", questions("Which way?", "left", "right")), use("shop__pay", text("scout 2"))),
			modeltest.Say("the way"),
		)},
		modeltest.RouteTo{Word: "TEST", Script: modeltest.Steps(uses(use("ask_user", questions("How much?", "some", "all"))), modeltest.Say("tested"))},
	)
}

func untilIdle(message string) func(context.Context, *agent.Host, *agent.Conversation) (bool, error) {
	return func(_ context.Context, _ *agent.Host, c *agent.Conversation) (bool, error) {
		s, idle := c.State.(conversation.Idle)
		return idle && s.Message == message && c.Working == "", nil
	}
}

// cancelled cancels the first turn when it is time, and then goes on with a second.
func cancelled(ctx context.Context, h *agent.Host, c *agent.Conversation, due bool) (bool, error) {
	s, idle := c.State.(conversation.Idle)
	switch {
	case due:
		return false, h.Cancel(ctx, "c1", "enough")
	case idle && s.Message == "m1" && c.Working == "":
		return false, h.Send(ctx, "c1", "m2", "And now?")
	}
	return untilIdle("m2")(ctx, h, c)
}

// person answers whatever is asked.
type person struct {
	engine  *engine.Engine
	tenant  string
	silent  bool
	patient bool // answers when the conversation is at rest, not at once

	mu       sync.Mutex
	answered int
}

func newPerson(e *engine.Engine, tenant string, s *scene, patient bool) *person {
	return &person{engine: e, tenant: tenant, silent: s.silent, patient: patient}
}

func (p *person) start() (stop func()) {
	if p.silent {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	bell := make(chan struct{}, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = p.engine.Hub.Watch(ctx, p.tenant, nil, func(hub.Change) {
			select {
			case bell <- struct{}{}:
			default:
			}
		})
	})
	wg.Go(func() {
		look := time.NewTicker(20 * time.Millisecond)
		defer look.Stop()
		for {
			select {
			case <-look.C: // whether it is at rest by now
				if !p.patient {
					continue
				}
			case <-bell:
			case <-ctx.Done():
				return
			}
			p.answer(ctx)
		}
	})
	return func() { cancel(); wg.Wait() }
}

func (p *person) answer(ctx context.Context) {
	page, err := p.engine.Hub.List(ctx, p.tenant, nil)
	if err != nil || len(page.Tickets) == 0 {
		return
	}
	if p.patient {
		if c, err := agent.Look(ctx, p.engine.Journal, "c1"); err != nil || c.Working != "" {
			return
		}
	}
	for _, t := range page.Tickets {
		o := &sayso.Outcome{Status: sayso.StatusAnswered, By: sayso.Responder{Kind: sayso.ByPerson, ID: "ann"}}
		for _, q := range t.Ask.Questions {
			a := sayso.Answer{QuestionID: q.ID, Selected: []string{"o1"}}
			if q.Multi {
				a.Selected = []string{"o1", "o3"}
			}
			o.Answers = append(o.Answers, a)
		}
		if _, err := p.engine.Hub.Close(ctx, t, o, nil); err == nil {
			p.mu.Lock()
			p.answered++
			p.mu.Unlock()
		}
	}
}

// shop is an MCP server that remembers what was done.
type shop struct {
	URL string

	mu    sync.Mutex
	done  map[string]int    // by tool and text: how often it had an effect
	known map[string]string // results by key
}

func newShop(t *testing.T) *shop {
	s := &shop{done: map[string]int{}, known: map[string]string{}}
	server := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1"}, nil)
	schema := json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`)
	for _, name := range []string{"read", "write", "pay", "slow"} {
		tool := &mcp.Tool{Name: name, Description: "A tool.", InputSchema: schema, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: name == "read"}}
		server.AddTool(tool, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var in struct{ Text string }
			if err := json.Unmarshal(r.Params.Arguments, &in); err != nil {
				return nil, err
			}
			key, _ := r.Params.Meta[mcptools.MetaKey].(string)
			if name == "slow" {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			if key == "" {
				return nil, errors.New("a call without a key")
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s.do(name, in.Text, key)}}}, nil
		})
	}
	// Without a session of its own, a call ends with the request that made it.
	http := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, PropagateRequestCancellation: true}))
	t.Cleanup(http.Close)
	s.URL = http.URL
	return s
}

// do has an effect, for write once under each key.
func (s *shop) do(name, text, key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.known[key]; ok && name == "write" {
		return known
	}
	s.done[name+" "+text]++
	s.known[key] = fmt.Sprintf("%s did %s", name, text)
	return s.known[key]
}
