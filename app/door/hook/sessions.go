package hook

import (
	"context"

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
	return s.Notes.TakeLate(ctx, d.hub, s.Agent, about.Session)
}
