package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"testing"

	"github.com/saysohq/sayso/app/surface/notify"
)

// watch is a desk that checks what it is told against the update that it came from.
type watch struct {
	t    *testing.T
	u    map[string]any
	came int
}

func (w *watch) told(account string) (*notify.Reply, error) {
	w.came++
	var from, chat map[string]any
	if q, ok := w.u["callback_query"].(map[string]any); ok {
		from, _ = q["from"].(map[string]any)
		m, _ := q["message"].(map[string]any)
		chat, _ = m["chat"].(map[string]any)
	} else {
		m, _ := w.u["message"].(map[string]any)
		from, _ = m["from"].(map[string]any)
		chat, _ = m["chat"].(map[string]any)
	}
	id, _ := from["id"].(json.Number)
	if bot, _ := from["is_bot"].(bool); bot || id.String() != account || chat["type"] != "private" || chat["id"] != from["id"] {
		w.t.Errorf("account %s acted by %v in %v", account, from, chat)
	}
	return &notify.Reply{}, nil
}

func (w *watch) Place(context.Context) (string, error)            { return "", nil }
func (w *watch) Keep(context.Context, string) error               { return nil }
func (w *watch) Prompted(_ context.Context, _, _, _ string) error { return nil }
func (w *watch) Link(_ context.Context, _ string, c *notify.Contact) (*notify.Reply, error) {
	return w.told(c.Account)
}
func (w *watch) Press(_ context.Context, account, _ string) (*notify.Reply, error) {
	return w.told(account)
}
func (w *watch) Say(_ context.Context, account string, _ notify.Place, _ string) (*notify.Reply, error) {
	return w.told(account)
}

type nobody struct{}

func (nobody) RoundTrip(*http.Request) (*http.Response, error) { return nil, context.Canceled }

// FuzzUpdate holds that nothing in an update can stop the channel, and that the account
// is the user id that Telegram states, in a private chat with that user.
func FuzzUpdate(f *testing.F) {
	for _, s := range []string{
		`{"update_id":1,"message":{"message_id":2,"chat":{"id":42,"type":"private"},"from":{"id":42},"text":"hello"}}`,
		`{"update_id":1,"message":{"message_id":2,"chat":{"id":42,"type":"private"},"from":{"id":42},"text":"/start abc","reply_to_message":{"message_id":1}}}`,
		`{"update_id":1,"callback_query":{"id":"7","from":{"id":42,"is_bot":false},"data":"tok.0","message":{"message_id":2,"chat":{"id":42,"type":"private"}}}}`,
		`{"update_id":1,"callback_query":{"id":"7","from":{"id":42,"is_bot":true},"data":"tok.0","message":{"message_id":2,"chat":{"id":-42,"type":"group"}}}}`,
		`{"update_id":9007199254740993,"message":[]}`, `{"update_id":-1}`, `{"update_id":"1"}`, `[]`, `null`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		u, err := parse(data)
		if err != nil {
			return
		}
		if u.ID <= 0 {
			t.Fatalf("an update with the id %d", u.ID)
		}
		// Go reads the names of fields in any case, and the last of several counts. What
		// is compared is read in the same way.
		again, err := json.Marshal(u)
		if err != nil {
			t.Fatal(err)
		}
		w := &watch{t: t, u: map[string]any{}}
		var back struct {
			Message json.RawMessage `json:"message"`
			Query   json.RawMessage `json:"callback_query"`
		}
		if err := json.Unmarshal(again, &back); err != nil {
			t.Fatal(err)
		}
		for k, v := range map[string]json.RawMessage{"message": back.Message, "callback_query": back.Query} {
			if len(v) > 0 && string(v) != "null" {
				w.u[k] = number(t, v)
			}
		}
		c := New(&Options{Token: "1:x", Client: &http.Client{Transport: nobody{}}})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		h := &handling{c: c, d: w}
		h.update(ctx, u)
		if w.came > 1 {
			t.Errorf("the desk was told %d things", w.came)
		}
	})
}

func number(t *testing.T, data []byte) map[string]any {
	var out map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSize counts as Telegram does.
func TestSize(t *testing.T) {
	for s, want := range map[string]int{"": 0, "a": 1, "ä": 1, "漢": 1, "𝒻": 2, "👍🏽": 4, "a\u0301": 2} {
		if size(s) != want {
			t.Errorf("%q has the size %d, want %d", s, size(s), want)
		}
	}
	for most := 1; most < 12; most++ {
		if got := cut("a𝒻b𝒻c𝒻", most); size(got) > most || size("a𝒻b𝒻c𝒻") <= most && got != "a𝒻b𝒻c𝒻" {
			t.Errorf("cut to %s: %q", strconv.Itoa(most), got)
		}
	}
}
