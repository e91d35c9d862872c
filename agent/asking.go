package agent

import (
	"context"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/conversation"
)

// put lets the person see an ask, or the parent.
func (f *family) put(ctx context.Context, id string, e conversation.AskUser) {
	if e.Parent == "" {
		f.begin(ctx, askWork(e.Ask.ID), func(ctx context.Context) []mail {
			o := f.h.putAsk(ctx, e.Ask)
			f.after(id, e)
			return closed(id, e.Ask.ID, o)
		})
		return
	}
	pass := mail{to: e.Parent, event: conversation.SubAgentAsked{Agent: id, Ask: e.Ask}}
	if !f.mayAnswer(e) {
		f.send(pass)
		f.after(id, e)
		return
	}
	parent := f.members[e.Parent]
	question := f.h.question(f.nameOf(e.Parent), f.nameOf(id), parent, e.Ask)
	f.begin(ctx, id+"/"+e.Key(), func(ctx context.Context) []mail {
		o := question(ctx)
		f.after(id, e)
		if o == nil && ctx.Err() == nil {
			return []mail{pass}
		}
		return closed(id, e.Ask.ID, o)
	})
}

// certain puts the ask of a conversation that sleeps, before the first mail is
// dealt with, if nobody knows whether it was put: the host may have died between
// the save and that, or another one be just at it. The hub takes an ask once.
func (f *family) certain(ctx context.Context, m mail) error {
	unsure := f.unsure
	f.unsure = false
	if !unsure || m.answered != "" { // the hub tells only of what it has
		return nil
	}
	return f.feed(ctx, f.root, f.members[f.root], conversation.Resumed{}, nil)
}

func askWork(ask string) string { return "ask/" + ask }

// closed is the mail of an outcome, if there is one.
func closed(id, ask string, o *sayso.Outcome) []mail {
	if o == nil {
		return nil
	}
	return happened(id, conversation.AskClosed{Ask: ask, Outcome: o})
}

// answered looks after an ask that may have an outcome by now. It is the one at
// the top that has put it before the person, for itself or for a sub-agent.
func (f *family) answered(ctx context.Context, ask string) error {
	a := openAsk(f.members[f.root], ask)
	if a == nil {
		return nil // it was heard before
	}
	// Once the asker is said to have the outcome, somebody has to go on with it. Of
	// one that sleeps, an ask that is not open says so.
	if !f.asleep {
		if err := f.own(ctx); err != nil {
			return err
		}
	}
	before := f.work.running[askWork(ask)] // it is being put just now
	f.begin(ctx, "take/"+ask, func(ctx context.Context) []mail {
		if !before.wait(ctx) {
			return nil
		}
		f.before(f.root, "take")
		o := f.h.takeOutcome(ctx, a)
		f.after(f.root, "take")
		return closed(f.root, ask, o)
	})
	return nil
}

// openAsk returns the ask that a member has put and that has no outcome.
func openAsk(m *member, ask string) *sayso.Ask {
	if m == nil {
		return nil
	}
	for _, a := range openAsks(m.state) {
		if a.ID == ask {
			return a
		}
	}
	return nil
}

func openAsks(s conversation.State) []*sayso.Ask {
	switch s := s.(type) {
	case conversation.AwaitingUserResponse:
		return []*sayso.Ask{s.Ask}
	case conversation.AwaitingSubAgents:
		var all []*sayso.Ask
		for _, agent := range s.Agents {
			all = append(all, agent.Asks...)
		}
		return all
	}
	return nil
}

// complete adds to an outcome what the model is told of it, which depends on who
// asked, and returns the ask that it is the outcome of.
func (f *family) complete(who *member, e conversation.Event) (conversation.Event, *journal.Closed) {
	c, ok := e.(conversation.AskClosed)
	if !ok || c.Outcome == nil {
		return e, nil
	}
	a := openAsk(who, c.Ask)
	if a == nil {
		return e, nil
	}
	if s, ok := who.state.(conversation.AwaitingUserResponse); ok {
		r, err := f.h.ask.Finish(s.Ask, c.Outcome)
		if err != nil {
			return e, nil // it does not fit, and is rejected for that
		}
		c.Result = conversation.ToolResult{Call: s.Call, Text: r.Text, Structured: r.Structured, IsError: r.IsError, StopTurn: r.StopTurn}
	}
	return c, &journal.Closed{Ask: a, Outcome: c.Outcome}
}

// withdraw takes an ask back.
func (f *family) withdraw(ctx context.Context, id string, e conversation.WithdrawAsk) {
	if e.Parent != "" {
		f.work.stop(id + "/ask/" + e.Ask) // the parent need not think about it any more
		f.send(mail{to: e.Parent, event: conversation.AskWithdrawn{Ask: e.Ask, Reason: e.Reason}})
		f.delivered(id, e)
		f.after(id, e)
		return
	}
	before := f.work.running[askWork(e.Ask)]
	f.begin(ctx, id+"/"+e.Key(), func(ctx context.Context) []mail {
		if !before.wait(ctx) || !f.h.withdrawAsk(ctx, f.root, e) {
			return nil
		}
		f.after(id, e)
		return happened(id, conversation.Delivered{Key: e.Key()})
	})
}
