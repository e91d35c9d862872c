package notify

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// before orders contacts as they are told.
func before(a, b *Contact) int {
	return cmp.Or(cmp.Compare(a.After, b.After), a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
}

// Contacts returns the contacts of a person, in the order in which they are told.
func (n *Notifier) Contacts(ctx context.Context, tenant, person string) ([]Contact, error) {
	var all []Contact
	err := n.each(ctx, hub.Query{Kind: hub.KindNotify, Tenant: tenant, Person: &person, Conversation: isContact}, func(r hub.Record) {
		var c Contact
		if json.Unmarshal(r.Data, &c) == nil {
			all = append(all, c)
		}
	})
	slices.SortFunc(all, func(a, b Contact) int { return before(&a, &b) })
	return slices.CompactFunc(all, func(a, b Contact) bool { return a.ID == b.ID }), err
}

// People returns the people of a tenant who have contacts, in order.
func People(ctx context.Context, store hub.Store, tenant string) ([]string, error) {
	var all []string
	for q := (hub.Query{Kind: hub.KindNotify, Tenant: tenant, Conversation: isContact, Limit: 1000}); ; {
		page, err := store.List(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("notify: reading who there is: %w", err)
		}
		for _, r := range page.Records {
			if !r.Closed && r.Address.Person != "" {
				all = append(all, r.Address.Person)
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			slices.Sort(all)
			return slices.Compact(all), nil
		}
	}
}

// maxContacts is how many contacts a person can have.
const maxContacts = 50

// Add adds a contact and returns it as it was stored, with an id. An After of zero
// becomes the default: 20 s for the first device of a person, 10 min for the second, 1 h
// and 4 h for more; negative means at once.
func (n *Notifier) Add(ctx context.Context, c *Contact) (*Contact, error) {
	all, err := n.Contacts(ctx, c.Tenant, c.Person)
	if err != nil {
		return nil, err
	}
	if len(all) >= maxContacts {
		return nil, fmt.Errorf("notify: there are %d devices and accounts already; remove one first", len(all))
	}
	next := *c
	next.Created = n.opts.Now().UTC()
	next.Name = cut(sayso.SafeLine(next.Name), 80)
	people := 0
	for _, other := range all {
		if l, _ := n.limits(other.Kind); !l.Machine && !other.Off {
			people++
		}
	}
	l, _ := n.limits(c.Kind)
	switch {
	case next.After == 0 && l.Machine, next.After < 0:
		next.After = 0
	case next.After == 0 && people == 0:
		next.After = max(0, n.opts.Wait)
	case next.After == 0:
		next.After = laters[min(people, len(laters)-1)]
	}
	for i := 1; i <= 10*maxContacts; i++ {
		next.ID = fmt.Sprintf("%s-%d", c.Kind, i)
		if slices.ContainsFunc(all, func(o Contact) bool { return o.ID == next.ID }) {
			continue
		}
		taken := false
		_, _, err := change[Contact](ctx, n, hub.KindNotify, contactAddress(c.Tenant, c.Person, next.ID), 0, func(v *Contact, found bool) bool {
			if taken = found && v.Created != next.Created; taken {
				return false
			}
			*v = next
			return true
		})
		if err != nil {
			return nil, fmt.Errorf("notify: adding a contact: %w", err)
		}
		if !taken {
			return &next, nil
		}
	}
	return nil, fmt.Errorf("notify: no id is left for a %s contact", c.Kind)
}

// Change changes a contact. It is [ErrNoContact] if there is none.
func (n *Notifier) Change(ctx context.Context, tenant, person, id string, fn func(*Contact)) (*Contact, error) {
	there := false
	c, _, err := change[Contact](ctx, n, hub.KindNotify, contactAddress(tenant, person, id), 0, func(c *Contact, found bool) bool {
		if there = found; found {
			fn(c)
			c.Tenant, c.Person, c.ID = tenant, person, id
		}
		return found
	})
	if err == nil && !there {
		err = ErrNoContact
	}
	return c, err
}

// Remove removes a contact, and with it what it shows.
func (n *Notifier) Remove(ctx context.Context, tenant, person, id string) error {
	found, err := n.remove(ctx, hub.KindNotify, contactAddress(tenant, person, id))
	if err == nil && !found {
		err = ErrNoContact
	}
	return err
}

// RemoveSession removes the contacts of a session that has ended.
func (n *Notifier) RemoveSession(ctx context.Context, tenant, person, session string) error {
	all, err := n.Contacts(ctx, tenant, person)
	for _, c := range all {
		if c.Session == session && err == nil {
			if _, err = n.remove(ctx, hub.KindNotify, contactAddress(tenant, person, c.ID)); err != nil {
				return err
			}
		}
	}
	return err
}

// Confirm notes that the person has seen a note at the contact.
func (n *Notifier) Confirm(ctx context.Context, tenant, person, id string) error {
	_, err := n.Change(ctx, tenant, person, id, func(c *Contact) {
		c.Confirmed, c.Failing, c.Error = n.opts.Now().UTC(), time.Time{}, ""
	})
	return err
}

// Prefs returns what the person wants.
func (n *Notifier) Prefs(ctx context.Context, tenant, person string) (*Prefs, error) {
	p := &Prefs{}
	_, _, err := n.record(ctx, hub.KindNotify, prefsAddress(tenant, person), p)
	return p, err
}

// SetPrefs changes what the person wants, if [Prefs.Check] allows it.
func (n *Notifier) SetPrefs(ctx context.Context, tenant, person string, fn func(*Prefs)) error {
	var wrong error
	_, _, err := change[Prefs](ctx, n, hub.KindNotify, prefsAddress(tenant, person), 0, func(p *Prefs, _ bool) bool {
		fn(p)
		wrong = p.Check()
		return wrong == nil
	})
	return cmp.Or(wrong, err)
}

// Log returns what the person was told, the latest first.
func (n *Notifier) Log(ctx context.Context, tenant, person string, limit int) ([]Told, error) {
	var all []Told
	err := n.each(ctx, hub.Query{Kind: hub.KindTold, Tenant: tenant, Person: &person}, func(r hub.Record) {
		if s, err := readSlot(r); err == nil {
			all = append(all, s.Told)
		}
	})
	when := func(t Told) time.Time { return later(t.First, t.Sent) }
	slices.SortFunc(all, func(a, b Told) int { return when(b).Compare(when(a)) })
	return all[:min(len(all), max(limit, 0))], err
}

// code is what a code stands for.
type code struct {
	Tenant   string        `json:"tenant"`
	Person   string        `json:"person"`
	Kind     Kind          `json:"kind"`
	Name     string        `json:"name,omitempty"`
	Detail   Detail        `json:"detail"`
	After    time.Duration `json:"after,omitempty"`
	Until    time.Time     `json:"until"`
	UsedBy   string        `json:"usedBy,omitempty"` // the account
	LinkedAs string        `json:"linkedAs,omitempty"`
}

// CodeFor is for how long a code is good.
const CodeFor = 10 * time.Minute

// NewCode returns a code that links one account of that kind to the person, once and
// within [CodeFor]. The template says how the contact is to be told: its After, Detail
// and Name. Nil means the defaults.
func (n *Notifier) NewCode(ctx context.Context, tenant, person string, kind Kind, template *Contact) (string, error) {
	if n.channel(kind) == nil {
		return "", ErrNoChannel
	}
	if template == nil {
		template = &Contact{Detail: DetailSender}
	}
	word := strings.ToLower(rand.Text()[:16])
	data, err := json.Marshal(code{tenant, person, kind, template.Name, template.Detail, template.After, n.opts.Now().UTC().Add(CodeFor), "", ""})
	if err == nil {
		_, err = n.store.Put(ctx, hub.Record{Kind: hub.KindNotify, Address: codeAddress(word), TTL: CodeFor + tombstone, Data: data}, 0)
	}
	if err != nil {
		return "", fmt.Errorf("notify: making a code: %w", err)
	}
	return word, nil
}

func codeAddress(word string) hub.Address {
	return hub.Address{Tenant: common, Conversation: isCode, ID: hashed(strings.ToLower(word))}
}

// Test sends a test to a contact, from this process.
func (n *Notifier) Test(ctx context.Context, tenant, person, id string) (*TestResult, error) {
	c := &Contact{}
	_, found, err := n.record(ctx, hub.KindNotify, contactAddress(tenant, person, id), c)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, ErrNoContact
	}
	channel := n.channel(c.Kind)
	if channel == nil {
		return nil, ErrNoChannel
	}
	l, _ := n.limits(c.Kind)
	now := n.opts.Now().UTC()
	s := newSlot(c.ID, "t"+strings.ToLower(rand.Text()))
	s.Test, s.First, s.Sent, s.Done = true, now, now, true
	note := &Note{
		Key: s.key(c), Token: s.Token, Alert: true, Test: true, Title: "Test from sayso", Body: "Notifications arrive here.", URL: n.opts.URL(""),
		Until: now.Add(time.Hour),
	}
	if l.Text > 0 {
		note.Text = note.Title + ". " + note.Body
	}
	if c.Account != "" {
		note.add(l, Button{Label: "It arrived", Data: s.Token + ".y"})
	}
	if err := n.storeSlot(ctx, c, s); err != nil {
		return nil, err
	}
	result := &TestResult{Sent: now, CanReply: c.Account != "" && l.Buttons > 0}
	where, err := channel.Put(ctx, c, note, "")
	if err != nil {
		result.Error = err.Error()
		s.Error = cut(err.Error(), 300)
	}
	s.Where = where
	n.storeSlot(ctx, c, s)
	n.result(ctx, c, err)
	if fresh, err := n.Change(ctx, tenant, person, id, func(*Contact) {}); err == nil {
		c = fresh
	}
	result.Contact = *c
	return result, nil
}
