package hub

import (
	"container/heap"
	"slices"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/internal/textindex"
)

// searchQuery is a search on behalf of a person.
type searchQuery struct {
	*Search
	view    View
	order   Order
	person  string // empty: the only one there is
	snoozed map[Address]Snooze
	now     int64
	after   *searchHit // the last of the page before
}

// matcher is a query in the numbers of an index. It is good while that is locked.
type matcher struct {
	*searchQuery
	names   *searchNames
	never   bool // a name that is searched for is not known
	me      uint32
	known   bool // somebody knows the person
	later   map[uint32]bool
	agent   uint32
	asker   uint32
	space   uint32
	branch  uint32
	talk    uint32
	whom    uint32
	digest  [16]byte
	from    int64
	to      int64
	matches textindex.Set
	words   bool
}

func (x *searchIndex) matcher(q *searchQuery) *matcher {
	m := &matcher{searchQuery: q, names: x.names, later: map[uint32]bool{}, from: nanos(q.After), to: nanos(q.Before)}
	find := func(n *names, s string) uint32 {
		id, ok := n.ids[s]
		m.never = m.never || !ok
		return id
	}
	m.agent, m.asker = find(x.names.agents, q.Agent), find(x.names.askers, q.Asker)
	m.space, m.branch = find(x.names.workspaces, q.Workspace), find(x.names.branches, q.Branch)
	m.talk, m.whom = find(x.names.conversations, q.Conversation), find(x.names.people, q.Person)
	m.me, m.known = x.names.people.ids[q.person]
	if q.Digest != "" {
		var ok bool
		m.digest, ok = shortDigest(q.Digest)
		m.never = m.never || !ok
	}
	for addr := range q.snoozed {
		if at, ok := x.find(&addr); ok {
			m.later[at] = true
		}
	}
	m.matches, m.words = x.text.Search(q.Text)
	return m
}

// find returns where an ask is in the index, if it is. It adds no names: the index may
// be locked for reading.
func (x *searchIndex) find(addr *Address) (at uint32, ok bool) {
	key := searchKey{id: addr.ID}
	for _, part := range []struct {
		to    *uint32
		names *names
		name  string
	}{{&key.person, x.names.people, addr.Person}, {&key.asker, x.names.tokens, addr.Asker}, {&key.conversation, x.names.conversations, addr.Conversation}} {
		if *part.to, ok = part.names.ids[part.name]; !ok {
			return 0, false
		}
	}
	at, ok = x.byKey[key]
	return at, ok
}

// sees reports whether the person may see the ask.
func (m *matcher) sees(d *searchDoc) bool {
	return d.stored(m.now) && (m.person == "" || d.to == 0 || m.known && m.names.has(d.to, m.me))
}

// isLater reports whether the person has put off an open ask, or given it to somebody.
func (m *matcher) isLater(at uint32, d *searchDoc) bool {
	return m.later[at] || d.passed != 0 && m.known && m.names.has(d.passed, m.me)
}

// waits reports whether the ask waits for the person, who may see it.
func (m *matcher) waits(at uint32, d *searchDoc) bool {
	return d.status == 0 && !d.held && !m.isLater(at, d)
}

// inView reports whether the ask, which the person may see, is in the view.
func (m *matcher) inView(at uint32, d *searchDoc) bool {
	switch m.view {
	case ViewOpen:
		return m.waits(at, d)
	case ViewLater:
		return d.status == 0 && !d.held && m.isLater(at, d)
	case ViewClosed:
		return d.status != 0
	}
	return true
}

// match reports whether an ask of the view is searched for.
func (m *matcher) match(at uint32, d *searchDoc) bool {
	switch {
	case m.never,
		m.words && !m.matches.Has(at),
		m.Agent != "" && !m.names.has(d.agents, m.agent),
		m.Asker != "" && d.asker != m.asker,
		m.Workspace != "" && d.workspace != m.space,
		m.Branch != "" && d.branch != m.branch,
		m.Conversation != "" && d.key.conversation != m.talk,
		m.Person != "" && !m.names.has(d.people, m.whom),
		m.Kind != "" && (m.Kind == sayso.AskApproval) != (d.kind == 1),
		m.Approval != "" && d.approval != 1+number(sayso.ApprovalKinds(), sayso.ApprovalKind(m.Approval)),
		m.Status != "" && d.status != number(sayso.Statuses(), m.Status),
		m.Digest != "" && d.digest != m.digest,
		m.Blocking && d.blocked == 0,
		m.from != 0 && d.when() < m.from,
		m.to != 0 && d.when() >= m.to:
		return false
	}
	return true
}

