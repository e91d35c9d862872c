package hub

import (
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/saysohq/sayso"
)

// searchDoc is what a search knows about an ask: a few numbers, as there may be
// hundreds of thousands. Names are numbers of the tables of its index.
type searchDoc struct {
	key      searchKey
	revision uint64
	asked    int64 // in nanoseconds, as all times here
	closed   int64
	until    int64 // when the store forgets it; zero: never
	digest   [16]byte

	agents, people, to, passed uint32 // lists of names: see searchNames
	asker, workspace, branch   uint32

	round    uint32 // of the listing that had it
	status   uint8
	kind     uint8
	approval uint8
	blocked  uint8 // how much waits behind it
	held     bool
	gone     bool // it is not in the index any more
}

// searchKey is an address without its tenant.
type searchKey struct {
	person, asker, conversation uint32
	id                          string
}

// stored reports whether the store has the ask, as far as is known.
func (d *searchDoc) stored(now int64) bool { return !d.gone && (d.until == 0 || d.until > now) }

// when is the time that a search orders by.
func (d *searchDoc) when() int64 {
	if d.status == 0 {
		return d.asked
	}
	return d.closed
}

// names numbers names. Number 0 is the empty one.
type names struct {
	ids map[string]uint32
	all []string
}

func newNames() *names { return &names{ids: map[string]uint32{"": 0}, all: []string{""}} }

func (n *names) of(s string) uint32 {
	id, ok := n.ids[s]
	if !ok {
		s = strings.Clone(s) // it may be a part of a whole ticket
		id = uint32(len(n.all))
		n.ids[s], n.all = id, append(n.all, s)
	}
	return id
}

// searchNames are the tables of an index.
type searchNames struct {
	agents, people, askers, tokens, workspaces, branches, conversations *names

	lists   [][]uint32 // lists of names; number 0 is the empty one
	listIDs map[string]uint32
}

func newSearchNames() *searchNames {
	return &searchNames{
		newNames(), newNames(), newNames(), newNames(), newNames(), newNames(), newNames(),
		[][]uint32{nil}, map[string]uint32{"": 0},
	}
}

// list numbers a list of names.
func (n *searchNames) list(table *names, all []string) uint32 {
	if len(all) == 0 {
		return 0
	}
	ids := make([]uint32, 0, len(all))
	key := make([]byte, 0, 32)
	for _, s := range all {
		id := table.of(s)
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
			key = append(key, byte(id), byte(id>>8), byte(id>>16), byte(id>>24))
		}
	}
	at, ok := n.listIDs[string(key)]
	if !ok {
		at = uint32(len(n.lists))
		n.listIDs[string(key)], n.lists = at, append(n.lists, ids)
	}
	return at
}

func (n *searchNames) has(list, name uint32) bool { return slices.Contains(n.lists[list], name) }

func (n *searchNames) key(addr *Address) searchKey {
	return searchKey{n.people.of(addr.Person), n.tokens.of(addr.Asker), n.conversations.of(addr.Conversation), addr.ID}
}

func (n *searchNames) address(tenant string, k *searchKey) Address {
	return Address{Tenant: tenant, Person: n.people.all[k.person], Asker: n.tokens.all[k.asker], Conversation: n.conversations.all[k.conversation], ID: k.id}
}

// doc makes what a search knows of a ticket.
func (n *searchNames) doc(t *Ticket, keep keeping) searchDoc {
	a := t.Ask
	d := searchDoc{
		key: n.key(&t.Address), revision: t.Revision, asked: nanos(a.AskedAt),
		asker: n.askers.of(a.Origin.Asker), workspace: n.workspaces.of(a.Origin.Workspace), branch: n.branches.of(a.Origin.Branch),
		status: number(sayso.Statuses(), t.Status()), blocked: uint8(min(a.HeldUp().Count(), 255)),
		held: t.Open() && t.Held != nil,
	}
	d.digest, _ = shortDigest(t.Digest)
	d.agents = n.list(n.agents, agentsOf(a))
	d.people = n.list(n.people, peopleOf(t))
	if a.Kind == sayso.AskApproval {
		d.kind = 1
	}
	if a.Approval != nil {
		d.approval = 1 + number(sayso.ApprovalKinds(), a.Approval.Kind)
	}
	var to, from []string
	if len(a.To) > 0 {
		to = slices.Clone(a.To)
	}
	for _, p := range t.Passed {
		if len(to) > 0 {
			to = append(to, p.To)
		}
		if t.DelegatedBy(p.From) != nil {
			from = append(from, p.From)
		}
	}
	d.to, d.passed = n.list(n.people, to), n.list(n.people, from)
	if !t.Open() {
		d.closed, d.until = nanos(t.Outcome.At), nanos(t.forgotten(keep))
	}
	return d
}

// forgotten is when the store forgets a closed ticket that nobody changes any more.
func (t *Ticket) forgotten(keep keeping) time.Time {
	ttl, last := keep.unconsumed, t.Outcome.At
	if !t.Consumed.IsZero() {
		ttl = keep.consumed
	}
	if t.Ask.Kind == sayso.AskApproval {
		ttl = max(ttl, KeepApprovals)
	}
	for _, at := range append([]time.Time{t.Consumed}, times(t.History)...) {
		if at.After(last) {
			last = at
		}
	}
	return last.Add(ttl)
}

func times(all []Entry) (at []time.Time) {
	for _, e := range all {
		at = append(at, e.At)
	}
	return at
}

// shortDigest returns the first half of a digest, and whether it is one. That is enough
// to find asks by: what is closed is compared by the whole of it.
func shortDigest(s string) (short [16]byte, ok bool) {
	n, err := hex.Decode(short[:], []byte(s[:min(len(s), 2*len(short))]))
	return short, err == nil && n == len(short)
}

func agentsOf(a *sayso.Ask) []string {
	all := slices.Clone(a.Origin.Agents)
	if a.Origin.Host != "" {
		all = append(all, a.Origin.Host)
	}
	return all
}

// peopleOf are those whom an ask is to, or was delegated to, and who answered it.
func peopleOf(t *Ticket) []string {
	all := slices.Clone(t.Ask.To)
	for _, p := range t.Passed {
		all = append(all, p.To)
	}
	if o := t.Outcome; o != nil && o.By.Kind == sayso.ByPerson && o.By.ID != "" {
		all = append(all, o.By.ID)
	}
	return all
}

func number[T comparable](all []T, one T) uint8 { return uint8(max(0, slices.Index(all, one))) }

func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}
