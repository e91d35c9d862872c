package hook

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// oneOfSeveral is why equal requests are withdrawn when one of them was allowed at the
// terminal: it is not known which.
const oneOfSeveral = "one of several equal requests was allowed at the terminal; the others are decided there, too"

// allowedAnyway is why a request for a named person is withdrawn: the agent's own dialog
// allowed it, and does not know who sat there.
const allowedAnyway = "allowed at the terminal, where nobody knows who it was"

// Local returns the reply to an event that needs no hub, and whether it is one. Most
// events of tool calls are: they cost no more than a look into the folder of
// [Options].Notes. An error says why the reply says nothing.
func Local(agent Info, e Event, o *Options) (reply []byte, local bool, err error) {
	about := e.About()
	if o != nil {
		o.Sessions.began(about)
	}
	n := o.notesOf(about.Session)
	switch about.Meaning {
	case Nothing:
	case Alone:
		if reply, err = e.Reply(Told{}); reply != nil && err == nil {
			return reply, true, nil
		}
	case Called:
		if n == nil {
			break
		}
		err = n.begin(keyOf(about), about.Call.ID) // also if the hub cannot be reached then
		if slices.ContainsFunc(n.asks(), (*asked).lost) {
			return nil, false, nil
		}
	case Ran:
		if n == nil {
			return nil, false, nil
		}
		if exists(n.dir) && about.Call.ID != "" { // first, so that a request which is just being noted sees it
			err = n.ran(about.Call.ID)
		}
		if len(n.asks()) > 0 || len(n.notices()) > 0 {
			return nil, false, nil
		}
	case Ended:
		if n != nil && len(n.notices()) > 0 {
			return nil, false, nil
		}
	default:
		return nil, false, nil
	}
	return agent.Nothing, true, err
}

// Unreached notes that no hub was there for an event: a later request of the same
// session must not be taken for one about this call.
func Unreached(e Event, o *Options) error {
	about := e.About()
	n := o.notesOf(about.Session)
	if about.Meaning != Permitting || n == nil {
		return nil
	}
	_, err := n.claim(keyOf(about), about.Call.ID)
	return err
}

// called notes a tool call, and withdraws the requests whose processes have ended
// without a word.
func (d *Door) called(ctx context.Context, about About) error {
	ctx, cancel := context.WithTimeout(ctx, atOnce)
	defer cancel()
	n := d.opts.notesOf(about.Session)
	errs := []error{n.begin(keyOf(about), about.Call.ID)}
	for _, a := range n.asks() {
		if !a.lost() {
			continue
		}
		if err := d.withdraw(ctx, a.Handle, notWaited); err != nil && !errors.Is(err, hub.ErrNotFound) {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, a.close(toldOther))
	}
	return errors.Join(errs...)
}

// ran tells the hub of a tool call that has run: if it was asked for, and nobody
// decided in the inbox, it was allowed at the terminal.
func (d *Door) ran(ctx context.Context, about About) error {
	ctx, cancel := context.WithTimeout(ctx, brief)
	defer cancel()
	n := d.opts.notesOf(about.Session)
	if n == nil {
		return d.ranUnnoted(ctx, about)
	}
	err := d.unnotice(ctx, about)
	if about.Call.ID != "" {
		err = errors.Join(err, n.ran(about.Call.ID))
	}
	key := keyOf(about)
	asks := n.asks()
	known := slices.ContainsFunc(asks, func(a *asked) bool { return a.Call == about.Call.ID })
	var waiting, decided []*asked
	for _, a := range asks {
		if a.Call != "" && a.Call != about.Call.ID || a.Call == "" && (known || a.Key != key) {
			continue
		}
		switch a.Told {
		case toldAllow:
			a.remove() // this is its run
			return err
		case toldOther:
			decided = append(decided, a)
		default:
			waiting = append(waiting, a)
		}
	}
	if len(waiting) == 0 && len(decided) == 1 && !about.Failed {
		waiting = decided // decided otherwise elsewhere, to no effect
	}
	for i, a := range waiting {
		if i == 0 {
			err = errors.Join(err, d.allowedThere(ctx, a.Handle))
			a.remove()
			continue
		}
		err = errors.Join(err, d.withdraw(ctx, a.Handle, oneOfSeveral))
	}
	return err
}

