package conversation

import (
	"errors"
	"fmt"
	"slices"
)

// MaxAttempts is how often a request is tried before the conversation fails.
const MaxAttempts = 4

func (s Idle) on(e Event, c *change) (State, error) {
	switch e := e.(type) {
	case UserMessage:
		return c.hear(s, e)
	case Cancel:
		if c.Parent != "" { // its one turn is over before it began
			return c.rest(textTurnCancelled, true), nil
		}
	case End:
		return c.end(e), nil
	}
	return s, c.known(e)
}

func (s Failed) on(e Event, c *change) (State, error) {
	switch e := e.(type) {
	case UserMessage:
		return c.hear(s, e)
	case Retry:
		return c.request(), nil
	case Cancel:
		return Idle{}, nil
	case End:
		return c.end(e), nil
	}
	return s, c.known(e)
}

func (s Ended) on(e Event, c *change) (State, error) {
	return s, c.known(e)
}

func (s LLMRequesting) on(e Event, c *change) (State, error) {
	switch e := e.(type) {
	case ModelReplied:
		if e.Step != c.Step {
			break
		}
		return c.reply(e)
	case ModelFailed:
		if e.Step != c.Step || e.Attempt < s.Attempt {
			break
		}
		if e.Attempt > s.Attempt {
			return nil, fmt.Errorf("attempt %d was not made", e.Attempt)
		}
		return c.fail(e), nil
	case Cancel:
		c.do(StopWork{Work: s.request().Key()})
		return c.rest(textTurnCancelled, true), nil
	case End:
		c.do(StopWork{Work: s.request().Key()})
		return c.end(e), nil
	}
	return s, c.known(e)
}

func (s LLMRequesting) request() RequestModel {
	return RequestModel{Step: s.Step, Attempt: s.Attempt}
}

// hear takes a message of the user, once.
func (c *change) hear(s State, e UserMessage) (State, error) {
	switch e.ID {
	case "":
		return nil, errors.New("the message has no id")
	case c.Message:
		return s, errSame
	}
	c.Message = e.ID
	c.entries = append(c.entries, Entry{Role: RoleUser, ID: e.ID, Text: e.Text})
	return c.request(), nil
}

// request goes on with the next request to the model.
func (c *change) request() State {
	c.Step++
	c.do(RequestModel{Step: c.Step, Attempt: 1})
	return LLMRequesting{Attempt: 1}
}

// reply goes on with the first of the tools that the model wants to have run.
func (c *change) reply(e ModelReplied) (State, error) {
	for i, call := range e.Calls {
		if call.ID == "" {
			return nil, fmt.Errorf("call %d has no id", i)
		}
		if slices.ContainsFunc(e.Calls[:i], func(earlier ToolCall) bool { return earlier.ID == call.ID }) {
			return nil, fmt.Errorf("two calls have the id %q", call.ID)
		}
	}
	c.entries = append(c.entries, Entry{Role: RoleModel, Text: e.Text, Content: e.Content, Calls: slices.Clone(e.Calls)})
	if len(e.Calls) == 0 {
		return c.rest(e.Text, false), nil
	}
	c.Done = nil
	return c.execute(slices.Clone(e.Calls)), nil
}

// fail tries again, or gives up.
func (c *change) fail(e ModelFailed) State {
	if e.Retryable && e.Attempt < MaxAttempts {
		c.do(RequestModel{Step: c.Step, Attempt: e.Attempt + 1})
		return LLMRequesting{Attempt: e.Attempt + 1}
	}
	if c.Parent != "" {
		return c.rest(e.Error, true)
	}
	return Failed{Error: e.Error}
}

// rest ends the turn. A sub-agent has only one.
func (c *change) rest(text string, isError bool) State {
	if c.Parent == "" {
		return Idle{}
	}
	c.post(TellParent{Parent: c.Parent, Text: text, IsError: isError})
	return Ended{Text: text, IsError: isError}
}

// end ends the conversation, whatever it was at.
func (c *change) end(e End) State {
	if c.Parent != "" {
		c.post(TellParent{Parent: c.Parent, Text: e.Reason, IsError: true})
	}
	return Ended{Text: e.Reason, IsError: c.Parent != ""}
}
