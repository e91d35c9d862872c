package opencode

import (
	"context"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/bridge"
	"github.com/saysohq/sayso/app/wake"
	"github.com/saysohq/sayso/hub"
)

// Options are the options of [Serve].
type Options struct {
	bridge.Options

	// Notes is where it is noted which session asks. The MCP server of sayso, which
	// opencode does not tell of its sessions, finds them there, and so do sessions that
	// are resumed. Default: nothing is noted.
	Notes   *wake.Notes
	Process wake.Process // of opencode
}

// noting notes the questions of sessions.
type noting struct {
	hub.Asker
	o   *Options
	dir func(session string) string
}

func (n *noting) Submit(ctx context.Context, a *sayso.Ask) (*hub.Ticket, error) {
	t, err := n.Asker.Submit(ctx, a)
	if err == nil && t.Open() && a.Approval == nil {
		id := a.Origin.Conversation
		n.o.Notes.Asked(&wake.Note{Handle: t.Handle, Session: *n.o.session(id, n.dir(id))}) // without a note it is asked all the same
	}
	return t, err
}

func (o *Options) session(id, dir string) *wake.Session {
	return &wake.Session{Agent: Surface, ID: id, Dir: dir, Process: o.Process}
}

// prompted returns what the model is told with a prompt of a session: answers to
// questions of opencode's own tool, and to those of sayso's tools.
func (d *door) prompted(ctx context.Context, h hub.Asker, o *Options, session, dir string) string {
	if d.session(ctx, dir, session).root != session {
		return "" // the prompt of a sub-agent
	}
	o.Notes.Began(o.session(session, dir)) // a session that cannot be noted is not resumed
	var texts []string
	text, err := d.bridge.Late(ctx, session)
	if text != "" {
		texts = append(texts, text)
	}
	if err != nil {
		d.log.Warn("late answers are not all known", "session", session, "err", err)
	}
	if o.Notes != nil {
		late, err := o.Notes.TakeLate(ctx, h, Surface, session)
		if err != nil {
			d.log.Warn("late answers are not all known", "session", session, "err", err)
		}
		if len(late) > 0 {
			texts = append(texts, hub.LateText(late))
		}
	}
	return strings.Join(texts, "\n")
}
