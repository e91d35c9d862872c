package hub_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// TestSearchPages reads every order page by page, while other asks come and go, and
// compares with one page that has all.
func TestSearchPages(t *testing.T) {
	clock := newClock()
	h := searchHub(t, hub.NewMemory(nil), &hub.Options{Now: clock.now})
	r := rand.New(rand.NewPCG(7, 7))
	for i := range 90 {
		if r.IntN(3) > 0 { // some at the same time
			clock.add(time.Duration(r.IntN(5000)) * time.Millisecond)
		}
		ticket := submitText(t, h, fmt.Sprintf("stays %d", i), func(a *sayso.Ask) {
			var tools []any
			for range r.IntN(3) {
				tools = append(tools, "x")
			}
			a.Metadata = map[string]any{sayso.MetadataBlocked: map[string]any{"tools": tools}}
		})
		if i%2 == 0 {
			answer(t, h, ticket, "ada", "")
		}
	}
	for _, view := range []hub.View{hub.ViewOpen, hub.ViewClosed, hub.ViewAll} {
		for _, order := range []hub.Order{"", hub.OrderOldest, hub.OrderNewest, hub.OrderBlocking} {
			whole := search(t, h, "", hub.Search{View: view, Order: order, Text: "stays", Limit: 1000})
			want := texts(whole)
			if len(want) < 45 {
				t.Fatalf("%s: only %d are found", view, len(want))
			}
			var got []string
			s := hub.Search{View: view, Order: order, Limit: 7}
			for {
				page := search(t, h, "", s)
				for _, text := range texts(page) {
					if strings.HasPrefix(text, "stays") {
						got = append(got, text)
					}
				}
				clock.add(time.Second)
				gone := submitText(t, h, fmt.Sprintf("comes at %s", clock.now()), nil)
				if r.IntN(2) == 0 {
					answer(t, h, gone, "ada", "")
				}
				if s.Cursor = page.Next; s.Cursor == "" {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %q: got %q\nwant %q", view, order, got, want)
			}
		}
	}
	if page := search(t, h, "", hub.Search{Limit: 1}); page.Next == "" {
		t.Error("a page of many has no next one")
	} else if _, err := h.Search(t.Context(), "acme", "", &hub.Search{Limit: 1, Order: hub.OrderNewest, Cursor: page.Next}); err == nil {
		t.Error("the cursor of another order is taken")
	}
}

// TestSearchAgainstNaive changes asks at random, through two hubs over one store, and
// compares every search with a walk through the store.
func TestSearchAgainstNaive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := hub.NewMemory(nil)
		hubs := []*hub.Hub{searchHub(t, store, nil), searchHub(t, store, nil)}
		r := rand.New(rand.NewPCG(3, 3))
		pick := func(of ...string) string { return of[r.IntN(len(of))] }
		var tickets []*hub.Ticket
		for i := range 300 {
			h := hubs[r.IntN(2)]
			switch n := r.IntN(10); {
			case n < 5 || len(tickets) == 0:
				tickets = append(tickets, submitText(t, h, pick("red", "green", "blue")+" "+pick("apple", "pear")+fmt.Sprint(" ", i), func(a *sayso.Ask) {
					a.Origin = sayso.Origin{Workspace: pick("", "shop", "billing"), Agents: []string{pick("a", "b")}}
					if r.IntN(3) == 0 {
						a.To = []string{pick("ada", "bob")}
					}
				}))
			case n < 7:
				i := r.IntN(len(tickets))
				by := "ada"
				if to := tickets[i].Ask.To; len(to) > 0 {
					by = to[0]
				}
				if tickets[i].Open() {
					tickets[i] = answer(t, h, tickets[i], by, pick("fine", "never"))
				} else if back, err := h.Undo(t.Context(), tickets[i], tickets[i].Outcome.By); err == nil {
					tickets[i] = back
				}
			default:
				synctest.Wait()
				s := hub.Search{View: hub.View(pick("open", "closed", "all")), Text: pick("", "", "red", "gr app", "fine", "zebra"), Workspace: pick("", "", "shop"), Agent: pick("", "a"), Limit: 1000}
				person := pick("", "ada", "bob")
				var want []string
				for _, one := range tickets {
					words := one.Ask.Questions[0].Text
					if !one.Open() {
						words += " " + one.Outcome.Answers[0].Note
					}
					has := func(prefix string) bool {
						return slices.ContainsFunc(strings.Fields(words), func(w string) bool { return strings.HasPrefix(w, prefix) })
					}
					if (s.View == hub.ViewAll || (s.View == hub.ViewOpen) == one.Open()) &&
						(person == "" || len(one.Ask.To) == 0 || slices.Contains(one.Ask.To, person)) &&
						(s.Workspace == "" || s.Workspace == one.Ask.Origin.Workspace) &&
						(s.Agent == "" || s.Agent == one.Ask.Origin.Agents[0]) &&
						!slices.ContainsFunc(strings.Fields(s.Text), func(w string) bool { return !has(w) }) {
						want = append(want, one.Ask.Questions[0].Text)
					}
				}
				found := search(t, h, person, s)
				got := texts(found)
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) || found.Total != len(want) {
					t.Fatalf("step %d, %q, %+v: got %d %q\nwant %q", i, person, s, found.Total, got, want)
				}
			}
			time.Sleep(time.Millisecond) // of the bubble: asks have different times
		}
	})
}

