package conversation

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/saysohq/sayso"
)

func (s AwaitingUserResponse) on(e Event, c *change) (State, error) {
	switch e := e.(type) {
	case AskClosed:
		if e.Ask != s.Ask.ID {
			break
		}
		if err := fits(s.Ask, e.Outcome); err != nil {
			return nil, err
		}
		c.remember(e.Ask, e.Outcome)
		e.Result.Call = s.Call
		return c.finish(e.Result, s.Remaining), nil
	case AskWithdrawn:
		if e.Ask != s.Ask.ID {
			break
		}
		c.withdraw(s.Ask, sayso.StatusCancelled, e.Reason)
		return c.finish(ToolResult{Call: s.Call, Text: textAskWithdrawn, IsError: true}, s.Remaining), nil
	case AskPending:
		if e.Step == s.Step && e.Call == s.Call && e.Ask != nil && e.Ask.ID == s.Ask.ID {
			return s, errSame
		}
	case UserMessage:
		if e.ID == c.Message {
			break
		}
		return s.replaced(e, c)
	case Cancel:
		s.drop(c, e.Reason)
		return c.rest(textTurnCancelled, true), nil
	case End:
		s.drop(c, e.Reason)
		return c.end(e), nil
	}
	return s, c.known(e)
}

// drop takes the ask back, and leaves the calls after it.
func (s AwaitingUserResponse) drop(c *change, reason string) {
	c.withdraw(s.Ask, sayso.StatusCancelled, reason)
	c.settle(ToolResult{Call: s.Call, Text: textAskCancelled, IsError: true}, s.Remaining)
}

// replaced goes on with a message that came in place of an answer. It is for the
// model to say whether the calls after the ask are still wanted.
func (s AwaitingUserResponse) replaced(e UserMessage, c *change) (State, error) {
	c.settle(ToolResult{Call: s.Call, Text: textAskReplaced}, s.Remaining)
	c.withdraw(s.Ask, sayso.StatusSuperseded, textAskReplaced)
	return c.hear(s, e)
}

// ask goes on with waiting for the person.
func (c *change) ask(s ToolExecuting, e AskPending) (State, error) {
	if err := c.askable(e.Ask); err != nil {
		return nil, err
	}
	if c.Asking == AskNobody {
		return c.finish(notForAgents(s.Current), s.Remaining), nil
	}
	c.put(e.Ask)
	return AwaitingUserResponse{Ask: e.Ask, Call: e.Call, Remaining: s.Remaining}, nil
}

// askable reports what keeps an ask from being put. Two calls with the same id
// and the same questions are the same ask to whoever stores it, so the host gives
// each call an id of its own.
func (c *change) askable(a *sayso.Ask) error {
	switch {
	case a == nil:
		return errors.New("there is no ask")
	case a.ID == "":
		return errors.New("the ask has no id")
	}
	if _, ok := c.closed(a.ID); ok {
		return fmt.Errorf("ask %q was closed before", a.ID)
	}
	return nil
}

func (c *change) put(a *sayso.Ask) { c.do(putting(c.Thread, a)) }

// putting is the effect that lets whoever may answer see the ask.
func putting(t Thread, a *sayso.Ask) AskUser { return AskUser{Ask: a, Parent: t.asksParent()} }

func (t Thread) asksParent() string {
	if t.Asking == AskParent {
		return t.Parent
	}
	return ""
}

// withdraw takes an ask back from whoever it was put before.
func (c *change) withdraw(a *sayso.Ask, status sayso.Status, reason string) {
	c.remember(a.ID, &sayso.Outcome{Status: status})
	c.post(WithdrawAsk{Ask: a.ID, Parent: c.asksParent(), Status: status, Reason: reason})
}

func (c *change) remember(ask string, o *sayso.Outcome) {
	c.Closed = append(slices.Clip(c.Closed), ClosedAsk{ask, decision(o)})
}

// fits reports what keeps an outcome from closing an ask.
func fits(a *sayso.Ask, o *sayso.Outcome) error {
	switch {
	case o == nil:
		return errors.New("there is no outcome")
	case !o.Status.Final():
		return fmt.Errorf("%q does not close an ask", o.Status)
	}
	return a.Check(o)
}

// decision returns a hash of what was decided, by whomever and whenever. The
// order in which options were chosen does not count.
func decision(o *sayso.Outcome) string {
	o = &sayso.Outcome{Status: o.Status, Reply: o.Reply, Answers: slices.Clone(o.Answers)}
	for i := range o.Answers {
		o.Answers[i].Selected = slices.Sorted(slices.Values(o.Answers[i].Selected))
	}
	b, err := json.Marshal(o)
	if err != nil {
		panic("conversation: " + err.Error()) // an Outcome has nothing that cannot be marshalled
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}
