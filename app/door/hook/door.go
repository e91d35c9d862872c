package hook

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// How long the door tries what somebody at the terminal waits for: before their
// dialog opens, and at other times.
const (
	atOnce = 2 * time.Second
	brief  = 5 * time.Second
)

// Options are the options of [New]. Nil means the defaults.
type Options struct {
	// Unattended says that nobody sits at the terminal of the session. Default:
	// somebody does, and sees the agent's own dialog.
	Unattended bool

	// Wait is how long an unattended call waits for its answer, and every call of an
	// agent that shows no dialog meanwhile ([Info].Blocks). Default: for as long as the
	// agent does; with Defer: not at all.
	Wait time.Duration

	// Defer has an unattended call that got no answer end the run, to be taken up
	// again later. Default: the model is told that the question is still open.
	Defer bool

	// Place says what people call the folder that a session works in, and which
	// branch is checked out there. Default: the last part of its path, and none.
	Place func(dir string) (workspace, branch string)

	// Read returns the content of a file on the machine of the agent, nil if there
	// is none, so that changes of files are shown as diffs. Default: files cannot be
	// read, and the input of the tool is shown.
	Read func(path string) (*string, error)

	// Notes is a folder of this user where events leave what later ones need: the
	// ids of tool calls, and the requests for permission that wait. Default: none.
	Notes string

	// Sessions is where the sessions of agents and their questions are noted, for late
	// answers to questions that were asked with the tools of sayso, and for package
	// wake. Default: they are not.
	Sessions *Sessions
}

// Door takes the events of one caller to a hub. It may be used from several
// goroutines.
type Door struct {
	agent Info
	hub   hub.Asker
	opts  Options
}

// New returns a door from the agent to the hub. What is answered in the agent itself
// is handed on as its reply, on the surface of its name.
func New(a Agent, h hub.Asker, opts *Options) *Door {
	d := &Door{agent: a.Info(), hub: h}
	if opts != nil {
		d.opts = *opts
	}
	if d.opts.Place == nil {
		d.opts.Place = func(dir string) (string, string) {
			if dir == "" {
				return "", ""
			}
			return filepath.Base(dir), ""
		}
	}
	return d
}

// Take does what an event asks for and returns what the agent is told. There is
// always a reply; an error says why it says nothing.
func (d *Door) Take(ctx context.Context, e Event) ([]byte, error) {
	about := e.About()
	d = &Door{d.agent, d.opts.Sessions.noting(d.hub, about), d.opts}
	reply, local, err := Local(d.agent, e, &d.opts)
	if local {
		return reply, wrap(about, err)
	}
	switch about.Meaning {
	case Asking:
		reply, err = d.asking(ctx, e, about)
	case Showing:
		reply, err = d.showing(ctx, e, about)
	case Answered:
		reply, err = d.answered(ctx, e, about)
	case Prompted:
		reply, err = d.prompted(ctx, e, about)
	case Called:
		err = d.called(ctx, about)
	case Ran:
		err = d.ran(ctx, about)
	case Permitting:
		reply, err = d.permitting(ctx, e, about)
	case Noticing:
		err = d.notice(ctx, e, about)
	case Ended:
		err = d.ended(ctx, about)
	}
	if reply == nil {
		reply = d.agent.Nothing
	}
	return reply, wrap(about, err)
}

func wrap(about About, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("hook: %s: %w", about.Name, err)
}

