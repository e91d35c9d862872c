package httpapi

import (
	"encoding/json"
	"sync"

	"github.com/saysohq/sayso/hub"
)

// How many changes are kept as they are written, and how many bytes of them.
const (
	keepSpelled = 1024
	keepBytes   = 16 << 20
)

// spellings are the last changes that streams were told, so that each is encoded
// once for all of them. It is a memory and no source: what it lacks is encoded
// again, or read.
type spellings struct {
	mu    sync.Mutex
	all   map[hub.Address]*spelling // the newest of each ask
	order []*spelling               // as they came
	bytes int
}

// spelling is a ticket at one revision, in JSON for each sight.
type spelling struct {
	ticket *hub.Ticket
	texts  [sights]struct {
		once sync.Once
		data []byte
	}
}

// of returns the spelling of a ticket.
func (ss *spellings) of(t *hub.Ticket) *spelling {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	have := ss.all[t.Address]
	switch {
	case have != nil && have.ticket.Revision == t.Revision:
		return have
	case have != nil && have.ticket.Revision > t.Revision:
		return &spelling{ticket: t} // a stream that is behind the others
	}
	sp := &spelling{ticket: t}
	if ss.all == nil {
		ss.all = map[hub.Address]*spelling{}
	}
	ss.all[t.Address] = sp
	ss.order = append(ss.order, sp)
	ss.bytes += sp.size()
	drop := 0
	for ; len(ss.order)-drop > keepSpelled || ss.bytes > keepBytes && drop < len(ss.order)-1; drop++ {
		old := ss.order[drop]
		ss.bytes -= old.size()
		if ss.all[old.ticket.Address] == old {
			delete(ss.all, old.ticket.Address)
		}
		ss.order[drop] = nil
	}
	ss.order = ss.order[drop:]
	return sp
}

// latest returns the newest ticket of an ask that a stream was told of lately, or
// nil.
func (ss *spellings) latest(addr hub.Address) *hub.Ticket {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if sp := ss.all[addr]; sp != nil {
		return sp.ticket
	}
	return nil
}

// size is about how many bytes it takes, as a ticket and encoded.
func (sp *spelling) size() int { return 1024 + 3*sp.ticket.Size() }

// data returns the ticket in JSON for that sight.
func (sp *spelling) data(h *hub.Hub, s sight) []byte {
	text := &sp.texts[s]
	text.once.Do(func() { text.data = spell(wire(h, sp.ticket, s)) })
	return text.data
}

// spell encodes what an event says.
func spell(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil { // stored metadata that cannot be encoded again
		return []byte("{}")
	}
	return data
}
