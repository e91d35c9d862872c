package natsstore_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

// TestErase: a conversation is gone from every stream, others are not, and the audit goes on
// as a chain.
func TestErase(t *testing.T) {
	t.Parallel()
	s := alone(t, &natsstore.Options{Shards: 2})
	h := room(t, s)
	audit := t.TempDir()
	answered(t, h, 0, 6) // of conversation "conv"
	heads := exported(t, s, audit, 6)
	var kept []hub.Record
	for i, conversation := range []string{"private", "other", "private"} {
		r := ticket(100+i, "ann", "the words of "+conversation)
		r.Address.Conversation = conversation
		r.Closed = i == 0
		r.Revision = put(t, s, r, 0)
		d := r
		d.Kind, d.Closed = hub.KindDraft, false
		d.Revision = put(t, s, d, 0)
		c := r
		c.Kind, c.Closed = hub.KindContent, false
		c.Revision = put(t, s, c, 0)
		k := c
		k.Kind = hub.KindWake
		k.Revision = put(t, s, k, 0)
		p := c
		p.Kind = hub.KindPerson
		p.Revision = put(t, s, p, 0)
		if conversation == "other" {
			kept = append(kept, r, d, c, k, p)
		}
	}
	if err := s.Erase(t.Context(), "acme", ""); err == nil {
		t.Error("a tenant can be erased by mistake")
	}
	must(t, s.Erase(t.Context(), "acme", "private"))
	for _, r := range kept {
		if got, err := s.Get(t.Context(), r.Kind, r.Address); err != nil || got.Revision != r.Revision {
			t.Errorf("%v is %+v, %v", r.Address, got, err)
		}
	}
	for key := range everything(t, s) {
		if strings.Contains(key, "private") {
			t.Errorf("%s is still there", key)
		}
	}
	must(t, s.Erase(t.Context(), "acme", "conv"))
	if got := everything(t, s); len(got) != len(kept) {
		t.Errorf("%d records are left, want %d", len(got), len(kept))
	}
	answered(t, h, 10, 12)
	exported(t, s, audit, 8) // those that were erased before they were exported have no line
	_, err := natsstore.VerifyAudit(audit, heads...)
	must(t, err)
}

// TestEraseWhileItIsTaken: what is written while a conversation is erased, as by an asker that takes its answer at that
// moment, does not come back from the memory of the archiver.
func TestEraseWhileItIsTaken(t *testing.T) {
	t.Parallel()
	s := alone(t, &natsstore.Options{Shards: 1})
	var late atomic.Pointer[func()]
	s.Meddle(func(ask natsstore.Ask) natsstore.Ask {
		return func(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
			if strings.HasPrefix(m.Subject, "$JS.API.STREAM.PURGE.") {
				if write := late.Swap(nil); write != nil {
					(*write)()
				}
			}
			return ask(ctx, m)
		}
	})
	r := ticket(1, "ann", "private words")
	r.Closed = true
	rev := put(t, s, r, 0)
	take := func() { put(t, s, r, rev) }
	late.Store(&take)
	must(t, s.Erase(t.Context(), "acme", r.Address.Conversation))
	if late.Load() != nil {
		t.Fatal("nothing was written meanwhile")
	}
	other := ticket(100, "ann", "other words")
	other.Closed = true
	put(t, s, other, 0)
	exported(t, s, t.TempDir(), 1) // it is copied, and the other one is not
	if got := everything(t, s); len(got) != 1 {
		t.Errorf("%d records are left, want 1", len(got))
	}
}
