package natsstore_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

// settledTicket stores a ticket, closes it and settles it, and returns what is stored.
func settledTicket(t testing.TB, s *natsstore.Store, n int, person string) hub.Record {
	t.Helper()
	r := ticket(n, person, fmt.Sprint("open ", n))
	rev := put(t, s, r, 0)
	r.Closed, r.TTL, r.Data = true, time.Hour, fmt.Append(nil, "closed ", n)
	rev = put(t, s, r, rev)
	r.Settled, r.Data = true, fmt.Append(nil, "settled ", n)
	r.Revision = put(t, s, r, rev)
	return r
}

// copies reads the archive of shard 0: the revisions and data of the copies, in order.
func copies(t testing.TB, nc *nats.Conn, stream string) (revisions []uint64, data []string) {
	t.Helper()
	js, err := jetstream.New(nc)
	must(t, err)
	st, err := js.Stream(t.Context(), stream)
	must(t, err)
	for seq := uint64(1); seq <= st.CachedInfo().State.LastSeq; seq++ {
		m, err := st.GetMsg(t.Context(), seq)
		must(t, err)
		rev, err := strconv.ParseUint(strings.Fields(m.Header.Get("Sayso-Origin"))[0], 10, 64)
		must(t, err)
		revisions, data = append(revisions, rev), append(data, string(m.Data))
	}
	return revisions, data
}

// By itself the store copies what is closed, and only that, and nothing twice.
func TestArchiver(t *testing.T) {
	t.Parallel()
	_, nc := serve(t)
	s := open(t, nc, nil)
	for i := range 5 {
		put(t, s, ticket(100+i, "ann", "open"), 0)
	}
	want := map[string]bool{}
	for round, n := range []int{3, 30} { // one by one, and as a batch
		for i := range n {
			want[string(settledTicket(t, s, 1000*round+i, "ann").Data)] = true
		}
		eventually(t, "all are copied", func() bool {
			_, data := copies(t, nc, "HIS2-00")
			have := map[string]bool{}
			for _, d := range data {
				if have[d] {
					t.Fatalf("%q is there twice", d)
				}
				if strings.HasPrefix(d, "open") {
					t.Fatalf("%q was copied", d)
				}
				have[d] = true
			}
			for d := range want {
				if !have[d] {
					return false
				}
			}
			return true
		})
	}
}

// What is settled and copied leaves the stream of tickets, and everything else stays.
func TestClear(t *testing.T) {
	t.Parallel()
	_, nc := serve(t)
	s := open(t, nc, &natsstore.Options{Settled: 1})
	put(t, s, ticket(100, "ann", "open"), 0)
	closed := ticket(101, "ann", "closed")
	closed.Closed, closed.TTL = true, time.Hour
	put(t, s, closed, put(t, s, closed, 0))
	long := ticket(102, "ann", "kept for longer than the archive keeps it")
	long.Closed, long.Settled, long.TTL = true, true, 31*24*time.Hour
	put(t, s, long, 0)
	var all []hub.Record
	for i := range 20 {
		all = append(all, settledTicket(t, s, i, "ann"))
	}
	must(t, s.Clear(t.Context()))
	if n := messages(t, nc, "ASK2-00"); n != 23 {
		t.Fatalf("%d tickets before they were copied, want 23", n)
	}
	must(t, s.Copy(t.Context()))
	must(t, s.Clear(t.Context()))
	if n := messages(t, nc, "ASK2-00"); n != 3 {
		t.Fatalf("%d tickets, want the 3 that stay", n)
	}
	for _, r := range all {
		got, err := s.Get(t.Context(), r.Kind, r.Address)
		must(t, err)
		if string(got.Data) != string(r.Data) || got.Revision != r.Revision || !got.Settled || got.TTL != r.TTL {
			t.Errorf("got %+v, want %+v", got, r)
		}
	}
	if seen, _ := once(t, s, hub.Query{Tenant: "acme", Limit: 4}); len(seen) != 23 {
		t.Errorf("%d tickets are listed, want 23", len(seen))
	}

	// A new ask whose id was just drawn costs no look at the archive.
	var looks int
	s.Meddle(func(ask natsstore.Ask) natsstore.Ask {
		return func(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
			if strings.Contains(m.Subject, "HIS2-00") {
				looks++
			}
			return ask(ctx, m)
		}
	})
	fresh := ticket(200, "ann", "open")
	fresh.Fresh = true
	put(t, s, fresh, 0)
	if looks != 0 {
		t.Errorf("a fresh ask looked %d times", looks)
	}
	put(t, s, ticket(201, "ann", "open"), 0)
	if looks != 1 {
		t.Errorf("an ask with an id of its own looked %d times, want once", looks)
	}
}