// asking stores a question. Without a person at the terminal it waits for the answer.
func (d *Door) asking(ctx context.Context, e Event, about About) ([]byte, error) {
	a, refusal := d.prepare(about)
	switch {
	case refusal != nil && d.opts.Unattended:
		return e.Reply(Told{Refusal: refusal})
	case refusal != nil, about.Refuses && !d.opts.Unattended:
		return nil, nil // the agent has its own opinion
	case d.agent.Blocks && !d.opts.Unattended:
		return d.inPlace(ctx, e, a)
	case !d.opts.Unattended:
		ctx, cancel := context.WithTimeout(ctx, atOnce)
		defer cancel()
		_, err := d.hub.Submit(ctx, a)
		return nil, err
	}
	t, err := d.hub.Submit(ctx, a)
	if err != nil {
		return nil, err
	}
	if d.opts.Wait > 0 || d.opts.Defer {
		if t, err = d.withinWait(ctx, t); err != nil {
			return nil, err
		}
		switch {
		case t.Open() && d.opts.Defer:
			return e.Reply(Told{Deferred: true})
		case t.Open():
			return e.Reply(Told{Ask: t.Ask, Outcome: &sayso.Outcome{Status: sayso.StatusPending}})
		}
	}
	// The same call again, of a session that was resumed, is told the same again.
	has, err := hub.Await(ctx, d.hub, t)
	if err != nil {
		return nil, err
	}
	return e.Reply(Told{Ask: has.Ask, Outcome: has.Outcome})
}

// withinWait returns the ticket when it is closed, or as it is when the time of
// an unattended call is over.
func (d *Door) withinWait(ctx context.Context, t *hub.Ticket) (*hub.Ticket, error) {
	if !t.Open() || d.opts.Wait == 0 {
		return t, nil
	}
	waiting, cancel := context.WithTimeout(ctx, d.opts.Wait)
	defer cancel()
	closed, err := d.hub.Wait(waiting, t.Handle)
	if err != nil && ctx.Err() == nil && waiting.Err() != nil {
		return t, nil
	}
	return closed, err
}

// showing waits while the agent shows its own dialog.
func (d *Door) showing(ctx context.Context, e Event, about About) ([]byte, error) {
	if d.opts.Unattended {
		return nil, nil // there is no dialog that would wait with us
	}
	a, refusal := d.prepare(about)
	if refusal != nil {
		return nil, nil
	}
	t, err := d.stored(ctx, a)
	if err != nil {
		return nil, err
	}
	has, err := hub.Await(ctx, d.hub, t)
	if err != nil {
		return nil, err
	}
	if has.Replayed || has.Outcome.By.Surface == d.agent.Name {
		return nil, nil // answered at the terminal
	}
	switch has.Outcome.Status {
	case sayso.StatusAnswered, sayso.StatusUnanswered:
	default:
		if !decided(has.Outcome) {
			return nil, nil // the dialog at the terminal is still open, and counts
		}
	}
	return e.Reply(Told{Ask: has.Ask, Outcome: has.Outcome})
}

// answered tells the hub what was answered at the terminal, so that every surface
// closes.
func (d *Door) answered(ctx context.Context, e Event, about About) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, brief)
	defer cancel()
	a, refusal := d.prepare(about)
	if refusal != nil {
		return nil, nil
	}
	said, err := e.Said(a)
	if err != nil {
		return nil, err
	}
	t, err := d.find(ctx, a)
	if err != nil || t == nil {
		return nil, err
	}
	if t.Open() {
		said.By.Surface = d.agent.Name
		_, err := d.hub.Relay(ctx, t, said)
		var closed *hub.ClosedError
		switch {
		case errors.As(err, &closed):
			return d.kept(e, closed.Ticket)
		case err != nil:
			return nil, err
		}
	}
	if t, err = d.hub.Consume(ctx, t.Handle); err != nil {
		return nil, err
	}
	return d.kept(e, t)
}

// kept tells of an answer that was given elsewhere in the same moment.
func (d *Door) kept(e Event, t *hub.Ticket) ([]byte, error) {
	if t.Outcome.Status != sayso.StatusAnswered || t.Outcome.By.Surface == d.agent.Name {
		return nil, nil
	}
	return e.Reply(Told{Kept: t})
}

// decided reports whether a person decided that there is no answer.
func decided(o *sayso.Outcome) bool {
	return o.By.Kind.Human() && (o.Status == sayso.StatusDeclined || o.Status == sayso.StatusCancelled)
}
