package conversation

import (
	"fmt"

	"github.com/saysohq/sayso"
)

// ask returns a small ask with the id.
func ask(id string) *sayso.Ask {
	a := *template
	a.ID = id
	return &a
}

var template = func() *sayso.Ask {
	a := &sayso.Ask{Questions: []sayso.Question{{
		Text: "Which database?", Options: []sayso.Option{{Label: "PostgreSQL"}, {Label: "SQLite"}},
	}}}
	a.Normalize()
	return a
}()

func chose(option string) *sayso.Outcome {
	return &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{option}}}}
}

func calls(ids ...string) (all []ToolCall) {
	for _, id := range ids {
		all = append(all, ToolCall{ID: id, Name: "tool_" + id, Arguments: "{}"})
	}
	return all
}

// reach returns the state that the events lead to.
func reach(o *Options, events ...Event) State {
	s := New("main", o)
	for _, e := range events {
		next, effects, err := Transition(s, e)
		if err != nil || len(effects) == 0 {
			panic(fmt.Sprintf("%s: %v, %v", e.name(), effects, err))
		}
		s = next
	}
	return s
}

// samples returns states of every kind, each of them reachable, and of the kinds
// of conversations: at the top, below a parent, and not allowed to ask.
func samples() []State {
	var all []State
	for _, o := range []*Options{nil, {Parent: "top", Asking: AskParent}, {Parent: "top"}, {Parent: "top", Asking: AskNobody}} {
		asking := o == nil || o.Asking != AskNobody
		say := UserMessage{ID: "m1", Text: "go"}
		one := ModelReplied{Step: 1, Calls: calls("c1")}
		three := ModelReplied{Step: 1, Calls: calls("c1", "c2", "c3")}
		spawn := SubAgentsSpawned{Step: 1, Call: "c1", Agents: []SubAgent{{ID: "kid1", Name: "ann", Task: "look"}, {ID: "kid2"}}}
		all = append(all,
			reach(o),
			reach(o, say),
			reach(o, say, one),
			reach(o, say, three),
			reach(o, say, three, ToolFinished{Step: 1, Result: ToolResult{Call: "c1", Text: "ok"}}),
			reach(o, say, one, ToolFinished{Step: 1, Result: ToolResult{Call: "c1"}}),
			reach(o, say, one, spawn),
			reach(o, say, three, spawn, SubAgentAsked{Agent: "kid1", Ask: ask("a2")}),
			reach(o, say, three, spawn, SubAgentAsked{Agent: "kid2", Ask: ask("a2")}, SubAgentDone{Agent: "kid1", Text: "found"}),
			reach(o, say, three, spawn, SubAgentDone{Agent: "kid1", Text: "found"}),
			reach(o, say, one, spawn, SubAgentDone{Agent: "kid1", Text: "found"}),
			reach(o, say, three, spawn, Cancel{}),
			reach(o, say, ModelReplied{Step: 1, Text: "hello"}),
			reach(o, say, End{Reason: "enough"}),
		)
		failed := []Event{say}
		for attempt := 1; attempt < MaxAttempts; attempt++ {
			failed = append(failed, ModelFailed{Step: 1, Attempt: attempt, Error: "overloaded", Retryable: true})
		}
		all = append(all, reach(o, failed...), reach(o, append(failed, ModelFailed{Step: 1, Attempt: MaxAttempts, Error: "overloaded", Retryable: true})...))
		if !asking {
			continue
		}
		pending := AskPending{Step: 1, Call: "c1", Ask: ask("a1")}
		answer := AskClosed{Ask: "a1", Outcome: chose("o1"), Result: ToolResult{Text: "PostgreSQL"}}
		all = append(all,
			reach(o, say, one, pending),
			reach(o, say, three, pending),
			reach(o, say, one, pending, answer),
			reach(o, say, three, pending, answer),
			reach(o, say, three, pending, Cancel{Reason: "changed my mind"}),
			reach(o, say, three, pending, AskWithdrawn{Ask: "a1"}),
			reach(o, say, three, pending, AskWithdrawn{Ask: "a1"}, AskPending{Step: 1, Call: "c2", Ask: ask("a3")}),
			reach(o, say, three, pending, UserMessage{ID: "m2", Text: "never mind"}),
			reach(o, say, three, pending, UserMessage{ID: "m2", Text: "never mind"}, ModelFailed{Step: 2, Attempt: 1, Error: "refused"}),
			reach(o, say, three, spawn, SubAgentAsked{Agent: "kid1", Ask: ask("a2")}, AskClosed{Ask: "a2", Outcome: chose("o2")}),
		)
	}
	return all
}