// once lists to the end and fails if a ticket comes twice.
func once(t testing.TB, s *natsstore.Store, q hub.Query) (map[hub.Address]hub.Record, int) {
	t.Helper()
	got, pages := map[hub.Address]hub.Record{}, 0
	for {
		p, err := s.List(t.Context(), q)
		must(t, err)
		pages++
		for _, r := range p.Records {
			if _, twice := got[r.Address]; twice {
				t.Errorf("%v comes twice", r.Address)
			}
			got[r.Address] = r
		}
		if p.Next == "" {
			return got, pages
		}
		q.Cursor = p.Next
	}
}

// A list that is under way while tickets are copied and removed has each of them once.
func TestListWhileCleared(t *testing.T) {
	t.Parallel()
	for after := range 12 { // pages
		s := alone(t, &natsstore.Options{Settled: 1})
		for i := range 20 {
			settledTicket(t, s, i, "ann")
		}
		must(t, s.Copy(t.Context()))
		if after%2 == 0 {
			must(t, s.Clear(t.Context()))
		}
		for i := 20; i < 30; i++ {
			settledTicket(t, s, i, "ann")
		}
		got, pages := map[hub.Address]int{}, 0
		q := hub.Query{Tenant: "acme", Limit: 5}
		for {
			if pages == after {
				// What lists have from the archive is removed, and what they have from the tickets is copied.
				must(t, s.Clear(t.Context()))
				must(t, s.Copy(t.Context()))
			}
			p, err := s.List(t.Context(), q)
			must(t, err)
			pages++
			for _, r := range p.Records {
				got[r.Address]++
			}
			if q.Cursor = p.Next; q.Cursor == "" {
				break
			}
		}
		for i := range 30 {
			if n := got[ticket(i, "ann", "").Address]; n != 1 {
				t.Errorf("cleared after %d pages: ask %d comes %d times", after, i, n)
			}
		}
	}
}

// A person with more closed tickets than the server gives at once.
func TestListLongArchive(t *testing.T) {
	t.Parallel()
	s := alone(t, &natsstore.Options{Settled: 1})
	const n = 1100
	for i := range n {
		r := ticket(i, "ann", "settled")
		r.Closed, r.Settled, r.TTL = true, true, time.Hour
		rev := put(t, s, r, 0)
		if i%100 == 0 { // several copies of some
			must(t, s.Copy(t.Context()))
			put(t, s, r, rev)
		}
	}
	must(t, s.Copy(t.Context()))
	must(t, s.Clear(t.Context()))
	ann := "ann"
	if got, _ := once(t, s, hub.Query{Tenant: "acme", Person: &ann}); len(got) != n {
		t.Errorf("%d tickets are listed, want %d", len(got), n)
	}
	if got, pages := once(t, s, hub.Query{Tenant: "acme", Person: &ann, Conversation: "conv/7", Limit: 5}); len(got) != 5 || pages > 2 {
		t.Errorf("a conversation has %d tickets on %d pages, want 5 on 2 at most", len(got), pages)
	}
	q, newest := hub.Query{Tenant: "acme", Limit: 300, Loose: true}, map[hub.Address]uint64{}
	for {
		p, err := s.List(t.Context(), q)
		must(t, err)
		for _, r := range p.Records {
			newest[r.Address] = max(newest[r.Address], r.Revision)
		}
		if q.Cursor = p.Next; q.Cursor == "" {
			break
		}
	}
	for i := range n {
		r, err := s.Get(t.Context(), hub.KindTicket, ticket(i, "ann", "").Address)
		must(t, err)
		if got := newest[r.Address]; got != r.Revision {
			t.Errorf("a loose list has revision %d of ask %d, want %d", got, i, r.Revision)
		}
	}
}

