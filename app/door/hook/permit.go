package hook

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// notWaited is why an approval is withdrawn that nobody decided.
const notWaited = "decided or dismissed at the terminal, or its call had ended: nobody waits for it any more"

// dialogOpens is why an approval is withdrawn whose time is over: it can no longer be
// decided here.
const dialogOpens = "nobody decided in time: the agent asks at its terminal now"

// Permission is an event that means [Permitting].
type Permission interface {
	Event

	// Approval returns what the agent wants to do. read returns the content of a
	// file on the agent's machine, nil if there is none; it is nil if files cannot
	// be read.
	Approval(read func(path string) (*string, error)) *sayso.Approval
}

// permitting waits for a decision while the agent shows its own dialog, or, without a
// person at the terminal, nothing. Without a decision it says nothing.
func (d *Door) permitting(ctx context.Context, e Event, about About) ([]byte, error) {
	asks, ok := e.(Permission)
	if !ok {
		return nil, errors.New("the agent has no approvals")
	}
	n := d.opts.notesOf(about.Session)
	note := &asked{Key: keyOf(about)}
	if n != nil {
		call, err := n.claim(note.Key, about.Call.ID)
		if err != nil {
			return nil, err
		}
		if call == "" && !d.opts.Unattended && n.ranUnasked(note.Key) {
			return nil, nil // the person at the terminal was faster
		}
		note.Call, about.Call.ID = call, call
	}
	a, err := d.approval(asks, about)
	if err != nil {
		return nil, err
	}
	t, err := d.submitNew(ctx, a)
	if err != nil {
		return nil, err
	}
	if n != nil {
		note.Handle = t.Handle
		if err := n.ask(note); err != nil {
			return nil, errors.Join(err, d.withdraw(ctx, t.Handle, notWaited))
		}
		if n.hasRun(note.Call) { // the person at the terminal was faster
			note.leave()
			note.remove()
			return nil, d.allowedThere(ctx, t.Handle)
		}
	}
	v, changed, err := d.verdict(ctx, asks, about, t)
	switch {
	case err != nil && !errors.Is(err, errWithdrawn):
		note.leave() // the next event finds it, and withdraws the request
		return nil, err
	case v == nil || err != nil:
		return nil, errors.Join(err, note.close(toldOther))
	case changed:
		note.close(toldOther)
		return e.Reply(Told{Changed: true})
	}
	became := toldOther
	if v.Allowed() {
		became = toldAllow
	}
	note.close(became) // a note that cannot be written must not keep a decision from being used
	return e.Reply(Told{Verdict: v})
}

// verdict waits for the decision about what the event wants. changed says that it
// allows something else than what would run now.
func (d *Door) verdict(ctx context.Context, e Permission, about About, t *hub.Ticket) (v *sayso.Verdict, changed bool, err error) {
	has, err := d.decision(ctx, t)
	if has == nil || err != nil {
		return nil, false, err
	}
	v = has.Ask.Verdict(has.Outcome)
	if v == nil || has.Outcome.By.Surface == d.agent.Name {
		return nil, false, nil // nobody decided, or it was decided at the terminal
	}
	// One that was taken before is ours all the same: a hub that was killed did not say
	// that it had noted it. No other call has this ask.
	//
	// What waits here is what runs. It must be what was shown, to the last byte.
	now, err := d.approval(e, about)
	if err != nil {
		return nil, false, err
	}
	return v, v.Allowed() && now.Digest() != has.Digest, nil
}

// approval makes the ask of the event's tool call.
func (d *Door) approval(e Permission, about About) (*sayso.Ask, error) {
	p := e.Approval(d.opts.Read)
	a := &sayso.Ask{Approval: p, Dialect: sayso.ApprovalDialect, Origin: sayso.Origin{
		Conversation: about.Session, ToolCall: about.Call.ID, Agents: about.Call.Agents, Host: d.agent.Name,
	}}
	a.Origin.Workspace, a.Origin.Branch = d.opts.Place(about.Dir)
	a.Normalize()
	if err := a.Validate(sayso.Limits{}); err != nil {
		return nil, fmt.Errorf("the request cannot be shown: %w", err)
	}
	a.ID = a.DeriveID()
	return a, nil
}

// submitNew stores an ask. A decision that was carried out once is not used again: the
// same call that asks again is a new ask.
func (d *Door) submitNew(ctx context.Context, a *sayso.Ask) (*hub.Ticket, error) {
	t, err := d.hub.Submit(ctx, a)
	if err != nil || t.Open() || t.Consumed.IsZero() && a.Verdict(t.Outcome) != nil {
		return t, err
	}
	again := *a
	again.ID = "ask_" + strings.ToLower(rand.Text()) // without one, the hub would name it by its call
	return d.hub.Submit(ctx, &again)
}

// decision waits for what becomes of the ticket. It is nil if the time of an unattended
// call is over. When nobody waits any more, the ask is withdrawn.
func (d *Door) decision(ctx context.Context, t *hub.Ticket) (*hub.Ticket, error) {
	waiting, cancel := ctx, func() {}
	if (d.opts.Unattended || d.agent.Blocks) && d.opts.Wait > 0 {
		waiting, cancel = context.WithTimeout(ctx, d.opts.Wait)
	}
	defer cancel()
	has, err := hub.Await(waiting, d.hub, t)
	if err == nil {
		return has, nil
	}
	if waiting.Err() == nil {
		return nil, err
	}
	why := notWaited
	if d.agent.Blocks && ctx.Err() == nil {
		why = dialogOpens
	}
	if gone := d.withdraw(ctx, t.Handle, why); gone != nil {
		return nil, errors.Join(err, gone)
	}
	return nil, fmt.Errorf("%w: %w", errWithdrawn, context.Cause(waiting))
}

// errWithdrawn says that nobody waited any more for a decision.
var errWithdrawn = errors.New("nobody decided, and the request was withdrawn")

// withdraw closes what nobody waits for, also when ctx has ended.
func (d *Door) withdraw(ctx context.Context, handle, reason string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), brief)
	defer cancel()
	_, err := d.hub.Withdraw(ctx, handle, sayso.StatusCancelled, reason)
	var closed *hub.ClosedError
	if errors.As(err, &closed) {
		return nil
	}
	return err
}
