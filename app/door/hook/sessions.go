package hook

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/wake"
	"github.com/saysohq/sayso/hub"
)

// Sessions is where the door notes which session a process of the agent has, and which
// questions are the session's. The MCP server of sayso, which agents do not tell of
// their sessions, finds its own there, and so do sessions that are resumed.
type Sessions struct {
	Notes   *wake.Notes
	Agent   string       // as the settings name it
	Process wake.Process // of the agent
	Dir     string       // where the session was started; default: the folder of the event
}

// mayBeLeft is how long an answer is left to the MCP server that may still wait for it.
const mayBeLeft = 2 * time.Second

func (s *Sessions) of(about About) *wake.Session {
	dir := s.Dir
	if dir == "" {
		dir = about.Dir
	}
	return &wake.Session{Agent: s.Agent, ID: about.Session, Dir: dir, Process: s.Process}
}

// began notes the session of an event.
func (s *Sessions) began(about About) {
	if s == nil {
		return
	}
	switch about.Meaning {
	case Alone, Asking, Prompted:
		s.Notes.Began(s.of(about)) // a session that cannot be noted is not resumed
	}
}

// noting has the questions of the event's session noted.
func (s *Sessions) noting(h hub.Asker, about About) hub.Asker {
	if s == nil {
		return h
	}
	return wake.Noting(h, s.Notes, func(a *sayso.Ask) *wake.Note {
		if a.Dialect == NoticeDialect {
			return nil // nobody waits for what is said to it
		}
		return &wake.Note{Session: *s.of(about)}
	})
}

// tools returns what people said to the questions that the session asked with the tools
// of sayso, and that no call has been told of.
func (d *Door) tools(ctx context.Context, about About) (late []*hub.Ticket, err error) {
	s := d.opts.Sessions
	if s == nil {
		return nil, nil
	}
	for _, n := range s.Notes.AskedBy(s.Agent, about.Session) {
		if n.Through == "" {
			continue // of the agent's own tool
		}
		t, e := d.hub.Get(ctx, n.Handle)
		switch {
		case errors.Is(e, hub.ErrNotFound) || errors.Is(e, hub.ErrHandle):
			s.Notes.Forget(n.Handle)
			continue
		case e != nil:
			err = errors.Join(err, e)
			continue
		case t.Open():
			continue // it may still be answered
		case n.Through.Life() != wake.Gone && time.Since(t.Outcome.At) < mayBeLeft:
			continue
		}
		has, e := d.takeOver(ctx, t)
		if err = errors.Join(err, e); e != nil {
			continue
		}
		s.Notes.Forget(n.Handle)
		if has != nil {
			late = append(late, has)
		}
	}
	slices.SortFunc(late, func(a, b *hub.Ticket) int { return a.Ask.AskedAt.Compare(b.Ask.AskedAt) })
	return late, err
}
