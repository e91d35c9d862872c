package hubtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

func found(f *hub.Found) (all []string) {
	for _, it := range f.Items {
		all = append(all, it.Ask.ID)
	}
	return all
}

// testSearch finds what two hubs over one store keep: what a hub has stored itself at
// once, what the other has stored soon, and what is put away.
func (s *suite) testSearch(t *testing.T) {
	store, ctx := s.new(t), within(t)
	h, other := s.open(t, store), s.open(t, s.peer(t, store))
	var tickets []*hub.Ticket
	for i := range 12 {
		a := newAsk(fmt.Sprintf("a%02d", i))
		a.Questions[0].Text = fmt.Sprintf("Shall I paint wall %d %s?", i, []string{"red", "green"}[i%2])
		a.Origin.Workspace = []string{"house", "shed", "barn"}[i%3]
		if i == 11 {
			a.To = []string{"ann"}
		}
		tickets = append(tickets, must[*hub.Ticket](t)(h.Submit(ctx, tenant, a)))
		if i%4 == 0 {
			tickets[i] = must[*hub.Ticket](t)(h.Close(ctx, tickets[i], says("ann", "o1"), nil))
			tickets[i] = must[*hub.Ticket](t)(h.Consume(ctx, tickets[i]))
		}
	}
	s.settle(t, store)
	search := func(h *hub.Hub, person string, q hub.Search) *hub.Found {
		t.Helper()
		return must[*hub.Found](t)(h.Search(ctx, tenant, person, &q))
	}
	for _, c := range []struct {
		search hub.Search
		want   []string
	}{
		{hub.Search{}, []string{"a01", "a02", "a03", "a05", "a06", "a07", "a09", "a10", "a11"}},
		{hub.Search{View: hub.ViewClosed}, []string{"a08", "a04", "a00"}},
		{hub.Search{Text: "gre pai"}, []string{"a01", "a03", "a05", "a07", "a09", "a11"}},
		{hub.Search{Workspace: "barn", View: hub.ViewAll, Order: hub.OrderOldest}, []string{"a02", "a05", "a08", "a11"}},
		{hub.Search{Person: "ann", View: hub.ViewClosed, Text: "red"}, []string{"a08", "a04", "a00"}},
	} {
		for i, one := range []*hub.Hub{h, other} {
			eventually(t, fmt.Sprintf("hub %d finds %q", i, c.want), func() bool {
				got := found(search(one, "ann", c.search))
				slices.Sort(got)
				return slices.Equal(got, slices.Sorted(slices.Values(c.want)))
			})
		}
	}
	if got := search(h, "bob", hub.Search{Text: "wall 11"}); got.Total != 0 || len(got.Items) != 0 {
		t.Errorf("somebody else finds %q", found(got))
	}

	// From here on both have an index. What a hub does itself it finds at once.
	a := newAsk("new")
	a.Questions[0].Text = "Shall I paint the violet door?"
	fresh := must[*hub.Ticket](t)(h.Submit(ctx, tenant, a))
	if got := search(h, "", hub.Search{Text: "violet"}); len(got.Items) != 1 {
		t.Errorf("what was just asked is not found")
	}
	eventually(t, "the other hub finds it", func() bool { return len(search(other, "", hub.Search{Text: "violet"}).Items) == 1 })
	must[*hub.Ticket](t)(other.Close(ctx, fresh, says("ann", "o1"), nil))
	if got := search(other, "", hub.Search{Text: "violet"}); len(got.Items) != 0 || got.Total != 0 {
		t.Errorf("what was just answered is still open to who answered it")
	}
	if got := search(h, "", hub.Search{Text: "violet"}); len(got.Items) != 0 {
		t.Errorf("an ask is shown as open that is stored as closed")
	}
	var all []string
	q := hub.Search{View: hub.ViewAll, Limit: 4, Order: hub.OrderOldest}
	for {
		page := search(h, "", q)
		all = append(all, found(page)...)
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	slices.Sort(all)
	if want := 13; len(slices.Compact(all)) != want {
		t.Errorf("pages have %q", all)
	}
}

// partySearches holds the Search of a desk to its contract.
func partySearches(t *testing.T, p Party) {
	ctx := within(t)
	desk, ok := p.Person.(hub.Desk)
	if !ok {
		t.Fatal("the inbox is no desk")
	}
	search := func(s *hub.Search) *hub.Found {
		t.Helper()
		return must[*hub.Found](t)(desk.Search(ctx, s))
	}
	a := newAsk("one")
	a.Questions[0].Text, a.Questions[0].Body = "Which database?", "It has to hold invoices."
	a.Origin.Agents, a.Origin.Host, a.Origin.Workspace, a.Origin.Branch = []string{"planner"}, "ci", "shop", "main"
	a.Metadata = map[string]any{sayso.MetadataBlocked: map[string]any{"tools": []any{"deploy"}}}
	one := must[*hub.Ticket](t)(p.Asker.Submit(ctx, a))
	two := must[*hub.Ticket](t)(p.Asker.Submit(ctx, newAsk("two")))
	must[*hub.Ticket](t)(p.Asker.Submit(ctx, newAsk("three")))
	if got := search(nil); !slices.Equal(slices.Sorted(slices.Values(found(got))), []string{"one", "three", "two"}) || got.Total != 3 || got.Waiting != 3 || got.Next != "" {
		t.Errorf("got %q, %+v", found(got), got)
	}
	var seen *hub.Ticket
	for _, it := range search(&hub.Search{Text: "production"}).Items {
		if it.Same != 1 {
			t.Errorf("%s: %d others are the same", it.Ask.ID, it.Same)
		}
		if it.Ask.ID == "two" {
			seen = it.Ticket
		}
	}
	if seen == nil || seen.Digest != two.Digest {
		t.Fatalf("two is not found: %+v", seen)
	}
	// What it found can be answered.
	must[*hub.Ticket](t)(desk.Close(ctx, seen, says("ann", "o1")))
	for _, c := range []struct {
		name   string
		search hub.Search
		want   []string
	}{
		{"open", hub.Search{View: hub.ViewOpen, Order: hub.OrderBlocking}, []string{"one", "three"}},
		{"closed", hub.Search{View: hub.ViewClosed}, []string{"two"}},
		{"text", hub.Search{Text: "invoice DATA"}, []string{"one"}},
		{"agent", hub.Search{Agent: "planner"}, []string{"one"}},
		{"host", hub.Search{Agent: "ci"}, []string{"one"}},
		{"asker", hub.Search{Asker: "robot", Text: "database"}, []string{"one"}},
		{"another asker", hub.Search{Asker: "nobody"}, nil},
		{"workspace", hub.Search{Workspace: "shop"}, []string{"one"}},
		{"branch", hub.Search{Branch: "main"}, []string{"one"}},
		{"conversation", hub.Search{Conversation: "c1", Branch: "main"}, []string{"one"}},
		{"no conversation", hub.Search{Conversation: "c2"}, nil},
		{"person", hub.Search{Person: "ann", View: hub.ViewAll}, []string{"two"}},
		{"kind", hub.Search{Kind: sayso.AskApproval}, nil},
		{"approval", hub.Search{Approval: "shell"}, nil},
		{"status", hub.Search{View: hub.ViewAll, Status: sayso.StatusAnswered}, []string{"two"}},
		{"digest", hub.Search{Digest: one.Digest}, []string{"one"}},
		{"blocking", hub.Search{Blocking: true}, []string{"one"}},
		{"later", hub.Search{View: hub.ViewLater}, nil},
		{"before", hub.Search{Before: time.Now().Add(-time.Hour)}, nil},
		{"after", hub.Search{After: time.Now().Add(-time.Hour), Text: "invoices"}, []string{"one"}},
	} {
		if got := search(&c.search); !slices.Equal(found(got), c.want) || got.Total != len(c.want) {
			t.Errorf("%s: got %d %q, want %q", c.name, got.Total, found(got), c.want)
		}
	}
	got := search(&hub.Search{View: hub.ViewAll, Facets: true}).Facets
	if want := []hub.Facet{{Value: "ci", Count: 1}, {Value: "planner", Count: 1}}; !slices.Equal(got["agent"], want) || !slices.Equal(got["person"], []hub.Facet{{Value: "ann", Count: 1}}) {
		t.Errorf("facets: %v", got)
	}
	first := search(&hub.Search{View: hub.ViewAll, Limit: 2})
	rest := search(&hub.Search{View: hub.ViewAll, Limit: 2, Cursor: first.Next})
	if all := append(found(first), found(rest)...); len(first.Items) != 2 || len(slices.Compact(slices.Sorted(slices.Values(all)))) != 3 || rest.Next != "" || first.Total != 3 {
		t.Errorf("pages: %q, %q", found(first), found(rest))
	}
	for _, s := range []hub.Search{{View: "x"}, {Order: "x"}, {Cursor: "x"}, {Kind: "x"}, {Status: "x"}} {
		if _, err := desk.Search(ctx, &s); !errors.Is(err, hub.ErrSearch) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := desk.Search(ended, nil); err == nil {
		t.Error("a search after the end of its context succeeds")
	}
}
