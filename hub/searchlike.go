package hub

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/saysohq/sayso"
)

// like says which earlier asks [Hub.candidates] looks for.
type like struct {
	texts     []string           // their words; rare ones count more
	digest    string             // of the same questions: they come first; empty: none is looked for
	workspace string             // only those of it; empty: all
	visible   func(*Ticket) bool // who asks may see it; nil: all
	n         int                // at most so many; default 20
	not       Address            // the ask itself
	status    sayso.Status       // default: answered
}

// candidates returns closed asks that are like something: those with the same
// questions first, the newest of them first, then those with more of the rarer words.
// How alike they really are is for the caller to judge. The tickets are those that are
// stored now.
func (h *Hub) candidates(ctx context.Context, tenant string, l *like) ([]*Ticket, error) {
	x, err := h.index(ctx, tenant, true)
	if err != nil {
		return nil, fmt.Errorf("hub: looking for earlier answers: %w", err)
	}
	n := cmp.Or(l.n, 20)
	var all []*Ticket
	// Some, or most, may turn out not to be for the one who asks.
	for read, most := 0, 2*n; ; most *= 4 {
		hits := x.like(l, h.now().UnixNano(), most)
		tickets, err := h.readHits(ctx, x, hits[min(read, len(hits)):])
		if err != nil {
			return nil, fmt.Errorf("hub: looking for earlier answers: %w", err)
		}
		read = len(hits)
		for _, t := range tickets {
			if t != nil && len(all) < n && l.fits(t) && !slices.ContainsFunc(all, func(u *Ticket) bool { return u.Address == t.Address }) {
				all = append(all, t)
			}
		}
		if len(all) == n || len(hits) < most || read >= maxCandidates {
			return all, nil
		}
	}
}

// maxCandidates is how many tickets are read for one look at earlier answers, about.
const maxCandidates = 500

// fits reports whether a ticket, as it is stored now, is one that is looked for.
func (l *like) fits(t *Ticket) bool {
	return t.Status() == cmp.Or(l.status, sayso.StatusAnswered) && (l.workspace == "" || t.Ask.Origin.Workspace == l.workspace) &&
		t.Address != l.not && (l.visible == nil || l.visible(t))
}

func (x *searchIndex) like(l *like, now int64, n int) (hits []*searchHit) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	space, known := x.names.workspaces.ids[l.workspace]
	if !known {
		return nil
	}
	status := number(sayso.Statuses(), cmp.Or(l.status, sayso.StatusAnswered))
	itself, known := x.find(&l.not)
	fits := func(at uint32) bool {
		d := &x.docs[at]
		return d.stored(now) && d.status == status && (l.workspace == "" || d.workspace == space) && (!known || at != itself)
	}
	var same []uint32
	if digest, ok := shortDigest(l.digest); ok {
		for i := range x.docs {
			if x.docs[i].digest == digest && fits(uint32(i)) {
				same = append(same, uint32(i))
			}
		}
	}
	slices.SortFunc(same, func(a, b uint32) int { return cmp.Compare(x.docs[b].closed, x.docs[a].closed) })
	same = same[:min(len(same), n)]
	for _, at := range x.text.Rank(n, fits, l.texts...) {
		if !slices.Contains(same, at) {
			same = append(same, at)
		}
	}
	for _, at := range same {
		d := &x.docs[at]
		hits = append(hits, &searchHit{addr: x.names.address(x.tenant, &d.key), revision: d.revision})
	}
	return hits
}
