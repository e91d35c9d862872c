package hub

import "github.com/saysohq/sayso"

// EarlierRecord is the record of an open ask as an earlier version wrote it: in the
// place that its id names, whoever asked.
func EarlierRecord(tenant string, a *sayso.Ask) (Record, error) {
	addr := AddressOf(tenant, a)
	addr.ID = a.ID
	return (&Ticket{Address: addr, Ask: a, Digest: a.Digest()}).record(0)
}
