package agent

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/saysohq/sayso/agent/journal"
)

// recover resumes every conversation that somebody worked on who does so no
// longer.
func (h *Host) recover(ctx context.Context) error {
	there := map[journal.Owner]bool{h.owner: true}
	var left []string
	var failed error
	err := h.o.Journal.Heads(ctx, func(head journal.Head) bool {
		if head.Owner.IsZero() {
			return true
		}
		is, known := there[head.Owner]
		if !known {
			var err error
			if is, err = h.o.Journal.Attends(ctx, head.Owner); err != nil {
				failed = err
				return false
			}
			there[head.Owner] = is
		}
		if !is || head.Owner == h.owner {
			left = append(left, head.ID)
		}
		return true
	})
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	// Others look at the same ones; who writes first goes on with one.
	rand.Shuffle(len(left), func(i, k int) { left[i], left[k] = left[k], left[i] })
	for _, id := range left {
		h.resume(id, mail{}) // one that is at work does not notice
	}
	return nil
}

// beat says that this host is there, and looks for others that are no longer.
func (h *Host) beat() {
	tick := time.NewTicker(h.o.Lease / 3)
	defer tick.Stop()
	var others []journal.Owner
	doubt := false
	for {
		select {
		case <-h.ctx.Done():
			return
		case <-h.doubt:
			doubt = true
			continue
		case <-tick.C:
		}
		err := h.o.Journal.Attend(h.ctx, h.owner, h.o.Lease)
		if errors.Is(err, journal.ErrReplaced) {
			h.o.Logger.Error("another host has taken the name of this one; it stops", "name", h.owner.Name)
			h.mu.Lock()
			h.closed = true
			h.mu.Unlock()
			h.cancel()
			return
		}
		now, err2 := h.o.Journal.Hosts(h.ctx)
		if err := errors.Join(err, err2); err != nil {
			h.warn("attend", err)
			continue
		}
		gone := slices.ContainsFunc(others, func(o journal.Owner) bool { return !slices.Contains(now, o) })
		others = now
		if gone || doubt {
			if err := h.recover(h.ctx); err != nil {
				h.warn("look for unfinished conversations", err)
				doubt = true
				continue
			}
			h.lookAgain()
			doubt = false
		}
	}
}

func (h *Host) warn(what string, err error) {
	if h.ctx.Err() == nil {
		h.o.Logger.Warn(what, "error", err)
	}
}