// eventsFor returns events of a kind as this state may meet them: fitting, stale,
// foreign and wrong. New things get fresh names.
func eventsFor(s State, kind string, fresh func(prefix string) string) []Event {
	v := view(s)
	t := s.thread()
	var all []Event
	switch kind {
	case "user_message":
		all = append(all, UserMessage{ID: fresh("m"), Text: "hi"}, UserMessage{ID: t.Message, Text: "hi"}, UserMessage{})
	case "model_replied":
		c1, c2 := fresh("c"), fresh("c")
		for _, step := range []int{t.Step, t.Step - 1, t.Step + 1} {
			all = append(all, ModelReplied{Step: step, Text: "done"}, ModelReplied{Step: step, Calls: calls(c1)}, ModelReplied{Step: step, Calls: calls(c1, c2)})
		}
		all = append(all, ModelReplied{Step: t.Step, Calls: calls(c1, c1)}, ModelReplied{Step: t.Step, Calls: calls("")}, ModelReplied{Step: t.Step, Calls: calls("always", c2)})
	case "model_failed":
		for _, attempt := range []int{v.attempt, v.attempt - 1, v.attempt + 1} {
			all = append(all, ModelFailed{Step: t.Step, Attempt: attempt, Error: "overloaded", Retryable: true}, ModelFailed{Step: t.Step, Attempt: attempt, Error: "refused"})
		}
		all = append(all, ModelFailed{Step: t.Step + 1, Attempt: 1})
	case "tool_finished":
		for _, call := range v.calls {
			all = append(all,
				ToolFinished{Step: t.Step, Result: ToolResult{Call: call, Text: "ok"}},
				ToolFinished{Step: t.Step, Result: ToolResult{Call: call, Text: "no", IsError: true}},
				ToolFinished{Step: t.Step, Result: ToolResult{Call: call, Text: "stop", StopTurn: true}},
				ToolFinished{Step: t.Step - 1, Result: ToolResult{Call: call, Text: "old"}})
		}
	case "ask_pending":
		for _, call := range v.calls {
			all = append(all, AskPending{Step: t.Step, Call: call, Ask: ask(fresh("a"))}, AskPending{Step: t.Step, Call: call}, AskPending{Step: t.Step, Call: call, Ask: ask("")})
			for _, a := range v.asks {
				all = append(all, AskPending{Step: t.Step, Call: call, Ask: ask(a)})
			}
		}
	case "ask_closed":
		for _, a := range v.asks {
			all = append(all,
				AskClosed{Ask: a, Outcome: chose("o1"), Result: ToolResult{Text: "PostgreSQL"}},
				AskClosed{Ask: a, Outcome: chose("o2"), Result: ToolResult{Text: "SQLite"}},
				AskClosed{Ask: a, Outcome: &sayso.Outcome{Status: sayso.StatusDeclined}, Result: ToolResult{Text: "declined"}},
				AskClosed{Ask: a, Outcome: &sayso.Outcome{Status: sayso.StatusCancelled}, Result: ToolResult{Text: "cancelled", StopTurn: true, IsError: true}},
				AskClosed{Ask: a, Outcome: &sayso.Outcome{Status: sayso.StatusExpired}, Result: ToolResult{Text: "expired"}},
				AskClosed{Ask: a, Outcome: &sayso.Outcome{Status: sayso.StatusPending}},
				AskClosed{Ask: a, Outcome: &sayso.Outcome{Status: sayso.StatusAnswered}},
				AskClosed{Ask: a, Outcome: chose("none such")},
				AskClosed{Ask: a})
		}
	case "ask_withdrawn":
		for _, a := range v.asks {
			all = append(all, AskWithdrawn{Ask: a, Reason: "no longer needed"})
		}
	case "sub_agents_spawned":
		for _, call := range v.calls {
			one, two := fresh("kid"), fresh("kid")
			all = append(all,
				SubAgentsSpawned{Step: t.Step, Call: call, Agents: []SubAgent{{ID: one, Name: "ann"}, {ID: two}}},
				SubAgentsSpawned{Step: t.Step, Call: call, Agents: []SubAgent{{ID: one}, {ID: one}}},
				SubAgentsSpawned{Step: t.Step, Call: call, Agents: []SubAgent{{ID: "main"}}},
				SubAgentsSpawned{Step: t.Step, Call: call})
		}
	case "sub_agent_asked":
		for _, agent := range v.agents {
			all = append(all, SubAgentAsked{Agent: agent, Ask: ask(fresh("a"))}, SubAgentAsked{Agent: agent})
			for _, a := range v.asks {
				all = append(all, SubAgentAsked{Agent: agent, Ask: ask(a)})
			}
		}
	case "sub_agent_done":
		for _, agent := range v.agents {
			all = append(all, SubAgentDone{Agent: agent, Text: "found"}, SubAgentDone{Agent: agent, Text: "lost", IsError: true})
		}
	case "cancel":
		all = append(all, Cancel{}, Cancel{Reason: "stop it"})
	case "retry":
		all = append(all, Retry{})
	case "end":
		all = append(all, End{Reason: "enough"})
	case "delivered":
		all = append(all, Delivered{Key: "unknown"})
		for _, e := range t.Outbox {
			all = append(all, Delivered{Key: e.Key()})
		}
	case "resumed":
		all = append(all, Resumed{})
	default:
		panic("no events of kind " + kind)
	}
	return all
}

// seen is what can be seen of a state from outside.
type seen struct {
	attempt             int
	calls, asks, agents []string
}

func view(s State) seen {
	t := s.thread()
	v := seen{attempt: 1, calls: []string{"unknown"}, asks: []string{"unknown"}, agents: []string{"unknown"}}
	v.calls = append(v.calls, t.Done...)
	for _, c := range t.Closed[max(0, len(t.Closed)-3):] {
		v.asks = append(v.asks, c.ID)
	}
	switch s := s.(type) {
	case LLMRequesting:
		v.attempt = s.Attempt
	case ToolExecuting:
		v.calls = append(v.calls, s.Current.ID)
		for _, c := range s.Remaining {
			v.calls = append(v.calls, c.ID)
		}
	case AwaitingUserResponse:
		v.calls, v.asks = append(v.calls, s.Call), append(v.asks, s.Ask.ID)
	case AwaitingSubAgents:
		v.calls = append(v.calls, s.Call)
		for _, a := range s.Agents {
			v.agents = append(v.agents, a.ID)
			for _, open := range a.Asks {
				v.asks = append(v.asks, open.ID)
			}
		}
	}
	return v
}

func counter() func(string) string {
	n := 0
	return func(prefix string) string {
		n++
		return fmt.Sprintf("%s-%d", prefix, n)
	}
}

// form returns the JSON form.
func form(v interface{ name() string }) string {
	b, err := marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
