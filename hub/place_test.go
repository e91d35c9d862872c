package hub_test

import (
	"context"
	"errors"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

func ofAsker(asker, id, text string) *sayso.Ask {
	return &sayso.Ask{ID: id, Origin: sayso.Origin{Asker: asker, Conversation: "c"}, Questions: []sayso.Question{
		{ID: "q1", Text: text, Options: []sayso.Option{{ID: "o1", Label: "Yes"}}},
	}}
}

// TestAddressOf: no two askers share a place, whatever they name their asks.
func TestAddressOf(t *testing.T) {
	t.Parallel()
	taken := hub.AddressOf("t", ofAsker("alice", "x", "?")).ID
	seen := map[hub.Address]string{}
	for _, c := range []struct{ asker, id string }{
		{"", "x"}, {"alice", "x"}, {"mallory", "x"}, {"alic", "ex"}, {"alicex", ""}, {"", "alice:x"},
		{"", taken}, {"mallory", taken}, {"alice", taken},
	} {
		name := c.asker + " " + c.id
		addr := hub.AddressOf("t", ofAsker(c.asker, c.id, "?"))
		if other, ok := seen[addr]; ok {
			t.Errorf("%q and %q share %v", name, other, addr)
		}
		seen[addr] = name
	}
	if got := hub.AddressOf("t", ofAsker("", "x", "?")).ID; got != "x" {
		t.Errorf("an ask without an asker is filed under %q", got)
	}
	if got := hub.AddressOf("t", ofAsker("alice", "x", "?")).ID; got != "asker/wlso4qjp4oslk3o2sls5jmad6u" {
		t.Errorf("the place has changed, so that stored asks are lost: %q", got)
	}
}

// earlier is a store as an earlier version left it: it filed the asks of all
// askers under their ids.
func earlier(t *testing.T, asks ...*sayso.Ask) hub.Store {
	t.Helper()
	store := hub.NewMemory(nil)
	for _, a := range asks {
		r, err := hub.EarlierRecord("t", a)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := store.Put(t.Context(), r, 0); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

// TestEarlierPlace: what an earlier version stored is found by its asker, and by no
// other.
func TestEarlierPlace(t *testing.T) {
	t.Parallel()
	h, err := hub.Open(t.Context(), earlier(t, ofAsker("alice", "deploy", "Deploy?")), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	again, err := h.Submit(t.Context(), "t", ofAsker("alice", "deploy", "Deploy?"))
	if err != nil || !again.Replayed || again.Address.ID != "deploy" {
		t.Fatalf("asked again: %+v, %v", again, err)
	}
	var changed *hub.ChangedError
	if _, err := h.Submit(t.Context(), "t", ofAsker("alice", "deploy", "Other?")); !errors.As(err, &changed) {
		t.Errorf("other questions under her id: %v", err)
	}
	for _, text := range []string{"Deploy?", "Other?"} {
		asker := "mallory, who asks " + text
		other, err := h.Submit(t.Context(), "t", ofAsker(asker, "deploy", text))
		if err != nil || other.Replayed || other.Address == again.Address {
			t.Errorf("%s: %+v, %v", asker, other, err)
		}
	}
	if _, err := h.Submit(t.Context(), "t", ofAsker("", "deploy", "Deploy?")); !errors.As(err, &changed) {
		t.Errorf("an ask without an asker takes her place: %v", err)
	}

	yes := &sayso.Outcome{Status: sayso.StatusAnswered, By: sayso.Responder{Kind: sayso.ByPerson, ID: "bob"},
		Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o1"}}}}
	if _, err := h.Close(t.Context(), again, yes, nil); err != nil {
		t.Fatal(err)
	}
	if late, err := h.Ask(t.Context(), "t", ofAsker("alice", "deploy", "Deploy?")); err != nil || late.Open() {
		t.Errorf("asked again when it is answered: %+v, %v", late, err)
	}
}

// TestEarlierPlaceDamaged: a record that cannot be read is nobody's, and the asker
// is not told of it.
func TestEarlierPlaceDamaged(t *testing.T) {
	t.Parallel()
	r, err := hub.EarlierRecord("t", ofAsker("alice", "deploy", "Deploy?"))
	if err != nil {
		t.Fatal(err)
	}
	r.Data = []byte(`{"v":2}`)
	store := hub.NewMemory(nil)
	if _, err := store.Put(t.Context(), r, 0); err != nil {
		t.Fatal(err)
	}
	h, err := hub.Open(t.Context(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	if got, err := h.Submit(t.Context(), "t", ofAsker("mallory", "deploy", "Deploy?")); err != nil || got.Replayed {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestEarlierFolded: an ask of an earlier version is closed when it was answered
// outside of the hub.
func TestEarlierFolded(t *testing.T) {
	t.Parallel()
	a := ofAsker("alice", "deploy", "Deploy?")
	h, err := hub.Open(t.Context(), earlier(t, a), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(&sayso.SupersededError{Winner: &sayso.Outcome{Status: sayso.StatusDeclined, By: sayso.Responder{Kind: sayso.ByPerson}}})
	h.Resolver("t").Ask(ctx, a)
	addr, err := h.Place(t.Context(), "t", a)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := h.Get(t.Context(), addr); err != nil || got.Open() || addr.ID != "deploy" {
		t.Errorf("at %v: %+v, %v", addr, got, err)
	}
}
