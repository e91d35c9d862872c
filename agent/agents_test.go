package agent_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/app/modeltest"
)

// nested has a main agent with a planner, whose scout asks.
func nested() modeltest.Script {
	return modeltest.Route(
		modeltest.Steps(uses(use("spawn_agents", agents("planner", "PLAN it")), use("write", text("main"))), modeltest.Say("main is done")),
		modeltest.RouteTo{Word: "PLAN", Script: modeltest.Steps(uses(use("spawn_agents", agents("scout", "SCOUT around"))), modeltest.Say("the plan"))},
		modeltest.RouteTo{Word: "SCOUT", Script: modeltest.Steps(
			uses(use("read", text("scout")), use("ask_user", questions("Which way?", "left", "right")), use("write", text("scout"))),
			modeltest.Say("the way"),
		)},
	)
}

func TestEscalationTwoLevelsDeep(t *testing.T) {
	t.Parallel()
	for _, wire := range wires {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, wire, nested(), nil)
			w.send("c1", "m1", "Go")
			c := w.rest("c1", "awaiting_sub_agents")
			if len(c.Asks()) != 1 || w.host.Active() != 0 {
				t.Fatalf("%d at work, the conversation is\n%s", w.host.Active(), tell(c))
			}
			a := c.Asks()[0]
			if want := []string{"planner", "scout"}; !slices.Equal(a.Origin.Agents, want) || a.Origin.Conversation != "c1" {
				t.Errorf("origin %+v, want agents %v", a.Origin, want)
			}
			w.answer(a, chose("o2"))
			c = w.rest("c1", "idle")
			got := tell(c)
			for _, want := range []string{
				`#2 {"answers":{"Which way?":"right"}}`,
				`#1 [{"agent":"scout","text":"the way"}]`,
				`#1 [{"agent":"planner","text":"the plan"}]`,
				"model: main is done",
			} {
				if !strings.Contains(got, want) {
					t.Errorf("the conversation is\n%s\nand lacks %s", got, want)
				}
			}
			if want := []string{`read {"text":"scout"}`, `write {"text":"scout"}`, `write {"text":"main"}`}; !slices.Equal(w.ran, want) {
				t.Errorf("ran %v", w.ran)
			}
			ticket, err := w.hub.Get(w.context(), w.addressOf(a))
			if err != nil || ticket.Consumed.IsZero() {
				t.Errorf("the answer is not taken: %v", err)
			}
		})
	}
}

// Sub-agents that may not ask are not offered the tool, and are told so when they
// use it all the same.
func TestSubAgentsMayNotAsk(t *testing.T) {
	t.Parallel()
	w := newWorld(t, wires[0], nested(), func(o *agent.Options) { o.SubAgents.Deny = true })
	w.send("c1", "m1", "Go")
	got := tell(w.rest("c1", "idle"))
	if want := "#2 error ask_user is not available to sub-agents\n"; !strings.Contains(got, want) {
		t.Errorf("the conversation is\n%s\nand lacks %s", got, want)
	}
	for _, r := range w.model.Requests() {
		top := !strings.Contains(r.Prompt, "PLAN") && !strings.Contains(r.Prompt, "SCOUT")
		if slices.Contains(r.Tools, "ask_user") != top {
			t.Errorf("%q is offered %v", r.Prompt, r.Tools)
		}
		if strings.Contains(string(r.Body), "Sub-agents cannot use this tool.") != top {
			t.Errorf("%q reads something else about its tool:\n%s", r.Prompt, r.Body)
		}
		if slices.Contains(r.Tools, "spawn_agents") == strings.Contains(r.Prompt, "SCOUT") {
			t.Errorf("%q is offered %v", r.Prompt, r.Tools)
		}
	}
	page, err := w.hub.List(w.context(), "home", nil)
	if err != nil || len(page.Tickets) != 0 {
		t.Errorf("somebody was asked: %v, %v", page, err)
	}
}

