package conversation

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"
)

// Random conversations, each made of its number, keep the laws.
func TestRandomConversations(t *testing.T) {
	n := 10_000
	if os.Getenv("SAYSO_LONG") != "" {
		n = 100_000
	}
	all, _ := table()
	reached := map[string]int{}
	moves := 0
	for seed := range n {
		w := newWatch(uint64(seed))
		for after := 0; after < 5 && len(w.past) < 25; {
			if w.state.name() == "ended" {
				after++ // nothing comes after the end, and that is tried too
			}
			from := w.state.name()
			e := w.choose()
			if err := w.feed(e); err != nil {
				t.Fatalf("conversation %d: %s in %s: %v", seed, form(e), from, err)
			}
			moves++
			reached[w.state.name()]++
			if w.moved && !all[from][e.name()][w.state.name()] {
				t.Errorf("conversation %d: the table does not know that %s leads from %s to %s", seed, e.name(), from, w.state.name())
			}
		}
	}
	for _, s := range states {
		if reached[s.name()] < n/10 {
			t.Errorf("%s was reached only %d times", s.name(), reached[s.name()])
		}
	}
	t.Logf("%d conversations, %d events, reached %v", n, moves, reached)
}

// watch is a conversation, and what the world has seen of it.
type watch struct {
	*rand.Rand
	state State
	fresh func(string) string
	past  []Event
	moved bool

	effects  map[string]Effect // by key, all that were returned
	settled  map[string]bool   // keys of what has its result
	open     []string          // calls of the last reply that have no result yet
	asks     map[string]bool   // that somebody sees
	agents   map[string]bool   // that are at work
	outgoing map[string]bool   // keys of what is not known to be delivered
}

func newWatch(seed uint64) *watch {
	w := &watch{
		Rand: rand.New(rand.NewPCG(seed, 1)), fresh: counter(),
		effects: map[string]Effect{}, settled: map[string]bool{},
		asks: map[string]bool{}, agents: map[string]bool{}, outgoing: map[string]bool{},
	}
	options := []*Options{nil, nil, nil, {Parent: "top", Asking: AskParent}, {Parent: "top"}, {Parent: "top", Asking: AskNobody}}
	w.state = New("main", options[w.IntN(len(options))])
	return w
}

// choose returns what happens next: mostly something that the state waits for,
// sometimes anything, sometimes what happened before.
func (w *watch) choose() Event {
	kind := events[w.IntN(len(events))].name()
	switch dice := w.IntN(10); {
	case dice == 0 && len(w.past) > 0:
		return w.past[w.IntN(len(w.past))]
	case dice < 8:
		expected := map[string][]string{
			"idle":                   {"user_message"},
			"llm_requesting":         {"model_replied", "model_replied", "model_replied", "model_failed"},
			"tool_executing":         {"tool_finished", "ask_pending", "ask_pending", "sub_agents_spawned"},
			"awaiting_user_response": {"ask_closed", "ask_closed", "ask_withdrawn", "user_message"},
			"awaiting_sub_agents":    {"sub_agent_asked", "sub_agent_done", "ask_closed", "ask_withdrawn"},
			"failed":                 {"retry", "user_message"},
			"ended":                  {"delivered"},
		}[w.state.name()]
		kind = expected[w.IntN(len(expected))]
	}
	all := eventsFor(w.state, kind, w.fresh)
	return all[w.IntN(len(all))]
}

// feed takes one transition and reports which law it breaks.
func (w *watch) feed(e Event) error {
	s := w.state
	next, effects, err := Transition(s, e)
	w.moved = false
	var r *RejectedError
	switch {
	case err != nil:
		if !errors.As(err, &r) || !reflect.DeepEqual(next, s) || len(effects) > 0 {
			return fmt.Errorf("a rejection that does something: %w", err)
		}
		return nil
	case e == Resumed{}:
		return w.resumed(next, effects)
	case len(effects) == 0:
		if !reflect.DeepEqual(next, s) {
			return errors.New("a change that is not saved")
		}
		return nil
	}
	w.past, w.moved = append(w.past, e), true
	if s.name() == "ended" && (next.name() != "ended" || e.name() != "delivered") {
		return errors.New("the end was not final")
	}
	save, ok := effects[0].(Save)
	if !ok || save.Revision != s.thread().Revision+1 || next.thread().Revision != save.Revision {
		return errors.New("the first effect is not the save of the next revision")
	}
	if err := w.entries(save.Entries); err != nil {
		return err
	}
	if err := w.close(e); err != nil {
		return err
	}
	for _, effect := range effects {
		if err := w.effect(effect); err != nil {
			return err
		}
	}
	if err := w.waits(next); err != nil {
		return err
	}
	if w.IntN(4) == 0 {
		if next, err = w.sleep(s, next); err != nil {
			return err
		}
	}
	w.state = next
	// The same event again does nothing.
	if _, again, _ := Transition(w.state, e); len(again) > 0 {
		return errors.New("the event did something a second time")
	}
	return nil
}

// sleep writes the next state and reads it. Meanwhile other things happen to the
// state before, which must not be seen in it.
func (w *watch) sleep(before, next State) (State, error) {
	saved := form(next)
	for range 3 {
		all := eventsFor(before, events[w.IntN(len(events))].name(), w.fresh)
		Transition(before, all[w.IntN(len(all))])
	}
	read, err := UnmarshalState([]byte(form(next)))
	if err == nil && form(read) != saved {
		err = errors.New("it is another one")
	}
	if err != nil {
		return nil, fmt.Errorf("the state that was saved as %s: %w", saved, err)
	}
	return read, nil
}

