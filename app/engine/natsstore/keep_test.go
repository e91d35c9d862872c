package natsstore_test

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

// A full store takes no new ask, and every answer, even one that is larger than the ask.
func TestQuota(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		o    natsstore.Options
		n    int
	}{
		{"asks", natsstore.Options{MaxAsks: 10}, 10},
		{"bytes", natsstore.Options{MaxBytes: 100_000}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := alone(t, &c.o)
			question := string(make([]byte, 9000))
			var revs []uint64
			for {
				rev, err := s.Put(t.Context(), ticket(len(revs), "ann", question), 0)
				if errors.Is(err, hub.ErrFull) {
					break
				}
				must(t, err)
				if revs = append(revs, rev); len(revs) > 20 {
					t.Fatal("the store is never full")
				}
			}
			if c.n > 0 && len(revs) != c.n {
				t.Errorf("full after %d asks, want %d", len(revs), c.n)
			}
			draft := ticket(0, "ann", question)
			draft.Kind = hub.KindDraft
			put(t, s, draft, 0)
			for i, rev := range revs {
				r := ticket(i, "ann", question+question)
				r.Closed, r.TTL = true, time.Hour
				put(t, s, r, rev)
			}
			_, err := s.Put(t.Context(), ticket(99, "ann", question), 0)
			wantError(t, err, hub.ErrFull)
		})
	}
}

// A closed ticket is forgotten after its time, and the question does not come back.
func TestForget(t *testing.T) {
	t.Parallel()
	s := alone(t, nil)
	r := ticket(1, "ann", "open")
	rev := put(t, s, r, 0)
	kept := ticket(2, "ann", "open")
	put(t, s, kept, 0)
	r.Closed, r.TTL = true, time.Second
	rev = put(t, s, r, rev)
	eventually(t, "the closed ticket is forgotten", func() bool {
		got, err := s.Get(t.Context(), r.Kind, r.Address)
		if err == nil && !got.Closed {
			t.Fatalf("the question is back: %+v", got)
		}
		return errors.Is(err, hub.ErrNotFound)
	})
	ann := "ann"
	if seen, _ := all(t, s, hub.Query{Tenant: "acme", Person: &ann}); len(seen) != 1 || seen[kept.Address] != 1 {
		t.Errorf("the list has %v", seen)
	}
	_, err := s.Put(t.Context(), r, rev)
	wantError(t, err, hub.ErrConflict)
	if again := put(t, s, r, 0); again <= rev {
		t.Errorf("revision %d after %d", again, rev)
	}
}

// The mutation of TestForget: with two messages a subject, the question does come back. If the server ever mends this, the
// layout may be thought over.
func TestForgetMutation(t *testing.T) {
	t.Parallel()
	_, nc := serve(t)
	s := open(t, nc, nil)
	js, err := jetstream.New(nc)
	must(t, err)
	info, err := js.Stream(t.Context(), "ASK2-00")
	must(t, err)
	cfg := info.CachedInfo().Config
	cfg.MaxMsgsPerSubject = 2
	cfg.SubjectDeleteMarkerTTL = 0
	_, err = js.UpdateStream(t.Context(), cfg)
	must(t, err)
	r := ticket(1, "ann", "open")
	rev := put(t, s, r, 0)
	r.Closed, r.TTL = true, time.Second
	put(t, s, r, rev)
	eventually(t, "the question comes back", func() bool {
		got, err := s.Get(t.Context(), r.Kind, r.Address)
		return err == nil && !got.Closed
	})
}

func TestDraftsApart(t *testing.T) {
	t.Parallel()
	s := alone(t, nil)
	r := ticket(1, "ann", "ticket")
	d := ticket(1, "ann", "draft")
	d.Kind = hub.KindDraft
	put(t, s, r, 0)
	rev := put(t, s, d, 0)
	put(t, s, d, rev)
	got, err := s.Get(t.Context(), hub.KindTicket, r.Address)
	must(t, err)
	if string(got.Data) != "ticket" {
		t.Errorf("the ticket is %q", got.Data)
	}
	ann := "ann"
	p, err := s.List(t.Context(), hub.Query{Kind: hub.KindDraft, Tenant: "acme", Person: &ann})
	must(t, err)
	if len(p.Records) != 1 || p.Records[0].Kind != hub.KindDraft || string(p.Records[0].Data) != "draft" {
		t.Errorf("drafts %+v", p.Records)
	}
}

// Sessions are watched and kept in a stream of their own, and are in no backup.
func TestSessionsApart(t *testing.T) {
	t.Parallel()
	_, nc := serve(t)
	s := open(t, nc, &natsstore.Options{Prefix: "test", Shards: 2})
	told := watching(t, s, hub.Query{Kind: hub.KindSession})
	r := ticket(1, "ann", "session")
	r.Kind, r.TTL = hub.KindSession, time.Hour
	rev := put(t, s, r, 0)
	if got := <-told; got.Kind != hub.KindSession || got.Revision != rev || got.Address != r.Address || string(got.Data) != "session" {
		t.Errorf("told of %+v", got)
	}
	dir := t.TempDir()
	backUp(t, s, dir)
	_, other := serve(t)
	restore(t, other, dir)
	back := open(t, other, &natsstore.Options{Prefix: "test"})
	_, err := back.Get(t.Context(), r.Kind, r.Address)
	wantError(t, err, hub.ErrNotFound)
	put(t, back, r, 0)
}
