package hook

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Surface is where a person is who answers in Claude Code itself.
const Surface = "claude-code"

// dontAsk is the mode in which Claude Code refuses every question by itself.
const dontAsk = "dontAsk"

// How long the door tries what somebody at the terminal waits for: before their
// dialog opens, and at other times.
const (
	atOnce = 2 * time.Second
	brief  = 5 * time.Second
)

// Options are the options of [New]. Nil means the defaults.
type Options struct {
	// Unattended says that nobody sits at the terminal of the session, as in
	// claude -p. Default: somebody does, and sees Claude Code's own dialog.
	Unattended bool

	// Wait is how long an unattended call waits for its answer. Default: for as
	// long as Claude Code does; with Defer: not at all.
	Wait time.Duration

	// Defer has an unattended call that got no answer end the run, to be taken up
	// again with claude -p --resume. Default: the model is told that the question
	// is still open.
	Defer bool

	// Place says what people call the folder that a session works in, and which
	// branch is checked out there. Default: the last part of its path, and none.
	Place func(dir string) (workspace, branch string)
}

// Unattended reports whether nobody sits at the terminal, by what Claude Code says
// of how it was started (CLAUDE_CODE_ENTRYPOINT). Other programs that run it, an
// editor say, have dialogs of their own.
func Unattended(entrypoint string) bool { return entrypoint == "sdk-cli" }

// Door takes the events of one caller to a hub. It may be used from several
// goroutines.
type Door struct {
	hub  hub.Asker
	opts Options
}

// New returns a door to the hub. What is answered in Claude Code itself is handed
// on as its reply, on the surface [Surface].
func New(h hub.Asker, opts *Options) *Door {
	d := &Door{hub: h}
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

// Take does what an event asks for and returns what Claude Code is told. There is
// always a reply; an error says why it says nothing.
func (d *Door) Take(ctx context.Context, e *Event) (*Reply, error) {
	var r *Reply
	var err error
	switch {
	case e.Name == UserPromptSubmit:
		r, err = d.userPromptSubmit(ctx, e)
	case e.Name == PreToolUse && slices.Contains(ourTools, e.Tool):
		r, err = e.introduce()
	case e.Tool != toolName:
	case e.Name == PreToolUse:
		r, err = d.preToolUse(ctx, e)
	case e.Name == PermissionRequest:
		r, err = d.permissionRequest(ctx, e)
	case e.Name == PostToolUse:
		r, err = d.postToolUse(ctx, e)
	}
	if err != nil {
		return &Reply{}, fmt.Errorf("hook: %s: %w", e.Name, err)
	}
	if r == nil {
		r = &Reply{}
	}
	return r, nil
}

func (d *Door) preToolUse(ctx context.Context, e *Event) (*Reply, error) {
	a, refusal := d.prepare(e)
	switch {
	case refusal != nil && d.opts.Unattended:
		return &Reply{Output: &Output{Event: e.Name, Decision: "deny", Reason: refusal.Text}}, nil
	case refusal != nil, e.Mode == dontAsk && !d.opts.Unattended:
		return nil, nil // Claude Code has its own opinion
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
			return &Reply{Output: &Output{Event: e.Name, Decision: "defer"}}, nil
		case t.Open():
			return e.reply(t.Ask, &sayso.Outcome{Status: sayso.StatusPending})
		}
	}
	// The same call again, of a session that was resumed, is told the same again.
	has, err := hub.Await(ctx, d.hub, t)
	if err != nil {
		return nil, err
	}
	return e.reply(has.Ask, has.Outcome)
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

func (d *Door) permissionRequest(ctx context.Context, e *Event) (*Reply, error) {
	if d.opts.Unattended {
		return nil, nil // there is no dialog that would wait with us
	}
	a, refusal := d.prepare(e)
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
	if has.Replayed || has.Outcome.By.Surface == Surface {
		return nil, nil // answered at the terminal
	}
	return e.reply(has.Ask, has.Outcome)
}

// prepare makes an ask of the event's tool call.
func (d *Door) prepare(e *Event) (*sayso.Ask, *sayso.Result) {
	workspace, branch := d.opts.Place(e.Dir)
	return tool.Prepare(e.call(workspace, branch))
}

// stored returns the ticket of an ask that PreToolUse stored a moment ago, whose
// tool call is not known here, or stores it.
func (d *Door) stored(ctx context.Context, a *sayso.Ask) (*hub.Ticket, error) {
	// A list may lag behind what was just stored.
	for _, pause := range []time.Duration{0, 50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond} {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
		t, err := d.find(ctx, a)
		if err != nil || t != nil {
			return t, err
		}
	}
	return d.hub.Submit(ctx, a)
}

// find returns the newest ask with these questions in the session that was not
// withdrawn and whose outcome nobody has had yet; or, if the tool call is known, the ask of that call. It
// returns nil if there is none.
func (d *Door) find(ctx context.Context, a *sayso.Ask) (*hub.Ticket, error) {
	digest := a.Digest()
	var found *hub.Ticket
	err := d.each(ctx, a.Origin.Conversation, func(t *hub.Ticket) {
		over := !t.Consumed.IsZero() || !t.Open() && t.Outcome.By.Kind == sayso.ByAsker
		same := t.Digest == digest && !over
		if call := t.Ask.Origin.ToolCall; call != "" && a.Origin.ToolCall != "" {
			same = call == a.Origin.ToolCall && t.Digest == digest
		}
		if same && (found == nil || t.Ask.AskedAt.After(found.Ask.AskedAt)) {
			found = t
		}
	})
	return found, err
}

// each calls fn for every ask that the door has of the session.
func (d *Door) each(ctx context.Context, session string, fn func(*hub.Ticket)) error {
	return hub.Each(ctx, d.hub, &hub.Filter{Conversation: session, Status: hub.AnyStatus}, func(t *hub.Ticket) bool {
		if t.Ask.Origin.Host == host && t.Ask.Dialect == tool.Spec().Dialect {
			fn(t)
		}
		return true
	})
}
