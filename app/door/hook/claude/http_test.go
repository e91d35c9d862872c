package claude_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/saysohq/sayso/app/door/hook"
	"github.com/saysohq/sayso/app/door/hook/claude"
	"github.com/saysohq/sayso/hub"
)

// serve serves the door over HTTP as a server would mount it.
func (w *world) serve(r *http.Request) *httptest.ResponseRecorder {
	mux := http.NewServeMux()
	mux.Handle("POST /v1/hooks/claude/{event}", hook.Handler(claude.Agent(), &hook.HandlerOptions{
		Hub: func(*http.Request) (hub.Asker, error) { return w.client(), nil },
	}))
	rec := httptest.NewRecorder()
	mux.ServeHTTP(rec, r)
	return rec
}

func posted(t *testing.T, path string, body any) *http.Request {
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/v1/hooks/claude/"+path, strings.NewReader(string(data)))
	r.Header.Set("Content-Type", "application/json")
	return r
}

// TestHandler: a request that is not understood is refused before anybody is asked.
func TestHandler(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, hook.Options{})
		defer w.close()
		plain := posted(t, "PreToolUse", pre(database))
		plain.Header.Set("Content-Type", "text/plain")
		large := posted(t, "PreToolUse", strings.Repeat("x", hook.MaxEvent))
		for name, tc := range map[string]struct {
			r    *http.Request
			want int
		}{
			"get":           {httptest.NewRequest(http.MethodGet, "/v1/hooks/claude/PreToolUse", nil), 405},
			"unknown event": {posted(t, "SessionStart", event("SessionStart", nil)), 404},
			"other event":   {posted(t, "PreToolUse", prompt("x")), 400},
			"no event":      {posted(t, "PreToolUse", "x"), 400},
			"text":          {plain, 415},
			"large":         {large, 413},
			"defer":         {posted(t, "PreToolUse?defer=maybe", pre(database)), 400},
			"wait":          {posted(t, "PreToolUse?wait=-1s", pre(database)), 400},
		} {
			if got := w.serve(tc.r); got.Code != tc.want {
				t.Errorf("%s: got %d %s", name, got.Code, got.Body)
			}
		}
		if page, err := w.client().List(t.Context(), nil); err != nil || len(page.Tickets) != 0 {
			t.Errorf("somebody was asked: %v, %v", page, err)
		}
	})
}

// TestHandlerModes: how Claude Code was started, and the query, say what is done.
func TestHandlerModes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ entrypoint, query, want string }{
		{"cli", "", `{}`},
		{"cli", "?defer=true", `{}`},
		{"$CLAUDE_CODE_ENTRYPOINT", "?defer=true", `{}`}, // not allowed to be read
		{"claude-vscode", "?defer=true", `{}`},
		{"sdk-cli", "?defer=true", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}`},
		{"sdk-cli", "?wait=1m", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"The question is still open (ask_kturxld7dqkn6gopkyjnazgroa): nobody has responded yet. Do not assume an answer; it may still come."}}`},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, hook.Options{})
			defer w.close()
			r := posted(t, "PreToolUse"+tc.query, pre(database))
			r.Header.Set(claude.EntrypointHeader, tc.entrypoint)
			resp := w.serve(r).Result()
			body, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != 200 || strings.TrimSpace(string(body)) != tc.want || resp.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s %s: got %s %s, %v", tc.entrypoint, tc.query, resp.Status, body, err)
			}
		})
	}
}
