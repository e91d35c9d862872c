package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/conversation"
)

// BusyError says that a conversation is not finished: it is worked on, or waits for
// its person, or could not take a question back.
type BusyError struct {
	Conversation string
	State        string
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("agent: conversation %s is not finished (%s)", e.Conversation, e.State)
}

// Purge removes a conversation for good, with its sub-agents and all branches of
// it, and returns what was removed. If one of them is not finished, a [*BusyError]
// says so and nothing is removed; with force all of them are ended first, and what
// they ask is withdrawn. What they asked before stays in the hub for as long as it
// keeps what is closed.
//
// A purge that breaks off has removed branches before their origin: doing it again
// removes the rest.
func (h *Host) Purge(ctx context.Context, id string, force bool) (purged []string, err error) {
	all, err := h.withBranches(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, id := range all {
		if force {
			if err := h.End(ctx, id, "the conversation is removed"); err != nil {
				return nil, err
			}
			if _, err := h.Wait(ctx, id); err != nil {
				return nil, err
			}
		}
		c, err := h.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		if c.Working != "" || !c.finished() {
			return nil, &BusyError{id, conversation.Name(c.State)}
		}
	}
	for _, id := range all {
		if err := h.tell(ctx, id, mail{purge: true}); err != nil {
			return purged, err
		}
		purged = append(purged, id)
	}
	return purged, nil
}

// withBranches returns a conversation and its branches, those before their origin.
func (h *Host) withBranches(ctx context.Context, id string) ([]string, error) {
	if !validID(id) {
		return nil, ErrID
	}
	var all []string
	err := h.o.Journal.Heads(ctx, func(head journal.Head) bool {
		if head.ID == id || strings.HasPrefix(head.ID, id+branchMark) {
			all = append(all, head.ID)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	if !slices.Contains(all, id) {
		return nil, ErrNotFound
	}
	slices.Sort(all)
	slices.Reverse(all)
	return all, nil
}

func (c *Conversation) finished() bool {
	return finished(c.State) && !slices.ContainsFunc(c.Agents, func(a *Conversation) bool { return !finished(a.State) })
}

// finished reports whether nothing follows from a state by itself.
func finished(s conversation.State) bool {
	switch s.(type) {
	case conversation.Idle, conversation.Failed, conversation.Ended:
		return len(conversation.ThreadOf(s).Outbox) == 0
	}
	return false
}

// purge removes the family, unless it has begun something since it was looked at.
func (f *family) purge(ctx context.Context, m mail) error {
	busy := len(f.local) > 0 || !f.work.none()
	for _, member := range f.members {
		busy = busy || !finished(member.state)
	}
	if busy {
		m.done(&BusyError{f.root, f.status()})
		return nil
	}
	// A host that was thought dead learns here that the conversation is another's.
	if err := f.append(ctx, journal.Record{Owner: f.h.owner}); err != nil {
		return err
	}
	if err := f.h.o.Journal.Purge(ctx, f.root); err != nil {
		return err
	}
	f.members, f.order, f.last, f.owner = map[string]*member{}, nil, 0, journal.Owner{}
	m.done(nil)
	return nil
}
