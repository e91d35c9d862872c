package wake

import (
	"context"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Noting returns the asker, with a note of each question that it submits. note returns
// what is known of the session; nil: nothing is noted.
func Noting(h hub.Asker, notes *Notes, note func(*sayso.Ask) *Note) hub.Asker {
	return &noting{h, notes, note}
}

type noting struct {
	hub.Asker
	notes *Notes
	note  func(*sayso.Ask) *Note
}

func (n *noting) Submit(ctx context.Context, a *sayso.Ask) (*hub.Ticket, error) {
	t, err := n.Asker.Submit(ctx, a)
	if err != nil || a.Approval != nil || !t.Open() {
		return t, err
	}
	if note := n.note(a); note != nil {
		note.Handle = t.Handle
		n.notes.Asked(note) // a session that cannot be noted is not resumed; the question is asked all the same
	}
	return t, nil
}

// Decisions returns what was decided before; see [hub.Recaller].
func (n *noting) Decisions(ctx context.Context, d *hub.Decisions) ([]*hub.Ticket, error) {
	return hub.Recall(ctx, n.Asker, d)
}