// ranUnnoted is ran without notes, as of hooks over HTTP: the hub knows what is open.
func (d *Door) ranUnnoted(ctx context.Context, about About) error {
	input := sayso.NewContent(string(about.Call.Arguments))
	var open []*hub.Ticket
	elsewhere := false
	err := d.eachApproval(ctx, about.Session, func(t *hub.Ticket) {
		p := t.Ask.Approval
		switch {
		case p.Tool != about.Tool || p.Input.SHA256 != input.SHA256 || !slices.Equal(t.Ask.Origin.Agents, about.Call.Agents):
		case t.Open():
			open = append(open, t)
		case t.Ask.Verdict(t.Outcome).Allowed() && t.Outcome.By.Surface != d.agent.Name:
			elsewhere = true // perhaps this is its run
		}
	})
	if err != nil || elsewhere {
		return err
	}
	for i, t := range open {
		if i == 0 {
			err = errors.Join(err, d.allowedThere(ctx, t.Handle))
			continue
		}
		err = errors.Join(err, d.withdraw(ctx, t.Handle, oneOfSeveral))
	}
	return err
}

// allowedThere closes an approval as allowed at the terminal. What was decided before
// stays; that it ran is kept beside it.
func (d *Door) allowedThere(ctx context.Context, handle string) error {
	t, err := d.hub.Get(ctx, handle)
	if errors.Is(err, hub.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if t.Ask.Approval == nil || len(t.Ask.Approval.Allows()) == 0 {
		return nil
	}
	ans := sayso.Answer{QuestionID: sayso.VerdictQuestion, Selected: []string{t.Ask.Approval.Allows()[0].ID}}
	if _, size := t.Ask.Approval.Unseen(); size > 0 {
		ans.Selected[0] = sayso.OfferUnseen // what the agent's own dialog showed is not known
	}
	if t.Open() && !t.TakesRelay() { // a rule wants a named person, who was not asked there
		_, err = d.hub.Withdraw(ctx, handle, sayso.StatusSuperseded, allowedAnyway)
	} else {
		o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{ans}, By: sayso.Responder{Surface: d.agent.Name}}
		_, err = d.hub.Relay(ctx, t, o)
	}
	var closed *hub.ClosedError
	if errors.As(err, &closed) {
		return nil
	}
	if err == nil {
		_, err = d.hub.Consume(ctx, handle)
	}
	return err
}

// eachApproval calls fn for every approval that the door has of the session.
func (d *Door) eachApproval(ctx context.Context, session string, fn func(*hub.Ticket)) error {
	return hub.Each(ctx, d.hub, &hub.Filter{Conversation: session, Status: hub.AnyStatus}, func(t *hub.Ticket) bool {
		if d.approves(t) {
			fn(t)
		}
		return true
	})
}

// approves reports whether a ticket is a request of the agent for permission.
func (d *Door) approves(t *hub.Ticket) bool {
	return t.Ask.Origin.Host == d.agent.Name && t.Ask.Approval != nil
}

// leftOver withdraws the open approvals of the turns before, when the person has said
// what to do next: nobody waits for them. A sub-agent may go on meanwhile.
func (d *Door) leftOver(ctx context.Context, about About, open []*hub.Ticket) error {
	n := d.opts.notesOf(about.Session)
	alive := map[string]bool{}
	if n != nil {
		for _, a := range n.asks() {
			alive[a.Handle] = a.waits()
		}
	}
	var err error
	for _, t := range open {
		if !alive[t.Handle] && (n != nil || len(t.Ask.Origin.Agents) == 0) {
			err = errors.Join(err, d.withdraw(ctx, t.Handle, notWaited))
		}
	}
	if n != nil && err == nil {
		n.clear(time.Now())
	}
	return err
}