// A parent that knows answers its sub-agent, and the outcome says so; one that
// does not passes the question on.
func TestParentMayAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		knows string // who answers
		by    string
	}{
		{"the planner knows", "SCOUT around", "planner"},
		{"the main agent knows", `"main"`, "main"},
		{"nobody knows", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			script := nested()
			w := newWorld(t, wires[0], func(ctx context.Context, r *modeltest.Request) modeltest.Reply {
				if !slices.Contains(r.Tools, "answer_sub_agent") {
					return script(ctx, r)
				}
				if tt.knows != "" && strings.Contains(string(r.Body), tt.knows) {
					return modeltest.Use("answer_sub_agent", map[string]any{"answers": []any{map[string]any{"question": "q1", "selected": []string{"o1"}}}})
				}
				return modeltest.Use("ask_person", nil)
			}, func(o *agent.Options) { o.SubAgents.MayAnswer = true })
			w.send("c1", "m1", "Go")
			if tt.by == "" {
				w.answer(w.rest("c1", "awaiting_sub_agents").Asks()[0], chose("o1"))
			}
			c := w.rest("c1", "idle")
			if got, want := tell(c), `#2 {"answers":{"Which way?":"left"}}`; !strings.Contains(got, want) {
				t.Errorf("the conversation is\n%s\nand lacks %s", got, want)
			}
			want := sayso.Responder{Kind: sayso.ByAgent, ID: tt.by}
			if tt.by == "" {
				want = sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "test"}
			}
			scout := c.Agents[1]
			if len(scout.Closed) != 1 || scout.Closed[0].Outcome.By != want {
				t.Errorf("answered by %+v, want %+v", scout.Closed, want)
			}
		})
	}
}

// What the description of the tool says of sub-agents is true for whoever reads it.
func TestSubAgentsReadTheTruth(t *testing.T) {
	t.Parallel()
	const (
		denied  = "Sub-agents cannot use this tool."
		person  = "The person is asked on behalf of the agents above you."
		parents = "The agent that started you is asked first"
	)
	for _, tt := range []struct {
		name     string
		set      agent.SubAgents
		top, sub string // which of the sentences is read; "": none
	}{
		{"their asks escalate", agent.SubAgents{}, "", person},
		{"a parent may answer", agent.SubAgents{MayAnswer: true}, "", parents},
		{"only the top may ask", agent.SubAgents{Deny: true}, denied, ""},
		{"there are none", agent.SubAgents{Deny: true, MaxDepth: -1}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			script := modeltest.Route(
				modeltest.Steps(uses(use("spawn_agents", agents("digger", "DIG here"))), modeltest.Say("done")),
				modeltest.RouteTo{Word: "DIG", Script: modeltest.Steps(modeltest.Say("dug"))},
			)
			if tt.set.MaxDepth < 0 {
				script = modeltest.Steps(modeltest.Say("done"))
			}
			w := newWorld(t, wires[0], script, func(o *agent.Options) { o.SubAgents = tt.set })
			w.send("c1", "m1", "Go")
			w.rest("c1", "idle")
			for _, r := range w.model.Requests() {
				want := tt.top
				if strings.Contains(r.Prompt, "DIG") {
					want = tt.sub
				}
				for _, sentence := range []string{denied, person, parents} {
					if strings.Contains(string(r.Body), sentence) != (sentence == want) {
						t.Errorf("%q should read %q:\n%s", r.Prompt, want, r.Body)
					}
				}
			}
		})
	}
}

func TestCancelWithSubAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, wires[0], nested(), nil)
	w.send("c1", "m1", "Go")
	a := w.rest("c1", "awaiting_sub_agents").Asks()[0]
	if err := w.host.Cancel(w.context(), "c1", "enough"); err != nil {
		t.Fatal(err)
	}
	c := w.rest("c1", "idle")
	got := tell(c)
	if strings.Count(got, ": ended\n") != 2 {
		t.Errorf("the conversation is\n%s", got)
	}
	ticket, err := w.hub.Get(w.context(), w.addressOf(a))
	if err != nil || ticket.Status() != sayso.StatusCancelled {
		t.Errorf("the ask is %v, %v", ticket.Outcome, err)
	}
	if len(w.ran) != 1 {
		t.Errorf("ran %v", w.ran)
	}
}

func TestBadSpawns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, wires[0], modeltest.Steps(
		uses(use("spawn_agents", agents()), use("spawn_agents", agents("", "x")), use("spawn_agents", map[string]any{"agents": "x"})),
		modeltest.Say("done"),
	), nil)
	w.send("c1", "m1", "Go")
	c := w.rest("c1", "idle")
	if n := strings.Count(tell(c), "no agent was started"); n != 3 || len(c.Agents) != 0 {
		t.Error(tell(c))
	}
}
