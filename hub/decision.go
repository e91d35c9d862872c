package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/saysohq/sayso"
)

// Recaller is an [Asker] that knows what was decided before. What [Hub.Asker] and
// package client return is one. An Asker that stands before another one should be one,
// too: with [Recall].
type Recaller interface {
	// Decisions returns asks that people answered in a workspace and that the
	// credential may read, those that are most about the text first. Nothing found is
	// not an answer.
	Decisions(ctx context.Context, d *Decisions) ([]*Ticket, error)
}

var _ Recaller = (*asker)(nil)

// Recall returns what [Recaller].Decisions of the asker does, or
// [errors.ErrUnsupported] if the asker is no Recaller.
func Recall(ctx context.Context, a Asker, d *Decisions) ([]*Ticket, error) {
	r, ok := a.(Recaller)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return r.Decisions(ctx, d)
}

// Decisions selects what people decided. Nil is not allowed: a workspace is needed.
type Decisions struct {
	Workspace string // required: nobody looks through those of others by leaving it out
	Text      string // what they should be about; default: anything, the newest first
	Limit     int    // default 5, at most 50

	// Visible reports whether the one who looks may see a ticket. Default: it may see
	// all of the tenant. An [Asker] sets it.
	Visible func(*Ticket) bool
}

// ErrWorkspace says that a look at decisions names no workspace.
var ErrWorkspace = errors.New("hub: no workspace")

// mentioned is the part of the words of a text that a decision has to mention.
const mentioned = 0.5

// Decisions returns what people decided in a workspace of the tenant: questions that
// they answered, no approvals, and nothing that asks for a secret.
func (h *Hub) Decisions(ctx context.Context, tenant string, d *Decisions) ([]*Ticket, error) {
	if d == nil || d.Workspace == "" {
		return nil, fmt.Errorf("%w: decisions belong to one; say which", ErrWorkspace)
	}
	limit := min(cmp.Or(max(d.Limit, 0), 5), 50)
	fits := func(t *Ticket) bool {
		return t.Address.Tenant == tenant && t.Ask.Origin.Workspace == d.Workspace && t.Ask.Approval == nil &&
			t.Status() == sayso.StatusAnswered && isDecision(t) && (d.Visible == nil || d.Visible(t))
	}
	if sayso.Blank(d.Text) {
		return h.latestDecisions(ctx, tenant, d.Workspace, limit, fits)
	}
	found, err := h.candidates(ctx, tenant, &like{texts: []string{d.Text}, workspace: d.Workspace, n: maxCompared, visible: func(t *Ticket) bool {
		return fits(t) && sayso.Mentions(d.Text, searchTexts(t)...) >= mentioned
	}})
	return found[:min(len(found), limit)], err
}

// latestDecisions returns the newest.
func (h *Hub) latestDecisions(ctx context.Context, tenant, workspace string, limit int, fits func(*Ticket) bool) (out []*Ticket, err error) {
	s := Search{View: ViewClosed, Workspace: workspace, Status: sayso.StatusAnswered, Kind: sayso.AskQuestions, Order: OrderNewest, Limit: maxCompared}
	for range 10 { // nobody waits for a search through everything
		page, err := h.Search(ctx, tenant, "", &s)
		if err != nil {
			return nil, err
		}
		for _, it := range page.Items {
			if len(out) < limit && fits(it.Ticket) {
				out = append(out, it.Ticket)
			}
		}
		if s.Cursor = page.Next; len(out) == limit || s.Cursor == "" {
			break
		}
	}
	return out, nil
}

// Decisions looks only at what this asker asked, if it is somebody.
func (s *asker) Decisions(ctx context.Context, d *Decisions) ([]*Ticket, error) {
	if d == nil {
		d = &Decisions{}
	}
	own := *d
	own.Visible = func(t *Ticket) bool {
		return (s.by.ID == "" || t.Ask.Origin.Asker == s.by.ID) && (d.Visible == nil || d.Visible(t))
	}
	all, err := s.hub.Decisions(ctx, s.tenant, &own)
	for i, t := range all {
		all[i], _ = s.handled(t, nil)
	}
	return all, err
}
