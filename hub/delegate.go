package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/saysohq/sayso"
)

const (
	maxPassed  = 32   // how often an ask can be delegated
	maxComment = 1000 // characters
)

// ErrDelegate says that an ask cannot be delegated, or not in this way.
var ErrDelegate = errors.New("hub: this ask cannot be delegated")

// refused is an error that says what is wrong with which part of a request.
func refused(kind error, path, format string, args ...any) error {
	var e sayso.InvalidError
	e.Add(kind, path, fmt.Sprintf(format, args...))
	return &e
}

// MayAnswer reports whether the ask is one that the person may answer: it is to
// everybody, or to the person, or was delegated to the person.
func (t *Ticket) MayAnswer(person string) bool {
	return len(t.Ask.To) == 0 || slices.Contains(t.Ask.To, person) ||
		slices.ContainsFunc(t.Passed, func(p Passed) bool { return p.To == person })
}

// DelegatedBy returns how the person delegated the ask, or nil if they did not, or
// have it again: it no longer waits for them, though they may still answer it.
func (t *Ticket) DelegatedBy(person string) *Passed {
	for i := len(t.Passed) - 1; i >= 0; i-- {
		switch p := &t.Passed[i]; person {
		case p.To:
			return nil
		case p.From:
			return p
		}
	}
	return nil
}

// DelegatedTo returns how the ask came to the person, or nil if nobody delegated it
// to them.
func (t *Ticket) DelegatedTo(person string) *Passed {
	for i := len(t.Passed) - 1; i >= 0; i-- {
		if t.Passed[i].To == person {
			return &t.Passed[i]
		}
	}
	return nil
}

// Delegate hands an open ask to another person that the hub knows ([Hub.People]), with
// a comment. That person may answer it from then on, as may everybody who could before.
// It waits for that person now, and no longer for the one who delegated it. The ticket
// keeps the whole chain, and an ask can come back.
//
// Only who could answer the ask can delegate it. One that is closed is a
// [*ClosedError]. A [*sayso.InvalidError] that is [ErrDelegate] says why another cannot
// be: nobody here has that name, an answer is held, or it is an approval to people by
// name, whom nobody else may stand in for.
// Doing it again changes nothing.
func (h *Hub) Delegate(ctx context.Context, seen *Ticket, to, comment string, by sayso.Responder) (*Ticket, error) {
	comment = strings.TrimSpace(sayso.SafeText(comment))
	if n := utf8.RuneCountInString(comment); n > maxComment {
		return nil, refused(sayso.ErrTooLong, "comment", "has %d characters; use at most %d", n, maxComment)
	}
	people, err := h.People(ctx, seen.Address.Tenant, by.ID)
	if err != nil {
		return nil, err
	}
	switch {
	case by.Kind != sayso.ByPerson:
		return nil, refused(ErrDelegate, "", "only a person can delegate")
	case to == by.ID:
		return nil, refused(ErrDelegate, "to", "is %q, who delegates it; name another person", to)
	case !slices.Contains(people, to):
		return nil, refused(ErrDelegate, "to", "is %q, and nobody here is named so%s", to, near(to, people))
	}
	now, pointed := h.now(), false
	t, written, err := h.update(ctx, seen, func(t *Ticket) (*Ticket, error) {
		if err := t.allows(by, sayso.StatusAnswered, true); err != nil {
			return nil, err
		}
		last := t.DelegatedBy(by.ID)
		switch {
		case !t.Open():
			return nil, &ClosedError{Ticket: t}
		case h.overdue(t.Ask.Deadline):
			return nil, refused(ErrDelegate, "", "its deadline has passed")
		case t.Held != nil:
			return nil, refused(ErrDelegate, "", "an answer is about to be sent; undo it first")
		case t.Ask.Approval != nil && len(t.Ask.To) > 0:
			return nil, refused(ErrDelegate, "", "the approval is for %s to decide, and for nobody else", strings.Join(t.Ask.To, " or "))
		case last != nil && last.To == to && last.Comment == comment:
			return nil, nil
		case len(t.Passed) >= maxPassed:
			return nil, refused(ErrDelegate, "", "it was delegated %d times already", len(t.Passed))
		}
		if t.Address.Person != "" && t.Address.Person != to && !pointed {
			if err := h.give(ctx, to, t.Address, 0); err != nil {
				return nil, err
			}
			pointed = true
		}
		c := *t
		c.Replayed = false
		c.Passed = append(slices.Clone(t.Passed), Passed{From: by.ID, To: to, Comment: comment, At: now})
		return &c, nil
	})
	if err != nil {
		return nil, fmt.Errorf("hub: delegating ask %s: %w", seen.Address.ID, err)
	}
	t.Replayed = !written
	if snoozed, err := h.Snoozed(ctx, t.Address.Tenant, to); err == nil {
		if _, ok := snoozed[t.Address]; ok && written { // it is news to them
			_ = h.putPerson(ctx, Record{Address: aboutAsk(isSnooze, to, t.Address), TTL: snoozeMost}, &about{Ask: t.Address})
		}
	}
	return t, nil
}

// People returns the people of a tenant that the hub knows, other than one, in order.
func (h *Hub) People(ctx context.Context, tenant, but string) ([]string, error) {
	if h.opts.People == nil {
		return nil, nil
	}
	all, err := h.opts.People(ctx, tenant)
	if err != nil {
		return nil, fmt.Errorf("hub: reading who there is: %w", err)
	}
	all = slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == "" || s == but })
	slices.Sort(all)
	return slices.Compact(all), nil
}

// near returns a question about the names that are like one: with it at the beginning,
// or one letter apart, in whichever case.
func near(name string, all []string) string {
	want := strings.ToLower(strings.TrimSpace(name))
	var found []string
	for _, one := range all {
		low := strings.ToLower(one)
		if want != "" && len(found) < 3 && (strings.HasPrefix(low, want) || strings.HasPrefix(want, low) || oneApart([]rune(low), []rune(want))) {
			found = append(found, one)
		}
	}
	if len(found) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(found, " or ") + "?"
}

// oneApart reports whether a letter more, less, other or in the wrong place makes one
// of the other.
func oneApart(a, b []rune) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	j := 0
	for j < len(a)-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	left := len(a) - i - j
	switch len(b) - len(a) {
	case 0:
		return left <= 1 || left == 2 && a[i] == b[i+1] && a[i+1] == b[i]
	case 1:
		return left == 0
	}
	return false
}

func (in *inbox) Delegate(ctx context.Context, seen *Ticket, to, comment string) (*Ticket, error) {
	if err := in.owns(seen.Address); err != nil {
		return nil, err
	}
	return in.hub.Delegate(ctx, seen, to, comment, in.by)
}

func (in *inbox) People(ctx context.Context) ([]string, error) {
	return in.hub.People(ctx, in.tenant, in.by.ID)
}