// waits holds the state to what the world sees: whoever was asked or started, and
// has not been told otherwise, is waited for.
func (w *watch) waits(s State) error {
	asks, agents := map[string]bool{}, map[string]bool{}
	switch s := s.(type) {
	case AwaitingUserResponse:
		asks[s.Ask.ID] = true
	case AwaitingSubAgents:
		for _, a := range s.Agents {
			if a.Result == nil {
				agents[a.ID] = true
			}
			for _, open := range a.Asks {
				asks[open.ID] = true
			}
		}
	}
	if !maps.Equal(asks, w.asks) || !maps.Equal(agents, w.agents) {
		return fmt.Errorf("it waits for asks %v and agents %v, and %v and %v are out", asks, agents, w.asks, w.agents)
	}
	return nil
}

// entries holds every call to one result, before the model is asked again.
func (w *watch) entries(entries []Entry) error {
	for _, entry := range entries {
		if len(w.open) > 0 && entry.Role != RoleTool {
			return fmt.Errorf("calls %q have no result", w.open)
		}
		for _, c := range entry.Calls {
			w.open = append(w.open, c.ID)
		}
		for _, result := range entry.Results {
			if len(w.open) == 0 || w.open[0] != result.Call {
				return fmt.Errorf("a result for %s where %q are open", result.Call, w.open)
			}
			w.open = w.open[1:]
		}
	}
	return nil
}

// effect looks at an effect that was returned for the first time.
func (w *watch) effect(e Effect) error {
	if _, ok := w.effects[e.Key()]; ok {
		return fmt.Errorf("%s came a second time", e.Key())
	}
	w.effects[e.Key()] = e
	switch e := e.(type) {
	case RequestModel:
		if len(w.open) > 0 {
			return fmt.Errorf("the model is asked while calls %q have no result", w.open)
		}
	case AskUser:
		w.asks[e.Ask.ID] = true
	case StartAgent:
		w.agents[e.Agent.ID] = true
	case WithdrawAsk:
		delete(w.asks, e.Ask)
		w.settled["ask/"+e.Ask] = true
		w.outgoing[e.Key()] = true
	case CancelAgent:
		delete(w.agents, e.Agent)
		w.settled["agent/"+e.Agent] = true
		w.outgoing[e.Key()] = true
	case StopWork:
		w.settled[e.Work] = true
	case TellAgent, TellParent:
		w.outgoing[e.Key()] = true
	}
	return nil
}

// close notes what an event settles. It must have been wanted, and only once.
func (w *watch) close(e Event) error {
	var key string
	switch e := e.(type) {
	case ModelReplied:
		key = RequestModel{Step: e.Step, Attempt: 1}.Key()
	case ToolFinished:
		key = ExecuteTool{Step: e.Step, Call: ToolCall{ID: e.Result.Call}}.Key()
	case AskPending:
		key = ExecuteTool{Step: e.Step, Call: ToolCall{ID: e.Call}}.Key()
	case SubAgentsSpawned:
		key = ExecuteTool{Step: e.Step, Call: ToolCall{ID: e.Call}}.Key()
	case AskClosed:
		key = "ask/" + e.Ask
		delete(w.asks, e.Ask)
	case SubAgentDone:
		key = "agent/" + e.Agent
		delete(w.agents, e.Agent)
	case Delivered:
		key = e.Key
		delete(w.outgoing, e.Key)
	default:
		return nil
	}
	if _, ok := w.effects[key]; !ok || w.settled[key] {
		return fmt.Errorf("%s was not wanted, or is settled", key)
	}
	w.settled[key] = true
	return nil
}

// resumed holds what is repeated to what was returned before.
func (w *watch) resumed(next State, effects []Effect) error {
	if !reflect.DeepEqual(next, w.state) {
		return errors.New("resuming has changed the state")
	}
	for _, e := range effects {
		switch before, ok := w.effects[e.Key()]; {
		case !ok:
			return fmt.Errorf("%s was never returned before", e.Key())
		case form(before) != form(e):
			return fmt.Errorf("%s is now %s and was %s", e.Key(), form(e), form(before))
		case w.settled[e.Key()]:
			return fmt.Errorf("%s is repeated, and was settled", e.Key())
		}
	}
	repeated := map[string]int{}
	for _, e := range effects {
		kind := e.name()
		if w.outgoing[e.Key()] {
			kind = "outgoing"
		}
		repeated[kind]++
	}
	if repeated["outgoing"] != len(w.outgoing) || repeated["ask_user"] != len(w.asks) || repeated["start_agent"] != len(w.agents) {
		return fmt.Errorf("of %v, %v and %v only %v are repeated", w.outgoing, w.asks, w.agents, repeated)
	}
	// A state that waits for something repeats what it waits for.
	switch next.name() {
	case "llm_requesting", "tool_executing", "awaiting_user_response", "awaiting_sub_agents":
		if len(effects) == repeated["outgoing"] {
			return errors.New("nothing is repeated that could end the wait")
		}
	}
	return nil
}
