package hubtest

import (
	"errors"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// testClose closes asks in every way there is.
func (s *suite) testClose(t *testing.T) {
	store, ctx := s.new(t), within(t)
	h, other := s.open(t, store), s.open(t, s.peer(t, store))
	asker, policy := sayso.Responder{Kind: sayso.ByAsker}, sayso.Responder{Kind: sayso.ByPolicy, ID: "rule 7"}
	for id, o := range map[string]*sayso.Outcome{
		"answered":    says("alice", "o1"),
		"replied":     {Status: sayso.StatusAnswered, Reply: "ask me tomorrow", By: person("alice")},
		"by agent":    {Status: sayso.StatusAnswered, Reply: "yes", By: sayso.Responder{Kind: sayso.ByAgent, ID: "planner"}},
		"by policy":   {Status: sayso.StatusAnswered, Reply: "yes", By: policy},
		"unanswered":  {Status: sayso.StatusUnanswered, By: person("alice")},
		"declined":    {Status: sayso.StatusDeclined, By: person("alice"), Reason: "not mine to say"},
		"called off":  {Status: sayso.StatusCancelled, By: person("alice")},
		"withdrawn":   withdrawn(),
		"superseded":  {Status: sayso.StatusSuperseded, By: asker},
		"unreachable": {Status: sayso.StatusUnreachable, By: policy},
	} {
		ticket := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk(id)))
		closed, err := other.Close(ctx, ticket, o, nil)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		if closed.Replayed || closed.Revision <= ticket.Revision || closed.Outcome.At.IsZero() || !o.At.IsZero() {
			t.Errorf("%s: %+v", id, closed)
		}
		got := must[*hub.Ticket](t)(h.Wait(ctx, ticket.Address))
		wantChoice(t, got, o)
		if got.Ask.Digest() != ticket.Digest {
			t.Errorf("%s: the closed ticket has other questions", id)
		}
	}
	// The address and the digest are enough.
	ticket := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("by name")))
	must[*hub.Ticket](t)(h.Close(ctx, &hub.Ticket{Address: ticket.Address, Digest: ticket.Digest}, says("alice", "o1"), nil))
	_, err := h.Close(ctx, &hub.Ticket{Address: hub.AddressOf(tenant, newAsk("none")), Digest: ticket.Digest}, says("alice", "o1"), nil)
	wantErr(t, err, hub.ErrNotFound)
}

