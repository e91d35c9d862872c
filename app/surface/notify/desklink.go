package notify

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

func (d *desk) Link(ctx context.Context, word string, c *Contact) (*Reply, error) {
	var got code
	refused := &Reply{Text: badCode + string(d.kind)}
	if word == "" || c.Account == "" {
		return refused, nil
	}
	mine := false
	_, _, err := change[code](ctx, d.n, hub.KindNotify, codeAddress(word), CodeFor+tombstone, func(v *code, found bool) bool {
		mine = found && v.Kind == d.kind && d.n.opts.Now().Before(v.Until) && (v.UsedBy == "" || v.UsedBy == c.Account)
		if !mine {
			return false
		}
		first := v.UsedBy == ""
		v.UsedBy, got = c.Account, *v
		return first
	})
	if err != nil {
		return nil, err
	}
	if !mine {
		return refused, nil
	}
	// An account is one person's: linking it again moves it.
	earlier, err := d.accounts(ctx, c.Account)
	if err != nil {
		return nil, err
	}
	linked := &Reply{Done: true, Text: "Linked. You are notified here of questions that wait for you."}
	for _, e := range earlier {
		if e.Tenant == got.Tenant && e.Person == got.Person && !e.Off {
			_, err := d.n.Change(ctx, e.Tenant, e.Person, e.ID, func(v *Contact) { v.Address = c.Address })
			return linked, err
		}
		if _, err := d.n.remove(ctx, hub.KindNotify, contactAddress(e.Tenant, e.Person, e.ID)); err != nil {
			return nil, err
		}
	}
	next := *c
	next.Tenant, next.Person, next.Kind = got.Tenant, got.Person, d.kind
	next.Detail, next.After = got.Detail, got.After
	next.Assurance = min(next.Assurance, sayso.AssuranceKey)
	if got.Name != "" {
		next.Name = got.Name
	}
	next.Confirmed = d.n.opts.Now().UTC()
	if _, err := d.n.Add(ctx, &next); err != nil {
		return nil, err
	}
	return linked, nil
}

// accounts returns the contacts with an account of this channel.
func (d *desk) accounts(ctx context.Context, account string) (all []Contact, err error) {
	err = d.n.each(ctx, hub.Query{Kind: hub.KindNotify, Conversation: isContact}, func(r hub.Record) {
		var c Contact
		if json.Unmarshal(r.Data, &c) == nil && c.Kind == d.kind && c.Account == account {
			all = append(all, c)
		}
	})
	return all, err
}

// contact returns the contact that an account is, nil if it is nobody's. Those of
// everybody are in memory; the store decides, as a link may have just been ended.
func (d *desk) contact(ctx context.Context, account string) (*Contact, error) {
	if account == "" {
		return nil, nil
	}
	var found *Contact
	for _, c := range d.n.linked(d.kind) {
		if c.Account == account {
			found = c
		}
	}
	if found == nil {
		all, err := d.accounts(ctx, account)
		all = slices.DeleteFunc(all, func(c Contact) bool { return c.Off })
		if err != nil || len(all) == 0 {
			return nil, err
		}
		found = &all[0]
	}
	now := &Contact{}
	_, there, err := d.n.record(ctx, hub.KindNotify, contactAddress(found.Tenant, found.Person, found.ID), now)
	if err != nil || !there || now.Off || now.Kind != d.kind || now.Account != account {
		return nil, err
	}
	return now, nil
}
