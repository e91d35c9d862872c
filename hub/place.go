package hub

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"

	"github.com/saysohq/sayso"
)

// ownPrefix begins the id in the address of an ask that has an asker.
const ownPrefix = "asker/"

// ownLen is how many characters follow: 16 bytes in base32.
const ownLen = 26

// AddressOf returns where an ask of the tenant waits. An ask to exactly one
// person waits in that person's inbox, every other one in the shared inbox.
//
// Every asker has its own ids: the address has one that is made of the asker and
// of the ask's id. Only asks without an asker are filed under their id as it is.
func AddressOf(tenant string, a *sayso.Ask) Address {
	addr := Address{Tenant: tenant, Conversation: a.Origin.Conversation, ID: a.ID}
	if a.Origin.Asker != "" || isOwn(a.ID) { // nobody takes another's place by naming it
		addr.ID = ownID(a.Origin.Asker, a.ID)
	}
	if len(a.To) == 1 {
		addr.Person = a.To[0]
	}
	return addr
}

func ownID(asker, id string) string {
	h := sha256.New()
	for _, s := range []string{"sayso asker 1", asker, id} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return ownPrefix + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil)[:16]))
}

// isOwn reports whether an id looks like one that ownID made.
func isOwn(id string) bool {
	return len(id) == len(ownPrefix)+ownLen && strings.HasPrefix(id, ownPrefix)
}

// Place returns where the ask waits, or will wait. This is [AddressOf], unless the
// asker submitted it to a hub of an earlier version, which filed the asks of all
// askers under their ids: then it is where that one put it.
func (h *Hub) Place(ctx context.Context, tenant string, a *sayso.Ask) (Address, error) {
	addr := AddressOf(tenant, a)
	if a.Origin.Asker == "" || a.ID == "" || isOwn(a.ID) {
		return addr, nil
	}
	earlier := addr
	earlier.ID = a.ID
	r, err := h.record(ctx, earlier)
	if errors.Is(err, ErrNotFound) {
		return addr, nil
	}
	if err != nil {
		return addr, err
	}
	// What cannot be read is not known to be this asker's. The asker is not told
	// that it is there.
	if t, err := ticketOf(r, nil); err == nil && t.Ask.Origin.Asker == a.Origin.Asker {
		return earlier, nil
	}
	return addr, nil
}
