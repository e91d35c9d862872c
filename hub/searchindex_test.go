package hub

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/saysohq/sayso"
)

func searched(id, text string, revision uint64, closed time.Time) *Ticket {
	a := &sayso.Ask{ID: id, Questions: []sayso.Question{{Text: text}}, AskedAt: time.Unix(1000, 0)}
	a.Normalize()
	t := &Ticket{Address: AddressOf("acme", a), Ask: a, Digest: a.Digest(), Revision: revision}
	if !closed.IsZero() {
		t.Outcome = &sayso.Outcome{Status: sayso.StatusAnswered, At: closed, By: sayso.Responder{Kind: sayso.ByPerson}}
	}
	return t
}

func foundIn(x *searchIndex, s Search) (ids []string, total int) {
	q := &searchQuery{Search: &s, view: ViewAll, order: OrderOldest, now: time.Unix(5000, 0).UnixNano()}
	p := x.page(q, 100_000)
	for _, h := range p.hits {
		ids = append(ids, h.id)
	}
	return ids, p.total
}

// TestSearchIndexOldNews keeps what it knows if an older state of an ask comes late.
func TestSearchIndexOldNews(t *testing.T) {
	x := newSearchIndex("acme", keeping{time.Hour, time.Hour})
	x.put(searched("one", "new words", 7, time.Time{}))
	x.put(searched("one", "old words", 3, time.Unix(2000, 0)))
	if ids, _ := foundIn(x, Search{Text: "old"}); len(ids) != 0 {
		t.Error("an older state took the place of a newer one")
	}
	if ids, _ := foundIn(x, Search{Text: "new", Status: sayso.StatusPending}); len(ids) != 1 {
		t.Error("the newer state is gone")
	}
}

// TestSearchIndexChanges changes every ask many times, so that what was removed is
// forgotten now and then.
func TestSearchIndexChanges(t *testing.T) {
	x := newSearchIndex("acme", keeping{time.Hour, time.Hour})
	const n = 300
	for revision := range uint64(12) {
		for i := range n {
			x.put(searched(fmt.Sprintf("ask%03d", i), fmt.Sprintf("word%d in round%d", i%10, revision), revision+1, time.Time{}))
		}
		if ids, total := foundIn(x, Search{Text: fmt.Sprint("word3 round", revision)}); len(ids) != n/10 || total != n/10 || !slices.IsSorted(ids) {
			t.Fatalf("revision %d: found %d of %d: %q", revision, len(ids), total, ids)
		}
		if ids, _ := foundIn(x, Search{Text: "round999"}); len(ids) != 0 {
			t.Fatalf("found %q", ids)
		}
	}
	if len(x.docs) > 2*n+1000 {
		t.Errorf("%d places are kept for %d asks", len(x.docs), n)
	}
}

// TestSearchIndexBound leaves out the asks that were closed first.
func TestSearchIndexBound(t *testing.T) {
	x := newSearchIndex("acme", keeping{time.Hour, time.Hour})
	x.most = 100
	for i := range 50 {
		x.put(searched(fmt.Sprintf("open%03d", i), "open", 1, time.Time{}))
	}
	for i := range 500 {
		x.put(searched(fmt.Sprintf("closed%03d", i), "closed", 1, time.Unix(int64(2000+i), 0)))
	}
	if ids, _ := foundIn(x, Search{Text: "open"}); len(ids) != 50 {
		t.Errorf("only %d of 50 open asks are found", len(ids))
	}
	ids, total := foundIn(x, Search{Text: "closed"})
	if total > 50 || total < 40 || ids[len(ids)-1] != "closed499" || slices.Contains(ids, "closed100") {
		t.Errorf("%d closed asks are found: %q", total, ids)
	}
}

// TestSearchIndexRelists takes out what a later listing does not have.
func TestSearchIndexRelists(t *testing.T) {
	h, err := Open(t.Context(), NewMemory(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	a := &sayso.Ask{ID: "stays", Questions: []sayso.Question{{Text: "pear"}}}
	a.Normalize()
	if _, err := h.Submit(t.Context(), "acme", a); err != nil {
		t.Fatal(err)
	}
	x, err := h.index(t.Context(), "acme", true)
	if err != nil {
		t.Fatal(err)
	}
	x.put(searched("ghost", "pear", 1, time.Now()))
	if ids, _ := foundIn(x, Search{Text: "pear"}); len(ids) != 2 {
		t.Fatalf("found %q", ids)
	}
	x.feed.turn <- struct{}{}
	x.feed.follow.Close()
	x.feed.follow = nil // it begins anew, with a Reset
	if err := h.feed(t.Context(), x); err != nil {
		t.Fatal(err)
	}
	for ctx, cancel := context.WithTimeout(t.Context(), time.Minute); ; {
		if ids, _ := foundIn(x, Search{Text: "pear"}); slices.Equal(ids, []string{"stays"}) {
			cancel()
			break
		}
		if err := sleep(ctx, 5*time.Millisecond); err != nil {
			t.Fatal("what is not stored is still found")
		}
	}
}

// TestSearchIndexUnknownNames: an ask of a person, or in a conversation, that the index
// has never seen is not taken for one that has none.
func TestSearchIndexUnknownNames(t *testing.T) {
	x := newSearchIndex("acme", keeping{time.Hour, time.Hour})
	one := searched("one", "words", 1, time.Time{})
	x.put(one)
	if _, ok := x.find(&one.Address); !ok {
		t.Fatal("the ask is not found")
	}
	for name, change := range map[string]func(*Address){
		"person":       func(a *Address) { a.Person = "bob" },
		"asker":        func(a *Address) { a.Asker = "other" },
		"conversation": func(a *Address) { a.Conversation = "talk" },
	} {
		other := one.Address
		change(&other)
		if _, ok := x.find(&other); ok {
			t.Errorf("an ask with another %s is taken for it", name)
		}
		q := &searchQuery{Search: &Search{}, view: ViewOpen, order: OrderOldest, now: time.Unix(5000, 0).UnixNano(), snoozed: map[Address]Snooze{other: {}}}
		if p := x.page(q, 10); len(p.hits) != 1 {
			t.Errorf("a snooze of an ask with another %s hides it", name)
		}
	}
}
