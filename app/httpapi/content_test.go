package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
)

// wideApproval returns an approval that is too large to be stored as an ask, and the hash of
// what it shows.
func wideApproval(t *testing.T) (*sayso.Ask, string) {
	t.Helper()
	content := strings.Repeat("line\n", 20_000) + canary
	input, err := json.Marshal(map[string]string{"content": content})
	if err != nil {
		t.Fatal(err)
	}
	p := sayso.NewApproval(sayso.ApproveEdit, "Write", input, &sayso.ApprovalOptions{
		Files: []sayso.FileChange{sayso.NewFileChange("a.txt", nil, &content)}, Covered: []string{"content"},
	})
	p.Offers = []sayso.Offer{{ID: "once", Act: sayso.ActAllow}, {ID: "deny", Act: sayso.ActDeny, Message: true}}
	a := &sayso.Ask{Approval: p, To: []string{"ada"}}
	a.Normalize()
	return a, p.Shown[0].SHA256
}

// sendLarge stores the pages and then the ask, as a client does.
func sendLarge(t *testing.T, w *world) (api.Ticket, *sayso.Ask, string) {
	t.Helper()
	a, hash := wideApproval(t)
	sent := a.Clone()
	for _, c := range sent.Approval.Contents() {
		if !c.Stored {
			continue
		}
		for i, page := range c.Pages() {
			body, err := json.Marshal(api.ContentPage{Text: page})
			if err != nil {
				t.Fatal(err)
			}
			must[struct{}](t, w, "bot", "PUT", "/v1/content/"+c.SHA256+"/"+itoa(i), string(body))
		}
		c.Text = ""
	}
	sent.ID = newID()
	body, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	return must[api.Ticket](t, w, "bot", "POST", "/v1/asks", string(body)), a, hash
}

func itoa(i int) string { return string(rune('0' + i)) }

func largeApproval(t *testing.T, w *world) (path, body string) {
	tk, _, hash := sendLarge(t, w)
	return "/v1/asks/" + tk.ID + "/content/" + hash + "/0", ""
}

// TestContent sends an approval in pages, reads it back, and allows it.
func TestContent(t *testing.T) {
	w := newWorld(t, nil)
	tk, a, hash := sendLarge(t, w)
	if tk.Digest != a.Digest() {
		t.Error("the digest is another one once it is stored")
	}
	var got strings.Builder
	for i := 0; ; i++ {
		page := must[api.ContentPage](t, w, "ada", "GET", "/v1/asks/"+tk.ID+"/content/"+hash+"/"+itoa(i), "")
		if page.Text == "" {
			break
		}
		got.WriteString(page.Text)
	}
	if sayso.NewContent(got.String()).SHA256 != hash {
		t.Error("the pages are not what the hash says")
	}
	for _, bad := range []string{strings.Repeat("0", 64) + "/0", hash + "/x", hash + "/-1"} {
		if rec := w.do("ada", "GET", "/v1/asks/"+tk.ID+"/content/"+bad, ""); rec.Code != http.StatusNotFound && rec.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", bad, rec.Code)
		}
	}
	answer := func(opened string) int {
		return w.do("ada", "PUT", "/v1/asks/"+tk.ID+"/answer", `{"digest":"`+tk.Digest+`","answers":[{"questionId":"verdict","selected":["once"],"opened":[`+opened+`]}]}`).Code
	}
	if code := answer(""); code != http.StatusUnprocessableEntity {
		t.Errorf("allowed unseen: %d", code)
	}
	if code := answer(`"` + hash + `"`); code != http.StatusOK {
		t.Errorf("opened and allowed: %d", code)
	}
	rec := w.do("bot", "POST", "/v1/asks", `{"questions":[],"approval":{"kind":"shell","tool":"Bash","input":{"sha256":"`+hash+`","size":99999,"lines":1,"stored":true},"shown":[],"offers":[]}}`)
	if rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("an approval that shows nothing: %d %s", rec.Code, rec.Body)
	}
}
