package hub_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

func ruled(offer string) *sayso.Outcome {
	return &sayso.Outcome{
		Status: sayso.StatusAnswered, By: sayso.Responder{Kind: sayso.ByPolicy, ID: "rule_1", Surface: "rules"},
		Answers: []sayso.Answer{{QuestionID: sayso.VerdictQuestion, Selected: []string{offer}}},
	}
}

// TestDecide has rules decide about approvals, each once.
func TestDecide(t *testing.T) {
	ctx := t.Context()
	asked := 0
	var decision *hub.Decision
	var fails error
	h, err := hub.Open(ctx, hub.NewMemory(nil), &hub.Options{Decide: func(_ context.Context, t *hub.Ticket, _ hub.Contents) (*hub.Decision, error) {
		asked++
		return decision, fails
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	asker := h.Asker("acme", sayso.Responder{ID: "agent"})
	submit := func(id string, change func(*sayso.Ask)) (*hub.Ticket, error) {
		a := approval(t, "x")
		a.ID = id
		if change != nil {
			change(a)
		}
		return asker.Submit(ctx, a)
	}

	decision = &hub.Decision{Outcome: ruled("once")}
	first, err := submit("a", nil)
	if err != nil || first.Open() || first.Outcome.At.IsZero() || !first.Ask.Verdict(first.Outcome).Allowed() {
		t.Fatalf("%+v, %v", first, err)
	}
	if got, err := asker.Wait(ctx, first.Handle); err != nil || got.Outcome.By.ID != "rule_1" {
		t.Errorf("%+v, %v", got, err)
	}
	decision = &hub.Decision{Outcome: ruled("deny")}
	if again, err := submit("a", nil); err != nil || !again.Replayed || !again.Ask.Verdict(again.Outcome).Allowed() || asked != 1 {
		t.Errorf("the same ask was decided again: %+v, %v, asked %d times", again.Outcome, err, asked)
	}
	if _, err := h.Submit(ctx, "acme", newQuestion("q")); err != nil || asked != 1 {
		t.Errorf("a question was decided by rules: %v", err)
	}

	// One that had to wait stays what it is.
	decision = nil
	open, err := submit("b", nil)
	if err != nil || !open.Open() {
		t.Fatalf("%+v, %v", open, err)
	}
	decision = &hub.Decision{Outcome: ruled("once")}
	if again, err := submit("b", nil); err != nil || !again.Open() {
		t.Errorf("an open approval was decided later: %+v, %v", again, err)
	}
	if _, err := h.Close(ctx, open, ruled("once"), nil); !errors.Is(err, hub.ErrNotAllowed) {
		t.Errorf("a policy closes an open approval: %v", err)
	}
	if _, err := h.Close(ctx, open, ruled("deny"), nil); !errors.Is(err, hub.ErrNotAllowed) {
		t.Errorf("a policy closes an open approval: %v", err)
	}

	// Whoever attends is not kept waiting.
	a := approval(t, "x")
	a.ID = "c"
	if got, attends, err := h.Attend(ctx, "acme", a); err != nil || attends != nil || got.Open() {
		t.Errorf("%+v, %v", got, err)
	}

	// Named people have to answer. The ask stays where it is found again.
	decision = &hub.Decision{To: []string{"ann"}, MinAssurance: sayso.AssuranceKey}
	named, err := submit("d", nil)
	if err != nil || !named.Open() || strings.Join(named.Ask.To, " ") != "ann" || named.Ask.MinAssurance != sayso.AssuranceKey {
		t.Fatalf("%+v, %v", named, err)
	}
	if again, err := submit("d", nil); err != nil || !again.Replayed || again.Address != named.Address {
		t.Errorf("the same ask is another one: %+v, %v", again, err)
	}
	for _, c := range []struct {
		person string
		sees   int
		err    error
	}{{"bob", 0, hub.ErrNotAllowed}, {"ann", 1, nil}} {
		in := h.Inbox("acme", sayso.Responder{Kind: sayso.ByPerson, ID: c.person, Assurance: sayso.AssuranceKey})
		page, err := in.List(ctx, nil)
		n := 0
		for _, one := range page.Tickets {
			if one.Ask.ID == "d" {
				n++
			}
		}
		if err != nil || n != c.sees {
			t.Errorf("%s sees %d, %v", c.person, n, err)
		}
		o := ruled("once")
		if _, err := in.Close(ctx, named, o); !errors.Is(err, c.err) {
			t.Errorf("%s: %v", c.person, err)
		}
	}

	// What the hub does not take from a rule.
	stored := func(a *sayso.Ask) { *a = *approval(t, strings.Repeat("line\n", 10_000)); a.ID = "large" }
	sure := func(a *sayso.Ask) { a.ID, a.MinAssurance = "sure", sayso.AssuranceKey }
	byPerson, nameless := ruled("once"), ruled("once")
	byPerson.By.Kind, nameless.By.ID = sayso.ByPerson, ""
	for name, c := range map[string]struct {
		change func(*sayso.Ask)
		o      *sayso.Outcome
	}{
		"as a person":   {nil, byPerson},
		"without name":  {nil, nameless},
		"unknown offer": {nil, ruled("twice")},
		"not opened":    {stored, ruled("once")},
		"unseen":        {stored, ruled(sayso.OfferUnseen)},
		"assurance":     {sure, ruled("once")},
		"nothing":       {nil, &sayso.Outcome{Status: sayso.StatusAnswered, By: ruled("").By}},
	} {
		decision = &hub.Decision{Outcome: c.o}
		if got, err := submit("no "+name, c.change); err == nil {
			t.Errorf("%s: stored as %+v", name, got.Outcome)
		}
	}
	decision = &hub.Decision{Outcome: ruled("deny")}
	if got, err := submit("sure", sure); err != nil || got.Ask.Verdict(got.Outcome).Allowed() {
		t.Errorf("a rule denies: %+v, %v", got, err)
	}
	fails = errors.New("no rules")
	if _, err := submit("fails", nil); !errors.Is(err, fails) {
		t.Errorf("rules that cannot be read keep the approval out: %v", err)
	}
}

func newQuestion(id string) *sayso.Ask {
	a := &sayso.Ask{ID: id, Questions: []sayso.Question{{Text: "Which?"}}}
	a.Normalize()
	return a
}
