package hub

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"

	"github.com/saysohq/sayso"
)

// AddressOf returns where an ask of the tenant waits. An ask to exactly one
// person waits in that person's inbox, every other one in the shared inbox. Every
// asker has its own ids, since the asker is a part of the address.
func AddressOf(tenant string, a *sayso.Ask) Address {
	addr := Address{Tenant: tenant, Asker: AskerToken(a.Origin.Asker), Conversation: a.Origin.Conversation, ID: a.ID}
	if len(a.To) == 1 {
		addr.Person = a.To[0]
	}
	return addr
}

// AskerToken returns what stands for an asker in an [Address]: 13 letters and
// digits, as stores keep every address in memory, or nothing for no asker.
func AskerToken(asker string) string {
	if asker == "" {
		return ""
	}
	return shortHash(8, "sayso asker 2", asker)
}

// shortHash returns n bytes of a hash of the parts, in small letters and digits.
func shortHash(n int, parts ...string) string {
	h := sha256.New()
	for _, s := range parts {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil)[:n]))
}

// Place returns where the ask waits, or will wait, which is [AddressOf]. The error
// is always nil.
func (h *Hub) Place(_ context.Context, tenant string, a *sayso.Ask) (Address, error) {
	return AddressOf(tenant, a), nil
}
