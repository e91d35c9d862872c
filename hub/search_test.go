package hub_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

func searchHub(t *testing.T, store hub.Store, opts *hub.Options) *hub.Hub {
	t.Helper()
	h, err := hub.Open(t.Context(), store, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	return h
}

// clock is a wall clock that can be set.
type clock struct{ ahead atomic.Int64 }

func newClock() *clock { return &clock{} }

func (c *clock) now() time.Time {
	return time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC).Add(time.Duration(c.ahead.Load()))
}

func (c *clock) add(d time.Duration) { c.ahead.Add(int64(d)) }

func submitText(t *testing.T, h *hub.Hub, text string, edit func(*sayso.Ask)) *hub.Ticket {
	t.Helper()
	a := &sayso.Ask{Questions: []sayso.Question{{Text: text, Options: []sayso.Option{{Label: "Yes"}, {Label: "No"}}}}}
	if edit != nil {
		edit(a)
	}
	a.Normalize()
	ticket, err := h.Submit(t.Context(), "acme", a)
	if err != nil {
		t.Fatal(err)
	}
	return ticket
}

func answer(t *testing.T, h *hub.Hub, ticket *hub.Ticket, by, words string) *hub.Ticket {
	t.Helper()
	out, err := h.Close(t.Context(), ticket, &sayso.Outcome{
		Status: sayso.StatusAnswered, By: sayso.Responder{Kind: sayso.ByPerson, ID: by, Surface: "test"},
		Answers: []sayso.Answer{{QuestionID: ticket.Ask.Questions[0].ID, Selected: []string{"o1"}, Note: words}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func texts(f *hub.Found) (all []string) {
	for _, it := range f.Items {
		all = append(all, it.Ask.Questions[0].Text)
	}
	return all
}

func search(t *testing.T, h *hub.Hub, person string, s hub.Search) *hub.Found {
	t.Helper()
	f, err := h.Search(t.Context(), "acme", person, &s)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestSearch looks for asks by every field, and by words of every part.
func TestSearch(t *testing.T) {
	clock := newClock()
	h := searchHub(t, hub.NewMemory(nil), &hub.Options{Now: clock.now, Keep: 1000 * time.Hour})
	submitText := func(t *testing.T, h *hub.Hub, text string, edit func(*sayso.Ask)) *hub.Ticket {
		clock.add(time.Minute)
		return submitText(t, h, text, edit)
	}
	submitText(t, h, "Which database?", func(a *sayso.Ask) {
		a.Origin = sayso.Origin{Agents: []string{"planner", "builder"}, Host: "claude-code", Workspace: "shop", Branch: "main", Conversation: "talk one", Asker: "ci"}
		a.Metadata = map[string]any{sayso.MetadataBlocked: map[string]any{"tools": []any{"deploy"}}}
	})
	submitText(t, h, "Drop the table?", func(a *sayso.Ask) {
		a.Origin = sayso.Origin{Host: "codex", Workspace: "billing", Branch: "fix"}
		a.Questions[0].Body = "It has 40000 invoices."
		a.To = []string{"ada"}
	})
	first := submitText(t, h, "Rename the service?", func(a *sayso.Ask) { a.Origin.Workspace = "shop" })
	submitText(t, h, "Deploy tonight?", nil)
	submitText(t, h, "Deploy tonight?", nil)
	h.Search(t.Context(), "acme", "", nil) // from here on the index is kept up to date
	clock.add(time.Minute)
	answer(t, h, first, "bob", "call it gateway")

	middle := time.Date(2026, 11, 1, 8, 2, 0, 0, time.UTC)
	for _, c := range []struct {
		name   string
		search hub.Search
		want   []string
	}{
		{"open", hub.Search{}, []string{"Which database?", "Drop the table?", "Deploy tonight?", "Deploy tonight?"}},
		{"newest", hub.Search{Order: hub.OrderNewest, Limit: 3}, []string{"Deploy tonight?", "Deploy tonight?", "Drop the table?"}},
		{"closed", hub.Search{View: hub.ViewClosed}, []string{"Rename the service?"}},
		{"all", hub.Search{View: hub.ViewAll, Workspace: "shop"}, []string{"Rename the service?", "Which database?"}},
		{"text", hub.Search{Text: "DATA"}, []string{"Which database?"}},
		{"body", hub.Search{Text: "invoi 400"}, []string{"Drop the table?"}},
		{"no text", hub.Search{Text: "database table"}, nil},
		{"answer", hub.Search{Text: "gateway", View: hub.ViewAll}, []string{"Rename the service?"}},
		{"who answered", hub.Search{Text: "bob", View: hub.ViewAll}, []string{"Rename the service?"}},
		{"agent", hub.Search{Agent: "builder"}, []string{"Which database?"}},
		{"host", hub.Search{Agent: "codex"}, []string{"Drop the table?"}},
		{"no agent", hub.Search{Agent: "nobody"}, nil},
		{"asker", hub.Search{Asker: "ci"}, []string{"Which database?"}},
		{"workspace", hub.Search{Workspace: "billing"}, []string{"Drop the table?"}},
		{"branch", hub.Search{Branch: "fix"}, []string{"Drop the table?"}},
		{"conversation", hub.Search{Conversation: "talk one"}, []string{"Which database?"}},
		{"to", hub.Search{Person: "ada"}, []string{"Drop the table?"}},
		{"by", hub.Search{Person: "bob", View: hub.ViewAll}, []string{"Rename the service?"}},
		{"kind", hub.Search{Kind: sayso.AskApproval}, nil},
		{"status", hub.Search{View: hub.ViewAll, Status: sayso.StatusAnswered}, []string{"Rename the service?"}},
		{"not declined", hub.Search{View: hub.ViewAll, Status: sayso.StatusDeclined}, nil},
		{"digest", hub.Search{View: hub.ViewAll, Digest: first.Digest}, []string{"Rename the service?"}},
		{"blocking", hub.Search{Blocking: true}, []string{"Which database?"}},
		{"most blocking", hub.Search{Order: hub.OrderBlocking, Limit: 2}, []string{"Which database?", "Drop the table?"}},
		{"before", hub.Search{Before: middle}, []string{"Which database?"}},
		{"after", hub.Search{After: middle}, []string{"Drop the table?", "Deploy tonight?", "Deploy tonight?"}},
	} {
		got := search(t, h, "", c.search)
		if !slices.Equal(texts(got), c.want) {
			t.Errorf("%s: got %q, want %q", c.name, texts(got), c.want)
		}
		if c.search.Limit == 0 && got.Total != len(c.want) {
			t.Errorf("%s: the total is %d, want %d", c.name, got.Total, len(c.want))
		}
		if got.Waiting != 4 {
			t.Errorf("%s: %d wait, want 4", c.name, got.Waiting)
		}
	}
	if got := search(t, h, "", hub.Search{Text: "tonight"}); len(got.Items) != 2 || got.Items[0].Same != 1 || got.Items[1].Same != 1 {
		t.Errorf("identical asks do not know of each other: %+v", got.Items)
	}
	got := search(t, h, "", hub.Search{View: hub.ViewAll, Facets: true}).Facets
	want := map[string][]hub.Facet{
		"agent":        {{Value: "builder", Count: 1}, {Value: "claude-code", Count: 1}, {Value: "codex", Count: 1}, {Value: "planner", Count: 1}},
		"asker":        {{Value: "ci", Count: 1}},
		"workspace":    {{Value: "shop", Count: 2}, {Value: "billing", Count: 1}},
		"branch":       {{Value: "fix", Count: 1}, {Value: "main", Count: 1}},
		"conversation": {{Value: "talk one", Count: 1}},
		"person":       {{Value: "ada", Count: 1}, {Value: "bob", Count: 1}},
		"kind":         {{Value: "questions", Count: 5}},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("facets: got %v, want %v", got, want)
	}
	for _, s := range []hub.Search{{View: "x"}, {Order: "x"}, {Cursor: "x"}, {Kind: "x"}, {Status: "x"}, {Approval: "x"}} {
		if _, err := h.Search(t.Context(), "acme", "", &s); err == nil {
			t.Errorf("%+v is taken for a search", s)
		}
	}
}

// TestSearchNobodyElses asks by every means for what is to somebody else.
func TestSearchNobodyElses(t *testing.T) {
	h := searchHub(t, hub.NewMemory(nil), nil)
	secret := submitText(t, h, "Fire Carol in spring?", func(a *sayso.Ask) {
		a.To, a.Origin = []string{"ada"}, sayso.Origin{Workspace: "hr", Conversation: "hr talk", Agents: []string{"hr-bot"}}
	})
	closed := submitText(t, h, "Fire Dave in spring?", func(a *sayso.Ask) { a.To = []string{"ada", "eve"} })
	submitText(t, h, "Lunch in spring?", nil)
	answer(t, h, closed, "ada", "after Easter")
	for person, want := range map[string]int{"ada": 3, "eve": 2, "bob": 1, "": 3} {
		for _, s := range []hub.Search{{}, {Text: "spring"}, {Text: "fire"}, {Text: "easter"}, {Workspace: "hr"}, {Person: "ada"}, {Digest: secret.Digest}, {Agent: "hr-bot"}} {
			s.View, s.Facets = hub.ViewAll, true
			got := search(t, h, person, s)
			if got.Total != len(got.Items) {
				t.Errorf("%q, %+v: a total of %d for %d", person, s, got.Total, len(got.Items))
			}
			for _, it := range got.Items {
				if person != "" && len(it.Ask.To) > 0 && !slices.Contains(it.Ask.To, person) {
					t.Errorf("%q finds %q with %+v", person, it.Ask.Questions[0].Text, s)
				}
			}
			if person == "bob" && (len(got.Facets["workspace"]) > 0 || len(got.Facets["agent"]) > 0) {
				t.Errorf("facets tell bob of what is to others: %v", got.Facets)
			}
		}
		if got := search(t, h, person, hub.Search{View: hub.ViewAll, Text: "spring"}); len(got.Items) != want {
			t.Errorf("%q finds %q, want %d", person, texts(got), want)
		}
	}
}

// TestSearchNoSecrets answers what asks for a secret, and looks for the secret.
func TestSearchNoSecrets(t *testing.T) {
	h := searchHub(t, hub.NewMemory(nil), nil)
	a := submitText(t, h, "What is your password?", func(a *sayso.Ask) { a.Questions[0].Options = nil })
	_, err := h.Close(t.Context(), a, &sayso.Outcome{
		Status: sayso.StatusAnswered, By: sayso.Responder{Kind: sayso.ByPerson, ID: "ada"},
		Answers: []sayso.Answer{{QuestionID: "q1", Other: "hunter2", Note: "hunter2"}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := search(t, h, "", hub.Search{View: hub.ViewAll, Text: "hunter2"}); len(got.Items) != 0 || got.Total != 0 {
		t.Errorf("a secret is found: %q", texts(got))
	}
	if got := search(t, h, "", hub.Search{View: hub.ViewAll, Text: "password"}); len(got.Items) != 1 {
		t.Errorf("the question is not found: %q", texts(got))
	}
}
