package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/saysohq/sayso"
)

// Decision is what rules say about a new approval: see [Options].Decide.
type Decision struct {
	// Outcome closes the approval before anybody is asked. Its By is a policy
	// ([sayso.ByPolicy]) that names the rule. Default: people are asked.
	Outcome *sayso.Outcome

	// To are who has to answer, in the place of who was asked, and MinAssurance is the
	// least certainty about them. The ask stays in the inbox that it was sent to.
	// Default: as it was asked.
	To           []string
	MinAssurance sayso.Assurance
}

// decided asks the rules about an approval that is new. One that is stored already is
// never decided again: the same ask returns its ticket.
//
// It comes before the ticket is stored, and a rule has counted its use by then. A
// crash in between loses that use; it never gains one.
func (h *Hub) decided(ctx context.Context, t *Ticket) (*Ticket, error) {
	if h.opts.Decide == nil || t.Ask.Approval == nil {
		return t, nil
	}
	if !t.fresh {
		_, err := h.read(ctx, t.Address, nil)
		if err == nil {
			return t, nil
		}
		if !errors.Is(err, ErrNotFound) {
			return nil, fmt.Errorf("hub: submitting: %w", err)
		}
	}
	d, err := h.opts.Decide(ctx, t, h)
	if err != nil {
		return nil, fmt.Errorf("hub: submitting: reading the rules: %w", err)
	}
	if d == nil {
		return t, nil
	}
	next := *t
	if len(d.To) > 0 || d.MinAssurance > t.Ask.MinAssurance {
		next.Ask = t.Ask.Clone()
		if len(d.To) > 0 {
			next.Ask.To = slices.Clone(d.To)
		}
		next.Ask.MinAssurance = max(next.Ask.MinAssurance, d.MinAssurance)
		if next.ask, err = json.Marshal(next.Ask); err != nil {
			return nil, fmt.Errorf("hub: encoding the ask: %w", err)
		}
	}
	if d.Outcome != nil {
		out := *d.Outcome
		if out.At.IsZero() {
			out.At = h.now()
		}
		if err := next.takesRule(&out); err != nil {
			return nil, fmt.Errorf("hub: submitting: %w", err)
		}
		next.Outcome = &out
	}
	return &next, nil
}

// takesRule reports what keeps the outcome of a rule from closing the approval. Rules
// check all of this themselves; that nothing is allowed without it is for the hub to say.
func (t *Ticket) takesRule(o *sayso.Outcome) error {
	v := t.Ask.Verdict(o)
	switch {
	case o.By.Kind != sayso.ByPolicy || o.By.ID == "":
		return fmt.Errorf("%w: a rule decides as a policy with a name, not as %q", ErrNotAllowed, o.By.Kind)
	case v == nil:
		return fmt.Errorf("%w: rule %s decides nothing about this approval", ErrStatus, o.By.ID)
	case v.Allowed() && t.Ask.MinAssurance > 0:
		return fmt.Errorf("%w: the approval wants level %d of a person, and rule %s is none", ErrAssurance, t.Ask.MinAssurance, o.By.ID)
	case v.Allowed() && (v.Unseen > 0 || v.Input != ""):
		return fmt.Errorf("%w: rule %s cannot allow what nobody has seen, or change it", ErrNotAllowed, o.By.ID)
	}
	return nil
}
