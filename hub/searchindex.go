package hub

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/saysohq/sayso/internal/textindex"
)

// searchMost is how many asks of a tenant a search knows. Of more, the ones that were
// closed first are left out. An ask of fifty words takes about 700 bytes. If the indexes
// of all tenants have more than twice as many, those are dropped in which nobody has
// searched for longest.
const searchMost = 300_000

// searchIndex is what a search knows of the asks of a tenant. It is found in the
// store, and may be thrown away.
type searchIndex struct {
	tenant string
	keep   keeping
	most   int

	mu    sync.RWMutex
	names *searchNames
	docs  []searchDoc
	byKey map[searchKey]uint32
	text  *textindex.Index
	round uint32 // of listing everything

	feed searchFeed
}

func newSearchIndex(tenant string, keep keeping) *searchIndex {
	return &searchIndex{
		tenant: tenant, keep: keep, most: searchMost, names: newSearchNames(),
		byKey: map[searchKey]uint32{}, text: textindex.New(), feed: newSearchFeed(),
	}
}

// put takes in a ticket, unless it knows it, or a later state of it.
func (x *searchIndex) put(t *Ticket) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.take(t)
}

func (x *searchIndex) take(t *Ticket) {
	key := x.names.key(&t.Address)
	at, known := x.byKey[key]
	if known && x.docs[at].revision >= t.Revision {
		x.docs[at].round = x.round
		return
	}
	d := x.names.doc(t, x.keep)
	d.round = x.round
	d.key.id = strings.Clone(key.id) // it may be a part of a whole ticket
	if known {
		d.key.id = x.docs[at].key.id
		x.drop(at)
	}
	at = uint32(len(x.docs))
	x.docs = append(x.docs, d)
	x.byKey[d.key] = at
	x.text.Add(at, searchTexts(t)...)
	if len(x.byKey) > x.most {
		x.trim()
	}
	if n := x.text.Removed(); n > 1000 && n > len(x.docs)/3 {
		x.compact()
	}
}

// forget takes out an ask that the store does not have any more.
func (x *searchIndex) forget(addr *Address) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if at, ok := x.find(addr); ok {
		x.drop(at)
	}
}

func (x *searchIndex) drop(at uint32) {
	delete(x.byKey, x.docs[at].key)
	x.docs[at].gone = true
	x.text.Remove(at)
}

// dropIf takes out what fits.
func (x *searchIndex) dropIf(fits func(*searchDoc) bool) {
	for at := range x.docs {
		if d := &x.docs[at]; !d.gone && fits(d) {
			x.drop(uint32(at))
		}
	}
}

// trim takes out a tenth of what is closed, the oldest.
func (x *searchIndex) trim() {
	var closed []int64
	for i := range x.docs {
		if d := &x.docs[i]; !d.gone && d.status != 0 {
			closed = append(closed, d.closed)
		}
	}
	if len(closed) == 0 {
		return // people will not get through what is open, either
	}
	slices.Sort(closed)
	before := closed[len(closed)/10]
	x.dropIf(func(d *searchDoc) bool { return d.status != 0 && d.closed <= before })
}

func (x *searchIndex) compact() {
	renumbered := x.text.Compact()
	docs := make([]searchDoc, 0, len(x.byKey)+len(x.byKey)/8)
	for at := range x.docs {
		d := &x.docs[at]
		if d.gone {
			continue
		}
		if int(renumbered[at]) != len(docs) {
			panic("hub: the index of a search and its texts disagree")
		}
		x.byKey[d.key] = uint32(len(docs))
		docs = append(docs, *d)
	}
	x.docs = docs
}

// searchHit is a document that a search found, and its place in the order.
type searchHit struct {
	blocked uint8
	when    int64
	id      string
	asker   string // the token, as ids are an asker's own

	addr     Address
	revision uint64
	at       uint32 // while the index is locked
}

// compare compares two hits. It is called for every ask that matches, so names are
// looked at only where times are equal.
func (o Order) compare(a, b *searchHit) int {
	if o == OrderBlocking && a.blocked != b.blocked {
		return cmp.Compare(b.blocked, a.blocked)
	}
	c := cmp.Compare(a.when, b.when)
	if c == 0 {
		c = cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.asker, b.asker))
	}
	if o == OrderNewest {
		return -c
	}
	return c
}
