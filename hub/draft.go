package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/saysohq/sayso"
)

// Draft is what a person has typed and not sent yet. It may be lost, and nobody
// but its person sees it.
type Draft struct {
	Answers []sayso.Answer `json:"answers,omitempty"`
	Reply   string         `json:"reply,omitempty"`
	SavedAt time.Time      `json:"savedAt,omitzero"` // set by SaveDraft
}

// SaveDraft keeps what the person has typed, in place of an earlier draft. The ask
// may be closed: the person may still want to copy the words. While it is open,
// the first draft of anybody stops a default that the asker declared.
func (h *Hub) SaveDraft(ctx context.Context, addr Address, person string, d *Draft) error {
	t, err := h.read(ctx, addr, nil)
	if err != nil {
		return fmt.Errorf("hub: saving a draft: %w", err)
	}
	if !t.MayAnswer(person) {
		return fmt.Errorf("hub: saving a draft: %w", ErrNotAllowed)
	}
	if err := h.touch(ctx, t); err != nil {
		return fmt.Errorf("hub: saving a draft: %w", err)
	}
	kept := *d
	kept.SavedAt = h.now()
	kept.Answers = slices.DeleteFunc(slices.Clone(d.Answers), func(a sayso.Answer) bool {
		return t.Ask.Question(a.QuestionID) == nil
	})
	body, err := json.Marshal(&kept)
	if err != nil {
		return fmt.Errorf("hub: encoding a draft: %w", err)
	}
	r := Record{Kind: KindDraft, Address: draftAddress(addr, person), TTL: h.opts.Keep}
	r.Data = seal(r.Kind, r.Address, []byte("null"), body)
	// The last one to save wins; a person types in one place at a time.
	for range 8 {
		old, err := h.store.Get(ctx, r.Kind, r.Address)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return fmt.Errorf("hub: saving a draft: %w", err)
		}
		if _, err = h.store.Put(ctx, r, old.Revision); !errors.Is(err, ErrConflict) {
			if err != nil {
				err = fmt.Errorf("hub: saving a draft: %w", err)
			}
			return err
		}
	}
	return fmt.Errorf("hub: saving a draft: %w", ErrConflict)
}

// touch notes that somebody has begun to answer, where that matters.
func (h *Hub) touch(ctx context.Context, t *Ticket) error {
	_, _, err := h.update(ctx, t, func(t *Ticket) (*Ticket, error) {
		if !t.Open() || t.Ask.OnExpiry.IsZero() || !t.Touched.IsZero() || h.overdue(t.Ask.Deadline) {
			return nil, nil
		}
		c := *t
		c.Touched, c.Replayed = h.now(), false
		return &c, nil
	})
	return err
}

// Draft returns the person's draft for the ask, or [ErrNotFound].
func (h *Hub) Draft(ctx context.Context, addr Address, person string) (*Draft, error) {
	r, err := h.store.Get(ctx, KindDraft, draftAddress(addr, person))
	if err != nil {
		return nil, fmt.Errorf("hub: reading a draft: %w", err)
	}
	_, body, err := unseal(r)
	if err != nil {
		return nil, err
	}
	var d Draft
	if err := json.Unmarshal(body, &d); err != nil {
		return nil, &CorruptError{Address: r.Address, Problem: "the draft cannot be read: " + err.Error()}
	}
	return &d, nil
}

func draftAddress(addr Address, person string) Address {
	addr.Person = person
	return addr
}