// Several stores copy at once while the answers of the server get lost, and stop at any step. Every ticket is copied, none
// twice, in order.
func TestArchiverCrash(t *testing.T) {
	t.Parallel()
	_, nc := serve(t)
	crash := errors.New("crash")
	for step, sent := 0, false; step < 24; sent = !sent {
		prefix := fmt.Sprintf("s%d%v", step, sent)
		o := natsstore.Options{Prefix: prefix, Settled: 1}
		s := open(t, nc, &o)
		var all []hub.Record
		for i := range 5 {
			all = append(all, settledTicket(t, s, i, "ann"))
		}
		must(t, s.Copy(t.Context()))
		for i := 5; i < 30; i++ {
			all = append(all, settledTicket(t, s, i, "ann"))
		}
		dying, life := open(t, nc, &o), 0
		var mu sync.Mutex
		dying.Meddle(func(ask natsstore.Ask) natsstore.Ask {
			return func(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
				mu.Lock()
				life++
				now := life - 1
				mu.Unlock()
				if now < step {
					return ask(ctx, m)
				}
				if now == step && sent {
					_, _ = ask(ctx, m)
				}
				return nil, crash
			}
		})
		if err := dying.Copy(t.Context()); err == nil {
			_ = dying.Clear(t.Context())
		}
		for i := 30; i < 33; i++ {
			all = append(all, settledTicket(t, s, i, "ann"))
		}
		must(t, s.Copy(t.Context()))
		revisions, data := copies(t, nc, prefix+"-HIS2-00")
		seen := map[string]int{}
		for i, d := range data {
			if seen[d]++; i > 0 && revisions[i] <= revisions[i-1] {
				t.Fatalf("step %d: revision %d after %d", step, revisions[i], revisions[i-1])
			}
		}
		for _, r := range all {
			if seen[string(r.Data)] != 1 {
				t.Fatalf("step %d, sent %v: %q was copied %d times", step, sent, r.Data, seen[string(r.Data)])
			}
		}
		must(t, s.Clear(t.Context()))
		if n := messages(t, nc, prefix+"-ASK2-00"); n != 0 {
			t.Fatalf("step %d: %d tickets stay", step, n)
		}
		if got, _ := once(t, s, hub.Query{Tenant: "acme"}); len(got) != len(all) {
			t.Fatalf("step %d: %d tickets are listed, want %d", step, len(got), len(all))
		}
		if sent {
			step++
		}
	}
}

// Three stores over the same streams copy at the same time.
func TestArchiverRivals(t *testing.T) {
	t.Parallel()
	_, nc := serve(t)
	var stores []*natsstore.Store
	for range 3 {
		stores = append(stores, open(t, nc, nil))
	}
	var wg sync.WaitGroup
	for k, s := range stores {
		wg.Go(func() {
			for i := range 60 {
				r := ticket(1000*k+i, "ann", fmt.Sprint("settled ", k, i))
				r.Closed, r.Settled, r.TTL = true, true, time.Hour
				if _, err := s.Put(t.Context(), r, 0); err != nil {
					t.Error(err)
				}
				if i%7 == 0 {
					_ = s.Copy(t.Context()) // may be outrun
				}
			}
		})
	}
	wg.Wait()
	must(t, stores[0].Copy(t.Context()))
	revisions, data := copies(t, nc, "HIS2-00")
	seen := map[string]bool{}
	for i, d := range data {
		if seen[d] || i > 0 && revisions[i] <= revisions[i-1] {
			t.Errorf("copy %d, %q: revision %d after %d", i, d, revisions[i], revisions[max(i, 1)-1])
		}
		seen[d] = true
	}
	if len(seen) != 180 {
		t.Errorf("%d tickets were copied, want 180", len(seen))
	}
}
