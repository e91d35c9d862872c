package httpapi

import (
	"net/http"
	"testing"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

// earlierAsk is an ask of bot that an earlier version stored: under its id, which
// all askers shared.
const earlierAsk = `{"v":1,"sum":"W_5dgtprBovwCbdXTXbz7beTfBjECfErLTnep9fq2Zc","n":148,"ask":{"id":"deploy","kind":"questions","questions":[{"id":"q","text":"Deploy?","kind":"text"}],"origin":{"conversation":"c1","asker":"bot","via":"http"}},"state":{"digest":"3f7ee3658febe6ca058e15ffdc658357678eae4a3da5f47ba73cbee46590dd65"}}`

// TestEarlierAsk: an ask that was stored before an upgrade and is sent again after
// it is the same ask, takes no room, and is its asker's alone.
func TestEarlierAsk(t *testing.T) {
	store := hub.NewMemory(nil)
	addr := hub.Address{Tenant: "acme", Conversation: "c1", ID: "deploy"}
	if _, err := store.Put(t.Context(), hub.Record{Kind: hub.KindTicket, Address: addr, Data: []byte(earlierAsk)}, 0); err != nil {
		t.Fatal(err)
	}
	w := newWorldOver(t, store, nil, &Options{Quota: Quota{Open: 2}})
	const again = `{"id":"deploy","origin":{"conversation":"c1"},"questions":[{"id":"q","text":"Deploy?"}]}`
	for range 3 { // the second and third would be over the quota
		if tk := must[api.Ticket](t, w, "bot", "POST", "/v1/asks", again); tk.Address != addr || !tk.Replayed {
			t.Fatalf("asked again: %+v", tk)
		}
		if n := w.feeds.waiting(); n != 1 {
			t.Fatalf("%d wait, want 1", n)
		}
	}
	w.ask(t, "more")
	must[api.Ticket](t, w, "bot", "POST", "/v1/asks", again)
	if rec := w.do("bot", "POST", "/v1/asks", `{"id":"over","questions":[{"text":"Which?"}]}`); rec.Code != http.StatusTooManyRequests {
		t.Errorf("the third ask: %d", rec.Code)
	}
	if rec := w.do("bot2", "POST", "/v1/asks", again); rec.Code != http.StatusCreated {
		t.Errorf("another asker with this id: %d %s", rec.Code, rec.Body)
	}
}
