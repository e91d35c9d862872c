package httpapi

import (
	"strings"
	"testing"

	"github.com/saysohq/sayso/api"
)

// TestHeld looks at an ask whose answer is held with every credential: those who may
// answer see it, and nobody else does, wherever the ask is shown.
func TestHeld(t *testing.T) {
	w := newWorld(t, nil)
	tk := w.ask(t, newID())
	held := must[api.Ticket](t, w, "ada", "PUT", "/v1/asks/"+tk.ID+"/answer", strings.TrimSuffix(answerBody(tk, "pg"), "}")+`,"hold":30}`)
	if held.Held == nil || held.Status != "pending" || held.Outcome != nil {
		t.Fatalf("held: %+v", held)
	}
	for who, sees := range map[string]bool{"ada": true, "bob": true, "bot": false, "eye": false} {
		for _, path := range []string{"/v1/asks/" + tk.ID, "/v1/asks", "/v1/asks?status=any"} {
			rec := w.do(who, "GET", path, "")
			if rec.Code != 200 || strings.Contains(rec.Body.String(), `"held"`) != sees || strings.Contains(rec.Body.String(), held.Held.Nonce) != sees {
				t.Errorf("%s at %s: %d %s", who, path, rec.Code, rec.Body)
			}
		}
	}
	if rec := w.do("bob", "PUT", "/v1/asks/"+tk.ID+"/answer", answerBody(tk, "lite")); rec.Code != 409 || !strings.Contains(rec.Body.String(), "which counts from") || !strings.Contains(rec.Body.String(), `"held"`) {
		t.Errorf("a rival is told %d %s", rec.Code, rec.Body)
	}
	if rec := w.do("ada", "PUT", "/v1/asks/"+tk.ID+"/answer", strings.TrimSuffix(answerBody(tk, "pg"), "}")+`,"hold":31}`); rec.Code != 422 {
		t.Errorf("held for too long: %d %s", rec.Code, rec.Body)
	}
}