// searchPage is what an index finds.
type searchPage struct {
	hits    []*searchHit // in order
	total   int          // from the first page on
	waiting int
	facets  map[string][]Facet
}

// page finds the first n hits behind the last page.
func (x *searchIndex) page(q *searchQuery, n int) *searchPage {
	x.mu.RLock()
	defer x.mu.RUnlock()
	m := x.matcher(q)
	var p searchPage
	var counts *facetCounts
	if q.Facets {
		counts = newFacetCounts(x.names)
	}
	best := &hitHeap{order: q.order}
	var h searchHit
	for i := range x.docs {
		d, at := &x.docs[i], uint32(i)
		if !m.sees(d) {
			continue
		}
		if m.waits(at, d) {
			p.waiting++
		}
		if !m.inView(at, d) {
			continue
		}
		if counts != nil {
			counts.add(d)
		}
		if !m.match(at, d) {
			continue
		}
		p.total++
		h = searchHit{blocked: d.blocked, when: d.when(), id: d.key.id, asker: x.names.tokens.all[d.key.asker], at: at}
		if q.after != nil && q.order.compare(&h, q.after) <= 0 {
			continue
		}
		best.offer(&h, n)
	}
	slices.SortFunc(best.all, q.order.compare)
	for _, h := range best.all {
		d := &x.docs[h.at]
		h.addr, h.revision = x.names.address(x.tenant, &d.key), d.revision
	}
	p.hits = best.all
	if counts != nil {
		p.facets = counts.all()
	}
	return &p
}

// still reports whether a ticket, as it is stored now, is one that is searched for. If
// it is not as the index knew it, the index takes it in.
func (x *searchIndex) still(q *searchQuery, h *searchHit, t *Ticket) bool {
	if q.person != "" && !t.MayAnswer(q.person) || q.Digest != "" && t.Digest != q.Digest {
		return false
	}
	if t.Revision == h.revision {
		return true
	}
	x.put(t)
	x.mu.RLock()
	defer x.mu.RUnlock()
	at, ok := x.find(&t.Address)
	if !ok {
		return false
	}
	m := x.matcher(q)
	d := &x.docs[at]
	return m.sees(d) && m.inView(at, d) && m.match(at, d)
}

// same counts, for each of the tickets, the other open asks with the same questions
// that the person may answer.
func (x *searchIndex) same(q *searchQuery, items []Item) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	m := x.matcher(&searchQuery{Search: &Search{}, person: q.person, now: q.now})
	counts := map[[16]byte]int{}
	for _, it := range items {
		digest, _ := shortDigest(it.Digest)
		counts[digest] = 0
	}
	for i := range x.docs {
		d := &x.docs[i]
		if d.status != 0 || d.held || !m.sees(d) {
			continue
		}
		if n, ok := counts[d.digest]; ok {
			counts[d.digest] = n + 1
		}
	}
	for i := range items {
		t := items[i].Ticket
		digest, _ := shortDigest(t.Digest)
		n := counts[digest]
		if t.Open() && t.Held == nil {
			n-- // itself
		}
		items[i].Same = max(0, n)
	}
}

// hitHeap keeps the first hits of an order; the last of them is on top.
type hitHeap struct {
	order Order
	all   []*searchHit
}

func (h *hitHeap) Len() int           { return len(h.all) }
func (h *hitHeap) Less(i, j int) bool { return h.order.compare(h.all[i], h.all[j]) > 0 }
func (h *hitHeap) Swap(i, j int)      { h.all[i], h.all[j] = h.all[j], h.all[i] }
func (h *hitHeap) Push(v any)         { h.all = append(h.all, v.(*searchHit)) }
func (h *hitHeap) Pop() any {
	last := h.all[len(h.all)-1]
	h.all = h.all[:len(h.all)-1]
	return last
}

func (h *hitHeap) offer(hit *searchHit, n int) {
	if len(h.all) < n {
		c := *hit
		heap.Push(h, &c)
	} else if n > 0 && h.order.compare(hit, h.all[0]) < 0 {
		*h.all[0] = *hit
		heap.Fix(h, 0)
	}
}