// TestSearchForgets waits until closed asks are forgotten, and until nobody searches.
func TestSearchForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := hub.NewMemory(nil)
		h := searchHub(t, store, &hub.Options{Keep: 2 * time.Hour, KeepUnconsumed: 2 * time.Hour})
		closed := answer(t, h, submitText(t, h, "old pear", nil), "ada", "")
		if got := search(t, h, "", hub.Search{View: hub.ViewAll, Text: "pear"}); len(got.Items) != 1 {
			t.Fatalf("found %q", texts(got))
		}
		submitText(t, h, "new pear", nil)
		for range 130 { // somebody searches all the time
			time.Sleep(time.Minute)
			search(t, h, "", hub.Search{})
		}
		if got := search(t, h, "", hub.Search{View: hub.ViewAll, Text: "pear"}); len(got.Items) != 1 || got.Total != 1 || got.Items[0].Address == closed.Address {
			t.Errorf("what is forgotten is found: %q of %d", texts(got), got.Total)
		}
		if n := h.SearchIndexes(); n != 1 {
			t.Fatalf("there are %d indexes, want 1", n)
		}
		time.Sleep(31 * time.Minute)
		if n := h.SearchIndexes(); n != 0 {
			t.Errorf("%d indexes are kept for nobody", n)
		}
		if got := search(t, h, "", hub.Search{Text: "pear"}); len(got.Items) != 1 {
			t.Errorf("found %q", texts(got))
		}
	})
}

// TestSearchDeadline shows what has expired as expired, and not among what is open.
func TestSearchDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := searchHub(t, hub.NewMemory(nil), &hub.Options{Tick: time.Hour, Sweep: 100 * time.Hour})
		submitText(t, h, "soon", func(a *sayso.Ask) { a.Deadline = time.Now().Add(time.Minute) })
		if got := search(t, h, "", hub.Search{}); got.Total != 1 {
			t.Fatalf("found %q", texts(got))
		}
		time.Sleep(2 * time.Minute)
		if got := search(t, h, "", hub.Search{}); len(got.Items) != 0 || got.Total != 0 {
			t.Errorf("an ask whose deadline has passed is among the open ones: %q, %d", texts(got), got.Total)
		}
		if got := search(t, h, "", hub.Search{View: hub.ViewClosed}); len(got.Items) != 1 || got.Items[0].Status() != sayso.StatusExpired {
			t.Errorf("it is not among the closed ones")
		}
	})
}
