package conversation

import "fmt"

// What the model is told about calls that this package ends by itself. Nothing of
// it can be taken for an answer.
const (
	textTurnCancelled = "The turn was cancelled."
	textCancelled     = "The call was cancelled."
	textNotRun        = "The call was not run, because the turn ended before it."
	textAskCancelled  = "User cancelled the question"
	textAskReplaced   = "The user replied in the conversation instead of answering the question."
	textAskWithdrawn  = "The question was withdrawn before anybody responded."
	textNotForAgents  = "%s is not available to sub-agents"
)

func (s ToolExecuting) on(e Event, c *change) (State, error) {
	switch e := e.(type) {
	case ToolFinished:
		if e.Step != s.Step || e.Result.Call != s.Current.ID {
			break
		}
		return c.finish(e.Result, s.Remaining), nil
	case AskPending:
		if e.Step != s.Step || e.Call != s.Current.ID {
			break
		}
		return c.ask(s, e)
	case SubAgentsSpawned:
		if e.Step != s.Step || e.Call != s.Current.ID {
			break
		}
		return c.spawn(s, e)
	case Cancel:
		s.drop(c)
		return c.rest(textTurnCancelled, true), nil
	case End:
		s.drop(c)
		return c.end(e), nil
	}
	return s, c.known(e)
}

// drop leaves the call that runs, and those after it.
func (s ToolExecuting) drop(c *change) {
	c.do(StopWork{Work: ExecuteTool{Step: s.Step, Call: s.Current}.Key()})
	c.settle(ToolResult{Call: s.Current.ID, Text: textCancelled, IsError: true}, s.Remaining)
}

// execute goes on with the first call, or with the model when there is none.
func (c *change) execute(calls []ToolCall) State {
	if len(calls) == 0 {
		return c.request()
	}
	next := ToolExecuting{Current: calls[0]}
	if len(calls) > 1 {
		next.Remaining = calls[1:]
	}
	c.do(ExecuteTool{Step: c.Step, Call: next.Current})
	return next
}

// finish takes the result of a call and goes on.
func (c *change) finish(r ToolResult, remaining []ToolCall) State {
	if r.StopTurn {
		c.settle(r, remaining)
		return c.rest(r.Text, r.IsError)
	}
	c.result(r)
	return c.execute(remaining)
}

// settle gives a call its result, and the calls after it theirs, which will not
// run: models refuse a transcript in which a call has none.
func (c *change) settle(r ToolResult, remaining []ToolCall) {
	c.result(r)
	for _, call := range remaining {
		c.result(ToolResult{Call: call.ID, Text: textNotRun, IsError: true})
	}
}

func notForAgents(call ToolCall) ToolResult {
	return ToolResult{Call: call.ID, Text: fmt.Sprintf(textNotForAgents, call.Name), IsError: true}
}
