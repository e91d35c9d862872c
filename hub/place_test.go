package hub_test

import (
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
	token := hub.AskerToken("alice")
	seen := map[hub.Address]string{}
	for _, c := range []struct{ asker, id string }{
		{"", "x"}, {"alice", "x"}, {"mallory", "x"}, {"alic", "ex"}, {"alicex", ""}, {"", "alice:x"}, {token, "x"},
	} {
		name := c.asker + " " + c.id
		addr := hub.AddressOf("t", ofAsker(c.asker, c.id, "?"))
		if other, ok := seen[addr]; ok {
			t.Errorf("%q and %q share %v", name, other, addr)
		}
		seen[addr] = name
	}
	if token != "osfscg4hs7jbg" || hub.AskerToken("") != "" {
		t.Errorf("the tokens have changed, so that stored asks are lost: %q, %q", token, hub.AskerToken(""))
	}
}

// TestReaddress: what an earlier version stored is found by its asker, and by no
// other, once it has its new place; and by the handle that was given out.
func TestReaddress(t *testing.T) {
	t.Parallel()
	a := ofAsker("alice", "deploy", "Deploy?")
	for _, id := range hub.EarlierIDs(a) {
		old := *a
		r, err := hub.EarlierRecord("t", &old)
		if err != nil {
			t.Fatal(err)
		}
		r.Address.ID = id
		if id != a.ID { // its sum covers its address
			if r, err = hub.EarlierAt(r, id); err != nil {
				t.Fatal(err)
			}
		}
		moved, err := hub.Readdress(r)
		if err != nil || moved.Address != hub.AddressOf("t", a) {
			t.Fatalf("moved to %v, %v", moved.Address, err)
		}
		if again, err := hub.Readdress(moved); err != nil || again.Address != moved.Address || string(again.Data) != string(moved.Data) {
			t.Errorf("moved again: %v, %v", again.Address, err)
		}
		store := hub.NewMemory(nil)
		if _, err := store.Put(t.Context(), moved, 0); err != nil {
			t.Fatal(err)
		}
		h, err := hub.Open(t.Context(), store, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer h.Stop()
		if again, err := h.Submit(t.Context(), "t", a); err != nil || !again.Replayed {
			t.Errorf("asked again: %+v, %v", again, err)
		}
		if other, err := h.Submit(t.Context(), "t", ofAsker("mallory", "deploy", "Deploy?")); err != nil || other.Replayed {
			t.Errorf("mallory: %+v, %v", other, err)
		}
		if found, err := h.Find(t.Context(), h.EarlierHandle(r)); err != nil || found != moved.Address {
			t.Errorf("the old handle opens %v, %v", found, err)
		}
		if _, err := h.Address(h.EarlierHandle(r)); !errors.Is(err, hub.ErrHandle) {
			t.Errorf("an old handle without a search: %v", err)
		}
		gone := r
		gone.Address.ID = "other"
		if _, err := h.Find(t.Context(), h.EarlierHandle(gone)); !errors.Is(err, hub.ErrNotFound) {
			t.Errorf("the old handle of another: %v", err)
		}
		r.Data = append(r.Data[:len(r.Data)-2:len(r.Data)-2], "x}"...)
		var damaged *hub.CorruptError
		if _, err := hub.Readdress(r); !errors.As(err, &damaged) {
			t.Errorf("a damaged record: %v", err)
		}
	}
}
