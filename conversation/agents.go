package conversation

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/saysohq/sayso"
)

func (s AwaitingSubAgents) on(e Event, c *change) (State, error) {
	switch e := e.(type) {
	case SubAgentAsked:
		return s.asked(e, c)
	case AskClosed:
		if at, a := s.asking(e.Ask); a != nil {
			if err := fits(a, e.Outcome); err != nil {
				return nil, err
			}
			c.remember(e.Ask, e.Outcome)
			c.post(TellAgent{Agent: s.Agents[at].ID, Ask: e.Ask, Outcome: e.Outcome})
			return s.without(at, e.Ask), nil
		}
	case AskWithdrawn:
		if at, a := s.asking(e.Ask); a != nil {
			c.withdraw(a, sayso.StatusCancelled, e.Reason)
			return s.without(at, e.Ask), nil
		}
	case SubAgentDone:
		return s.done(e, c)
	case SubAgentsSpawned:
		if e.Step == s.Step && e.Call == s.Call {
			return s, errSame
		}
	case Cancel:
		s.drop(c, e.Reason)
		return c.rest(textTurnCancelled, true), nil
	case End:
		s.drop(c, e.Reason)
		return c.end(e), nil
	}
	return s, c.known(e)
}

// spawn goes on with waiting for sub-agents.
func (c *change) spawn(s ToolExecuting, e SubAgentsSpawned) (State, error) {
	if len(e.Agents) == 0 {
		return nil, errors.New("there are no sub-agents")
	}
	next := AwaitingSubAgents{Call: e.Call, Remaining: s.Remaining}
	for _, a := range e.Agents {
		if a.ID == "" || a.ID == c.Conversation || next.agent(a.ID) >= 0 {
			return nil, fmt.Errorf("the sub-agent id %q is empty or taken", a.ID)
		}
		a = SubAgent{ID: a.ID, Name: a.Name, Task: a.Task}
		next.Agents = append(next.Agents, a)
		c.do(StartAgent{Agent: a})
	}
	return next, nil
}

// asked passes the ask of a sub-agent on, signed with the name of the sub-agent.
func (s AwaitingSubAgents) asked(e SubAgentAsked, c *change) (State, error) {
	at := s.agent(e.Agent)
	switch {
	case at < 0:
		return nil, fmt.Errorf("no sub-agent %q is at work", e.Agent)
	case e.Ask != nil && slices.ContainsFunc(s.Agents[at].Asks, func(a *sayso.Ask) bool { return a.ID == e.Ask.ID }):
		return s, errSame
	case s.Agents[at].Result != nil:
		return s, c.known(e)
	}
	if err := c.askable(e.Ask); err != nil {
		return s, c.known(e)
	}
	if _, other := s.asking(e.Ask.ID); other != nil {
		return nil, fmt.Errorf("ask %q is another sub-agent's", e.Ask.ID)
	}
	if c.Asking == AskNobody {
		refused := &sayso.Outcome{
			Status: sayso.StatusUnreachable,
			Reason: "asking is not available to sub-agents",
			By:     sayso.Responder{Kind: sayso.ByPolicy},
		}
		c.remember(e.Ask.ID, refused)
		c.post(TellAgent{Agent: e.Agent, Ask: e.Ask.ID, Outcome: refused})
		return s, nil
	}
	a := e.Ask.Clone()
	if name := s.Agents[at].signature(); !slices.Contains(a.Origin.Agents, name) {
		a.Origin.Agents = slices.Insert(a.Origin.Agents, 0, name)
	}
	c.put(a)
	return s.edit(at, func(agent *SubAgent) { agent.Asks = append(slices.Clip(agent.Asks), a) }), nil
}

// done takes the result of a sub-agent, and goes on when it was the last.
func (s AwaitingSubAgents) done(e SubAgentDone, c *change) (State, error) {
	at := s.agent(e.Agent)
	if at < 0 {
		return s, c.known(e)
	}
	if s.Agents[at].Result != nil {
		return s, errSame
	}
	for _, a := range s.Agents[at].Asks {
		c.withdraw(a, sayso.StatusCancelled, "the sub-agent has ended")
	}
	s = s.edit(at, func(agent *SubAgent) {
		agent.Asks = nil
		agent.Result = &ToolResult{Text: e.Text, IsError: e.IsError}
	})
	if slices.ContainsFunc(s.Agents, func(a SubAgent) bool { return a.Result == nil }) {
		return s, nil
	}
	return c.finish(s.result(), s.Remaining), nil
}

// drop leaves the sub-agents that are still at work, and what they have asked.
func (s AwaitingSubAgents) drop(c *change, reason string) {
	for _, agent := range s.Agents {
		for _, a := range agent.Asks {
			c.withdraw(a, sayso.StatusCancelled, reason)
		}
		if agent.Result == nil {
			c.post(CancelAgent{Agent: agent.ID})
		}
	}
	c.settle(ToolResult{Call: s.Call, Text: textCancelled, IsError: true}, s.Remaining)
}

// result is what the model is told of its sub-agents: a list of their last words.
// It is an error only when all of them failed.
func (s AwaitingSubAgents) result() ToolResult {
	type report struct {
		Agent   string `json:"agent"`
		Text    string `json:"text"`
		IsError bool   `json:"isError,omitempty"`
	}
	r := ToolResult{Call: s.Call, IsError: true}
	var reports []report
	for _, a := range s.Agents {
		reports = append(reports, report{a.signature(), a.Result.Text, a.Result.IsError})
		r.IsError = r.IsError && a.Result.IsError
	}
	b, err := json.Marshal(reports)
	if err != nil {
		panic("conversation: " + err.Error()) // there is nothing but strings in it
	}
	r.Text, r.Structured = string(b), b
	return r
}

func (a SubAgent) signature() string {
	if a.Name != "" {
		return a.Name
	}
	return a.ID
}

func (s AwaitingSubAgents) agent(id string) int {
	return slices.IndexFunc(s.Agents, func(a SubAgent) bool { return a.ID == id })
}

// asking returns the open ask with this id, and which sub-agent asks it.
func (s AwaitingSubAgents) asking(ask string) (int, *sayso.Ask) {
	for i, agent := range s.Agents {
		for _, a := range agent.Asks {
			if a.ID == ask {
				return i, a
			}
		}
	}
	return -1, nil
}

func (s AwaitingSubAgents) without(at int, ask string) State {
	return s.edit(at, func(agent *SubAgent) {
		agent.Asks = slices.DeleteFunc(slices.Clone(agent.Asks), func(a *sayso.Ask) bool { return a.ID == ask })
		if len(agent.Asks) == 0 {
			agent.Asks = nil
		}
	})
}

// edit returns a copy in which one sub-agent is changed.
func (s AwaitingSubAgents) edit(at int, change func(*SubAgent)) AwaitingSubAgents {
	s.Agents = slices.Clone(s.Agents)
	change(&s.Agents[at])
	return s
}
