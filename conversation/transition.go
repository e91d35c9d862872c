package conversation

import (
	"errors"
	"fmt"
	"slices"
)

// RejectedError says that an event does not fit the state. Nothing has changed:
// whoever delivers events drops it and goes on.
type RejectedError struct {
	State  State
	Event  Event
	Reason string
}

func (e *RejectedError) Error() string {
	return fmt.Sprintf("conversation: %s does not take %s: %s", nameOf(e.State), nameOf(e.Event), e.Reason)
}

func nameOf(v interface{ name() string }) string {
	if v == nil {
		return "nil"
	}
	return v.name()
}

// errSame means that the event has been seen, or asks for what is so already.
var errSame = errors.New("no change")

// Transition returns what an event makes of a state, and what the host has to do
// about it, in order. No effects mean no change. An error is a [*RejectedError],
// and the state is then the one that was given.
func Transition(s State, e Event) (State, []Effect, error) {
	reject := func(reason string) (State, []Effect, error) {
		return s, nil, &RejectedError{s, e, reason}
	}
	if s == nil || e == nil {
		return reject("it is nil")
	}
	if _, ok := e.(Resumed); ok {
		return s, outstanding(s), nil
	}
	c := &change{Thread: s.thread()}
	next, err := s.on(e, c)
	switch {
	case errors.Is(err, errSame):
		return s, nil, nil
	case err != nil:
		return reject(err.Error())
	}
	c.Revision++
	next = next.with(c.Thread)
	effects := []Effect{Save{Revision: c.Revision, Entries: c.entries}}
	if !c.quiet {
		effects = append(effects, Notify{Revision: c.Revision, State: next.name()})
	}
	return next, append(effects, c.effects...), nil
}

// change is a transition in the making: the thread of the next state, what is
// added to the transcript, and what is to be done after the save. It never writes
// into a slice of the old state.
type change struct {
	Thread
	entries []Entry
	effects []Effect
	quiet   bool // nobody needs to be told
}

func (c *change) do(e Effect) { c.effects = append(c.effects, e) }

// post does an effect that the next state would not remember otherwise: it stays
// in the outbox until it is delivered.
func (c *change) post(e Effect) {
	c.do(e)
	c.Outbox = append(slices.Clip(c.Outbox), e)
}

// result adds the result of a call to the transcript.
func (c *change) result(r ToolResult) {
	if n := len(c.entries); n > 0 && c.entries[n-1].Role == RoleTool {
		c.entries[n-1].Results = append(c.entries[n-1].Results, r)
	} else {
		c.entries = append(c.entries, Entry{Role: RoleTool, Results: []ToolResult{r}})
	}
	c.Done = append(slices.Clip(c.Done), r.Call)
}

// known judges an event that the state has no use for: what the conversation has
// seen is no change, everything else is rejected. Cancel and End are here for the
// states in which nothing is left to cancel.
func (c *change) known(e Event) error {
	switch e := e.(type) {
	case UserMessage:
		if e.ID == c.Message && e.ID != "" {
			return errSame
		}
		return errors.New("the conversation is not waiting for a message")
	case ModelReplied:
		return c.seenStep(e.Step)
	case ModelFailed:
		return c.seenStep(e.Step)
	case ToolFinished:
		return c.seenCall(e.Step, e.Result.Call)
	case AskPending:
		return c.seenCall(e.Step, e.Call)
	case AskClosed:
		return c.seenOutcome(e)
	case AskWithdrawn:
		return c.seenAsk(e.Ask)
	case SubAgentsSpawned:
		return c.seenCall(e.Step, e.Call)
	case SubAgentAsked:
		if e.Ask == nil {
			return errors.New("there is no ask")
		}
		return c.seenAsk(e.Ask.ID)
	case SubAgentDone:
		return errors.New("no such sub-agent is at work")
	case Cancel, End:
		return errSame
	case Retry:
		return errors.New("nothing has failed")
	case Delivered:
		return c.deliver(e.Key)
	}
	return errors.New("no such event is known")
}

func (c *change) seenStep(step int) error {
	if step >= 1 && step <= c.Step {
		return errSame
	}
	return fmt.Errorf("step %d was not requested", step)
}

func (c *change) seenCall(step int, call string) error {
	if step >= 1 && step < c.Step || step == c.Step && c.done(call) {
		return errSame
	}
	return fmt.Errorf("call %q of step %d is not being executed", call, step)
}

func (c *change) seenAsk(ask string) error {
	if _, ok := c.closed(ask); ok {
		return errSame
	}
	return fmt.Errorf("ask %q is not open", ask)
}

func (c *change) seenOutcome(e AskClosed) error {
	decided, ok := c.closed(e.Ask)
	switch {
	case !ok:
		return fmt.Errorf("ask %q is not open", e.Ask)
	case e.Outcome == nil || decision(e.Outcome) != decided:
		return fmt.Errorf("ask %q was closed with another outcome", e.Ask)
	}
	return errSame
}

// deliver takes an effect out of the outbox.
func (c *change) deliver(key string) error {
	at := slices.IndexFunc(c.Outbox, func(e Effect) bool { return e.Key() == key })
	if at < 0 {
		return errSame
	}
	c.Outbox = slices.Delete(slices.Clone(c.Outbox), at, at+1)
	if len(c.Outbox) == 0 {
		c.Outbox = nil
	}
	c.quiet = true
	return nil
}
