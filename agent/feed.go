package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/conversation"
)

// point is a place before or after something that the world can see, for the tests
// that kill the process there.
type point struct {
	Conversation string
	What         string // the type of an effect, or own, rest, claim, take
	After        bool   // it has happened, and nothing that follows from it
}

func (f *family) before(id string, what any) { f.at(id, what, false) }
func (f *family) after(id string, what any)  { f.at(id, what, true) }

func (f *family) at(id string, what any, after bool) {
	if f.h.o.probe == nil {
		return
	}
	name, ok := what.(string)
	if !ok {
		name = strings.TrimPrefix(fmt.Sprintf("%T", what), "conversation.")
	}
	f.h.o.probe(point{id, name, after})
}

// take deals with one piece of mail. An error means that the family cannot go on.
func (f *family) take(ctx context.Context, m mail) error {
	if m.work != "" {
		f.work.end(m.work)
	}
	if m.to == "" {
		m.to = f.root
	}
	if err := f.certain(ctx, m); err != nil {
		return err
	}
	switch {
	case len(f.members) == 0 && !m.create: // the ask of another program, say
		m.done(ErrNotFound)
		return nil
	case m.answered != "":
		return f.answered(ctx, m.answered)
	case m.note != nil:
		return f.note(ctx, m)
	case m.purge:
		return f.purge(ctx, m)
	case m.event == nil:
		return nil
	}
	who := f.members[m.to]
	if who == nil && m.create {
		who = &member{state: conversation.New(m.to, f.options(m.to))}
	}
	if who == nil {
		m.done(ErrNotFound)
		return nil
	}
	event, closed := f.complete(who, m.event)
	err := f.feed(ctx, m.to, who, event, closed)
	if errors.Is(err, journal.ErrTooLarge) {
		if m.reply != nil { // whoever says so much can say less
			m.done(err)
			return nil
		}
		err = f.feedLess(ctx, m.to, who, event, closed)
	}
	var rejected *conversation.RejectedError
	if errors.As(err, &rejected) { // stale, or out of place: only who sent it cares
		m.done(err)
		return nil
	}
	if err == nil {
		m.done(nil)
	}
	return err
}

// feed gives a member an event and carries out what follows. closed is the ask
// that the event gives an outcome, if it does.
func (f *family) feed(ctx context.Context, id string, who *member, e conversation.Event, closed *journal.Closed) error {
	next, effects, err := conversation.Transition(who.state, e)
	if err != nil {
		return err
	}
	if last, all := f.settle(id, next, effects); last != nil {
		err := f.carryOut(ctx, id, who, last, all, closed)
		if !errors.Is(err, journal.ErrTooLarge) {
			return err
		}
		// Each by itself may fit.
	}
	return f.carryOut(ctx, id, who, next, effects, closed)
}

// carryOut saves the next state and does what has to be done after that.
func (f *family) carryOut(ctx context.Context, id string, who *member, next conversation.State, effects []conversation.Effect, closed *journal.Closed) (err error) {
	for i, effect := range effects {
		f.before(id, effect)
		if save, ok := effect.(conversation.Save); ok {
			then := effects[i+1:]
			err = f.save(ctx, id, who, save, journal.Record{Closed: closed, Claim: f.claims(then), Owner: f.ownerBefore(id, next, then)}, next)
		} else {
			err = f.do(ctx, id, effect)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", effect.Key(), err)
		}
	}
	return nil
}

// save writes the next state and what was added to the transcript. If it cannot,
// nothing has changed.
func (f *family) save(ctx context.Context, id string, who *member, e conversation.Save, r journal.Record, next conversation.State) error {
	state, err := conversation.MarshalState(next)
	if err != nil {
		return err
	}
	was, known := *who, f.members[id] != nil
	if !known {
		f.members[id] = who
		f.order = append(f.order, id)
	}
	who.state = next
	who.transcript = append(who.transcript, e.Entries...)
	r.Conversation, r.State, r.Entries = id, state, e.Entries
	if r.Claim != "" {
		f.before(id, "claim")
	}
	if err := f.append(ctx, r); err != nil {
		if *who = was; !known {
			delete(f.members, id)
			f.order = f.order[:len(f.order)-1]
		}
		return err
	}
	if r.Claim != "" {
		who.claim(r.Claim)
		f.claimed = id + "/" + r.Claim
		f.after(id, "claim")
	}
	f.after(id, e)
	f.h.publish(Update{
		Conversation: f.root, Member: id, State: conversation.Name(next), Revision: e.Revision,
		Entries: e.Entries, Length: len(who.transcript), Asks: openAsks(next), Closed: r.Closed,
	})
	return nil
}

// ownerBefore is who works on the family once a save is written: nobody, if
// nothing follows that somebody would have to do.
func (f *family) ownerBefore(id string, next conversation.State, then []conversation.Effect) journal.Owner {
	if id == f.root && awaitsUser(next) {
		// Whoever looks after those that sleep finds an ask that was not put.
		then = slices.DeleteFunc(slices.Clone(then), func(e conversation.Effect) bool { _, ok := e.(conversation.AskUser); return ok })
	}
	if f.idle(then) {
		return journal.Owner{}
	}
	return f.h.owner
}

// idle reports whether nothing runs, waits or follows.
func (f *family) idle(then []conversation.Effect) bool {
	for _, e := range then {
		switch e.(type) {
		case conversation.Notify, conversation.StopWork:
		default:
			return false
		}
	}
	f.h.mu.Lock()
	defer f.h.mu.Unlock()
	return len(f.local) == 0 && len(f.inbox) == 0 && f.work.none()
}

// do carries out an effect, or begins to. What takes time, or may fail for a
// while, runs beside the family.
func (f *family) do(ctx context.Context, id string, effect conversation.Effect) error {
	switch e := effect.(type) {
	case conversation.Notify: // the save has told everybody
	case conversation.RequestModel:
		f.request(ctx, id, e)
		return nil
	case conversation.ExecuteTool:
		return f.execute(ctx, id, e)
	case conversation.StopWork:
		f.work.stop(id + "/" + e.Work)
	case conversation.AskUser:
		f.put(ctx, id, e)
		return nil
	case conversation.WithdrawAsk:
		f.withdraw(ctx, id, e)
		return nil
	case conversation.StartAgent:
		f.send(mail{to: e.Agent.ID, create: true, event: conversation.UserMessage{ID: taskMessage, Text: e.Agent.Task}})
	case conversation.TellAgent:
		f.send(mail{to: e.Agent, event: conversation.AskClosed{Ask: e.Ask, Outcome: e.Outcome}})
		f.delivered(id, e)
	case conversation.CancelAgent:
		f.send(mail{to: e.Agent, event: conversation.Cancel{}})
		f.delivered(id, e)
	case conversation.TellParent:
		f.send(mail{to: e.Parent, event: conversation.SubAgentDone{Agent: id, Text: e.Text, IsError: e.IsError}})
		f.delivered(id, e)
	default:
		return fmt.Errorf("the effect %s is not known", effect.Key())
	}
	f.after(id, effect)
	return nil
}

// send gives mail to a member. It is taken in order, so what a member is told is
// saved there before the sender forgets that it had to tell it.
func (f *family) send(m mail) { f.local = append(f.local, m) }

func (f *family) delivered(id string, e conversation.Effect) {
	f.send(mail{to: id, event: conversation.Delivered{Key: e.Key()}})
}
