package rules

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// ReplayRandomly has rules decide about 500 random calls, and wants a replay of the record
// to say the same of each.
func ReplayRandomly(t *testing.T, rng *rand.Rand) {
	tb := readTable(t)
	w := newWorld(t, hub.NewMemory(nil))
	start := w.clock.now()
	var rules []hub.Rule
	for _, r := range tb.rules {
		r.Made, r.Used, r.Revoked = start, 0, time.Time{}
		switch {
		case r.Act == hub.RuleAllow:
			r.Count, r.Until = []int{0, 3, 20}[rng.IntN(3)], start.Add([]time.Duration{4 * time.Hour, LongestAllow}[rng.IntN(2)])
		case rng.IntN(3) > 0 || r.Act == hub.RuleRequire && r.Pattern.Tool == "*":
			continue // most would be denied
		}
		rules = append(rules, w.add(r, nil))
	}
	var tickets []*hub.Ticket
	for range 500 {
		w.clock.add(time.Minute)
		tickets = append(tickets, w.submit(tb.calls[rng.IntN(len(tb.calls))].ask))
	}
	hits, err := Replay(t.Context(), rules, tickets, w.hub)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]int{}
	for i, tk := range tickets {
		live, _ := ByRule(tk.Outcome)
		replayed := ""
		if hits[i] >= 0 && (rules[hits[i]].Act != hub.RuleRequire || !tk.Open()) {
			replayed = rules[hits[i]].ID
		}
		if live != replayed {
			t.Errorf("%d: decided by %q, in the replay by %q", i, live, replayed)
		}
		if live != "" {
			by[live]++
		}
	}
	stored, err := w.rules.List(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, r := range stored {
		if r.Act == hub.RuleAllow && r.Used != by[r.ID] || r.Count > 0 && r.Used > r.Count {
			t.Errorf("%s says that it was used %d of %d times, and decided %d", r.ID, r.Used, r.Count, by[r.ID])
		}
		total += by[r.ID]
	}
	if total < 50 {
		t.Errorf("only %d of 500 were decided by rules", total)
	}
}

// TestRehearse says what a rule would have done to what ann decided.
func TestRehearse(t *testing.T) {
	w := newWorld(t, hub.NewMemory(nil))
	var tickets []*hub.Ticket
	var made *hub.Ticket
	for i := range 40 {
		w.clock.add(time.Minute)
		name, offer := "test", "once"
		switch {
		case i%20 == 7:
			name = "build"
		case i == 9:
			name = "edit"
		case i == 11:
			offer = "deny"
		}
		tk := w.answer(w.submit(base(t, name, "")), "ann", sayso.Answer{Selected: []string{offer}})
		tickets = append(tickets, tk)
		if i == 0 {
			made = tk
		}
	}
	tickets = append(tickets, w.answer(w.submit(base(t, "test", "")), "bob", sayso.Answer{Selected: []string{"once"}}), w.submit(base(t, "test", "")))
	slices.Reverse(tickets)
	for _, c := range []struct {
		rule hub.Rule
		last int
		want string
	}{
		{must(NewAllow(made, "ann", Ends{For: time.Minute}, w.clock.now()))(t), Last, "It would have answered 37 of your last 40 approvals. You denied one of them: Run: npm test"},
		{must(NewAllow(made, "ann", Ends{Count: 5}, w.clock.now()))(t), Last, "It would have answered 5 of your last 40 approvals. It matches 37, and ends after 5. You allowed all of them."},
		{must(NewPattern(hub.Rule{Act: hub.RuleDeny, Pattern: &hub.RulePattern{Contains: "rm -rf"}}, "ann", noon))(t), Last, "It would have denied 2 of your last 40 approvals. You allowed 2 of them: Run: rm -rf build (and 1 more)"},
		{must(NewPattern(hub.Rule{Act: hub.RuleDeny, Pattern: &hub.RulePattern{Contains: "rm -rf"}}, "ann", noon))(t), 10, "It would have denied 0 of your last 10 approvals."},
		{must(NewPattern(hub.Rule{Act: hub.RuleRequire, People: []string{"bob"}, Pattern: &hub.RulePattern{Tool: "Edit"}}, "root", noon))(t), Last, "It would have left to bob 1 of your last 40 approvals. Somebody else decided one of them: Change /p/shop/a.txt (+1 −1)"},
	} {
		h, err := Rehearse(t.Context(), c.rule, "ann", tickets, c.last, w.hub)
		if err != nil || h.Text != c.want {
			t.Errorf("%q, %v\nwant %q", h.Text, err, c.want)
		}
	}
}