// testCloseAgain repeats closes, and contradicts them.
func (s *suite) testCloseAgain(t *testing.T) {
	store, ctx := s.new(t), within(t)
	h, other := s.open(t, store), s.open(t, s.peer(t, store))
	open := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("a")))
	first := says("alice", "o1")
	won := must[*hub.Ticket](t)(h.Close(ctx, open, first, &hub.CloseOptions{Nonce: "n1"}))

	elsewhere := says("alice", "o1")
	elsewhere.By.Surface = "phone"
	for name, repeat := range map[string]struct {
		o     *sayso.Outcome
		nonce string
	}{
		"same nonce":                {says("alice", "o1"), "n1"},
		"same nonce, other outcome": {says("alice", "o2"), "n1"},
		"same answer":               {says("alice", "o1"), "n2"},
		"same answer by phone":      {elsewhere, ""},
	} {
		for _, seen := range []*hub.Ticket{open, won, {Address: open.Address, Digest: open.Digest}} {
			got, err := other.Close(ctx, seen, repeat.o, &hub.CloseOptions{Nonce: repeat.nonce})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			wantChoice(t, got, first)
			if !got.Replayed || got.Revision != won.Revision {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
	declined := &sayso.Outcome{Status: sayso.StatusDeclined, By: person("alice")}
	for name, rival := range map[string]*sayso.Outcome{
		"other answer":       says("alice", "o2"),
		"same, other person": says("bob", "o1"),
		"declined":           declined,
		"withdrawn":          withdrawn(),
	} {
		_, err := other.Close(ctx, open, rival, nil)
		if closed := wantClosed(t, err, first); closed.Late {
			t.Errorf("%s: an answer that lost is not late", name)
		}
	}
	if got := must[*hub.Ticket](t)(h.Get(ctx, open.Address)); got.Revision != won.Revision || len(got.History) > 0 {
		t.Errorf("the losers left traces: %+v", got)
	}
}

func (s *suite) testCloseRefuses(t *testing.T) {
	h, ctx := s.open(t, s.new(t)), within(t)
	a := newAsk("a", "alice", "bob")
	a.MinAssurance = sayso.AssuranceLogin
	open := must[*hub.Ticket](t)(h.Submit(ctx, tenant, a))
	sure := person("alice")
	sure.Assurance = sayso.AssurancePasskey
	with := func(change func(*sayso.Outcome)) *sayso.Outcome {
		o := says("alice", "o1")
		o.By = sure
		change(o)
		return o
	}
	for name, c := range map[string]struct {
		o    *sayso.Outcome
		want error
	}{
		"pending":        {with(func(o *sayso.Outcome) { o.Status = sayso.StatusPending }), hub.ErrStatus},
		"no status":      {with(func(o *sayso.Outcome) { o.Status = "" }), hub.ErrStatus},
		"made up status": {with(func(o *sayso.Outcome) { o.Status = "approved" }), hub.ErrStatus},
		"nobody":         {with(func(o *sayso.Outcome) { o.By.Kind = "" }), hub.ErrNotAllowed},
		"stranger":       {with(func(o *sayso.Outcome) { o.By.ID = "carol" }), hub.ErrNotAllowed},
		"nameless":       {with(func(o *sayso.Outcome) { o.By.ID = "" }), hub.ErrNotAllowed},
		"strange agent":  {with(func(o *sayso.Outcome) { o.By.Kind, o.By.ID = sayso.ByAgent, "planner" }), hub.ErrNotAllowed},
		"asker answers":  {with(func(o *sayso.Outcome) { o.By.Kind = sayso.ByAsker }), hub.ErrNotAllowed},
		"asker declines": {with(func(o *sayso.Outcome) { o.Status, o.By.Kind = sayso.StatusDeclined, sayso.ByAsker }), hub.ErrNotAllowed},
		"not sure":       {with(func(o *sayso.Outcome) { o.By.Assurance = sayso.AssuranceKey }), hub.ErrAssurance},
		"policy answers": {with(func(o *sayso.Outcome) { o.By = sayso.Responder{Kind: sayso.ByPolicy} }), hub.ErrAssurance},
		"no such option": {with(func(o *sayso.Outcome) { o.Answers[0].Selected[0] = "o3" }), sayso.ErrUnknownOption},
		"two options":    {with(func(o *sayso.Outcome) { o.Answers[0].Selected = []string{"o1", "o2"} }), sayso.ErrTooManySelected},
		"no such question": {with(func(o *sayso.Outcome) { o.Answers[0].QuestionID = "q2" }),
			sayso.ErrUnknownQuestion},
		"early expiry": {&sayso.Outcome{Status: sayso.StatusExpired, By: sayso.Responder{Kind: sayso.ByPolicy}}, hub.ErrStatus},
		"invented default": {&sayso.Outcome{Status: sayso.StatusExpired, By: sayso.Responder{Kind: sayso.ByPolicy},
			Answers: says("alice", "o1").Answers}, hub.ErrStatus},
		"too long": {with(func(o *sayso.Outcome) { o.Reply = string(make([]byte, hub.MaxData)) }), sayso.ErrTooLong},
	} {
		if _, err := h.Close(ctx, open, c.o, nil); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	for name, seen := range map[string]*hub.Ticket{
		"shown other questions": {Address: open.Address, Digest: newAsk("b").Digest() + "x"},
		"does not say what":     {Address: open.Address},
	} {
		var changed *hub.ChangedError
		if _, err := h.Close(ctx, seen, with(func(*sayso.Outcome) {}), nil); !errors.As(err, &changed) {
			t.Errorf("%s: %v, want a ChangedError", name, err)
		}
	}
	if got := must[*hub.Ticket](t)(h.Get(ctx, open.Address)); !got.Open() || got.Revision != open.Revision {
		t.Fatalf("a refused close left traces: %+v", got)
	}
	must[*hub.Ticket](t)(h.Close(ctx, open, with(func(*sayso.Outcome) {}), nil))
}

// testEmpty sends what is no answer as one.
func (s *suite) testEmpty(t *testing.T) {
	h, ctx := s.open(t, s.new(t)), within(t)
	open := must[*hub.Ticket](t)(h.Submit(ctx, tenant, newAsk("a")))
	for _, blank := range []string{"", " ", "\n\t ", "\u200b", "\u200d\u2060", "\u00a0", "\ufeff", "\u3164", "\u2800", "\u00ad", "\U000e0020"} {
		for name, o := range map[string]*sayso.Outcome{
			"nothing":     {},
			"reply":       {Reply: blank},
			"own words":   {Answers: []sayso.Answer{{QuestionID: "q1", Other: blank}}},
			"note":        {Answers: []sayso.Answer{{QuestionID: "q1", Note: blank}}},
			"no options":  {Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{}, Other: blank}}},
			"skipped":     {Answers: []sayso.Answer{{QuestionID: "q1", Unanswered: sayso.ReasonSkipped, Other: blank}}},
			"blank label": {Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{blank}}}},
		} {
			o.Status, o.By = sayso.StatusAnswered, person("alice")
			var invalid *sayso.InvalidError
			if _, err := h.Close(ctx, open, o, nil); !errors.As(err, &invalid) {
				t.Errorf("%s of %q: %v, want an InvalidError", name, blank, err)
			}
		}
	}
	if got := must[*hub.Ticket](t)(h.Get(ctx, open.Address)); !got.Open() {
		t.Errorf("nobody said anything, and the ask is %s", choice(got.Outcome))
	}
}
