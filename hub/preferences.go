package hub

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/saysohq/sayso"
)

// MaxGrace is the most seconds for which a person can have answers held.
const MaxGrace = 30

// Preferences returns what a person has chosen. What is not chosen is empty.
func (h *Hub) Preferences(ctx context.Context, tenant, person string) (*Preferences, error) {
	r, err := h.store.Get(ctx, KindPerson, preferencesAddress(tenant, person))
	if errors.Is(err, ErrNotFound) {
		return &Preferences{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("hub: reading preferences: %w", err)
	}
	var p Preferences
	if err := readPerson(r, &p); err != nil {
		return nil, err
	}
	return &p, nil
}

// SetPreferences keeps what a person has chosen, in place of what was chosen before.
// What cannot be is a [*sayso.InvalidError]. Whether a time zone exists is for the
// surface to know, which has the names of all.
func (h *Hub) SetPreferences(ctx context.Context, tenant, person string, p *Preferences) error {
	if err := p.check(); err != nil {
		return err
	}
	if err := h.putPerson(ctx, Record{Address: preferencesAddress(tenant, person)}, p); err != nil {
		return fmt.Errorf("hub: storing preferences: %w", err)
	}
	return nil
}

func (p *Preferences) check() error {
	var e sayso.InvalidError
	if p.Grace != nil && (*p.Grace < 0 || *p.Grace > MaxGrace) {
		e.Add(ErrPreference, "grace", fmt.Sprintf("is %d seconds; use 0 to %d", *p.Grace, MaxGrace))
	}
	if len(p.Language) > 35 || !isName(p.Language, "-") {
		e.Add(ErrPreference, "language", fmt.Sprintf("is %q; use a tag such as en or de", p.Language))
	}
	if len(p.Zone) > 64 || !isName(p.Zone, "-_+/") || strings.Contains(p.Zone, "//") || strings.HasPrefix(p.Zone, "/") {
		e.Add(ErrPreference, "zone", fmt.Sprintf("is %q; use a name such as Europe/Berlin", p.Zone))
	}
	return e.OrNil()
}

// isName reports whether a text has only letters and digits of ASCII, and some others.
func isName(s, others string) bool {
	for _, c := range s {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune(others, c)) {
			return false
		}
	}
	return true
}

func (in *inbox) Preferences(ctx context.Context) (*Preferences, error) {
	return in.hub.Preferences(ctx, in.tenant, in.by.ID)
}

func (in *inbox) SetPreferences(ctx context.Context, p *Preferences) error {
	return in.hub.SetPreferences(ctx, in.tenant, in.by.ID, p)
}
