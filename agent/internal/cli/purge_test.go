package cli_test

import (
	"strings"
	"testing"
)

// What is removed is gone with its questions, in the file too, and does not come
// back.
func TestPurge(t *testing.T) {
	t.Parallel()
	h := newHome(t, service())
	h.want(75, "", "-p", "--conversation", "c1", "Set up a service")
	h.want(2, "", "purge")
	if r := h.want(1, "", "purge", "nobody"); !strings.Contains(r.err, "no such conversation") {
		t.Error(r.err)
	}
	if r := h.want(1, "", "purge", "c1"); !strings.Contains(r.err, "conversation \"c1\" is not finished (awaiting_user_response), and nothing was removed") {
		t.Error(r.err)
	}
	h.want(75, "", "-p", "-c") // it waits as before
	h.want(0, "c1\n", "purge", "c1", "--force")
	h.noFile()
	h.want(0, "No conversations.\n", "sessions")
	h.want(2, "", "-p", "--answers", `["SQLite"]`)
	if n := len(h.model.Requests()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
	h.want(75, "", "-p", "--conversation", "c2", "Set up a service")
	h.want(0, "done\n", "-p", "--answers", `["SQLite"]`)
	h.want(0, `{"purged":["c2"]}`+"\n", "purge", "--json", "c2")
	h.want(0, "No conversations.\n", "sessions")
}
