package hub

import (
	"bytes"
	"context"
	"fmt"

	"github.com/saysohq/sayso"
)

// Earlier versions had no asker in their addresses. They filed the asks of all
// askers under their ids, and later under a hash of the asker and the id. Stores
// that find such records move them with [Readdress]; handles that such a version
// gave out still open the ask, by [Hub.Find].

// earlierIDs are what an earlier version may have had as the id in the address.
func earlierIDs(a *sayso.Ask) [2]string {
	return [...]string{a.ID, "asker/" + shortHash(16, "sayso asker 1", a.Origin.Asker, a.ID)}
}

// Readdress returns a ticket that an earlier version stored as this version would
// store it: at its own address, with a checksum of that. It is a [*CorruptError] if the record is damaged.
// A record that has its place already stays there.
func Readdress(r Record) (Record, error) {
	t, err := ticketOf(r, nil)
	if err != nil {
		return r, err
	}
	r.Settled = r.Closed && !t.Consumed.IsZero()
	addr := AddressOf(r.Address.Tenant, t.Ask)
	if r.Kind != KindTicket || addr == r.Address {
		return r, nil
	}
	ask, st, err := unseal(r)
	if err != nil {
		return r, err
	}
	r.Address = addr
	r.Data = seal(r.Kind, addr, bytes.Clone(ask), bytes.Clone(st))
	return r, nil
}

// ReaddressDraft returns a draft that an earlier version stored as this version
// would store it, given where its ask is now.
func ReaddressDraft(r Record, ask Address) (Record, error) {
	null, body, err := unseal(r)
	if err != nil {
		return r, err
	}
	r.Address = draftAddress(ask, r.Address.Person)
	r.Data = seal(r.Kind, r.Address, bytes.Clone(null), bytes.Clone(body))
	return r, nil
}

// Find returns the address that a handle names, also one that a hub of an earlier
// version gave out: then it looks for the ask in its conversation. It returns
// [ErrHandle] if neither this hub nor one with the same key made the handle, and
// [ErrNotFound] if the ask of an old handle is gone.
func (h *Hub) Find(ctx context.Context, handle string) (Address, error) {
	addr, version, err := h.open(handle)
	if err != nil || version != handleV1 {
		return addr, err
	}
	q := Query{Tenant: addr.Tenant, Person: &addr.Person, Conversation: addr.Conversation, Limit: 1000}
	for {
		page, err := h.store.List(ctx, q)
		if err != nil {
			return Address{}, fmt.Errorf("hub: looking for an ask by an old handle: %w", err)
		}
		for _, r := range page.Records {
			if r.Address.Conversation != addr.Conversation {
				continue // an empty conversation selects all
			}
			if t, err := ticketOf(r, nil); err == nil {
				if ids := earlierIDs(t.Ask); addr.ID == ids[0] || addr.ID == ids[1] {
					return r.Address, nil
				}
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return Address{}, ErrNotFound
		}
	}
}
