package hub

import (
	"encoding/base64"

	"github.com/saysohq/sayso"
)

// EarlierRecord is the record of an open ask as an earlier version wrote it: in the
// place that its id names, whoever asked.
func EarlierRecord(tenant string, a *sayso.Ask) (Record, error) {
	addr := AddressOf(tenant, a)
	addr.Asker = ""
	return (&Ticket{Address: addr, Ask: a, Digest: a.Digest()}).record(keeping{})
}

// EarlierHandle is what an earlier version gave out for the ask of a record.
func (h *Hub) EarlierHandle(r Record) string {
	b := appendParts([]byte{handleV1}, r.Address.Tenant, r.Address.Person, r.Address.Conversation, r.Address.ID)
	return base64.RawURLEncoding.EncodeToString(append(b, h.mac(b)...))
}

// EarlierIDs are the ids that earlier versions had in the address of the ask.
func EarlierIDs(a *sayso.Ask) [2]string { return earlierIDs(a) }

// EarlierAt returns the record as if it had been stored under another id.
func EarlierAt(r Record, id string) (Record, error) {
	r.Address.ID = id
	n := len(headV1) + sumLen + 2
	sum := sumOf(r.Kind, r.Address, r.Data[n:])
	base64.RawURLEncoding.Encode(r.Data[len(headV1):], sum[:])
	_, _, err := unseal(r)
	return r, err
}

// SearchIndexes is how many indexes there are for searches.
func (h *Hub) SearchIndexes() int {
	h.searches.mu.Lock()
	defer h.searches.mu.Unlock()
	return len(h.searches.all)
}

// Miss has everybody who listens for a tenant's asks believe that changes were missed.
func (h *Hub) Miss(tenant string) {
	h.interests.mu.Lock()
	one := h.interests.all[scope{tenant: tenant}]
	h.interests.mu.Unlock()
	h.missed(one)
}
