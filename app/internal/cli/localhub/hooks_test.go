package localhub

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/hub"
)

const hookBody = `{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"AskUserQuestion","tool_use_id":"t1","tool_input":{"questions":[{"question":"Which database?","header":"DB","multiSelect":false,"options":[{"label":"PostgreSQL","description":""},{"label":"SQLite","description":""}]}]}}`

// TestHooks: the hooks are guarded as the API is, act as their caller,
// and end with the server.
func TestHooks(t *testing.T) {
	t.Parallel()
	h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	boot, token := auth.NewBoot(auth.Principal{Tenant: "t", ID: "bot", Role: auth.Asker})
	api, err := httpapi.New(h, &httpapi.Options{Auth: boot})
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	open, shut := context.WithCancel(t.Context())
	defer shut()
	srv := httptest.NewServer(besideHooks(open, api, slog.New(slog.DiscardHandler)))
	defer srv.Close()
	post := func(change func(*http.Request)) (int, string) {
		t.Helper()
		r, err := http.NewRequest(http.MethodPost, srv.URL+"/v1/hooks/claude/PreToolUse", strings.NewReader(hookBody))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Claude-Entrypoint", "sdk-cli")
		if change != nil {
			change(r)
		}
		resp, err := srv.Client().Do(r)
		if err != nil {
			t.Error(err)
			return 0, ""
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Error(err)
		}
		return resp.StatusCode, string(body)
	}
	for want, change := range map[int]func(*http.Request){
		401: func(r *http.Request) { r.Header.Del("Authorization") },
		403: func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		421: func(r *http.Request) { r.Host = "evil.example" },
		405: func(r *http.Request) { r.Method, r.URL.Path = http.MethodPut, "/v1/asks" },
		404: func(r *http.Request) { r.URL.Path = "/v1/hooks/claude/Stop" },
	} {
		if got, body := post(change); got != want {
			t.Errorf("got %d %s, want %d", got, body, want)
		}
	}

	person := h.Inbox("t", sayso.Responder{Kind: sayso.ByPerson, Surface: "phone"})
	asked := func() *hub.Ticket {
		for {
			page, err := person.List(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(page.Tickets) == 1 {
				return page.Tickets[0]
			}
		}
	}
	type reply struct {
		status int
		body   string
	}
	replies := make(chan reply)
	go func() { status, body := post(nil); replies <- reply{status, body} }()
	ticket := asked()
	if ticket.Ask.Origin.Asker != "bot" {
		t.Errorf("the asker is %q", ticket.Ask.Origin.Asker)
	}
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}}}}
	if _, err := person.Close(t.Context(), ticket, o); err != nil {
		t.Fatal(err)
	}
	if got := <-replies; got.status != 200 || !strings.Contains(got.body, `"answers":{"Which database?":"SQLite"}`) {
		t.Errorf("got %+v", got)
	}

	go func() {
		status, body := post(func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader(strings.Replace(hookBody, "t1", "t2", 1)))
		})
		replies <- reply{status, body}
	}()
	asked()
	shut()
	if got := <-replies; got.status != 200 || got.body != "{}\n" {
		t.Errorf("when the server ends: got %+v", got)
	}
	if asked() == nil {
		t.Error("the ask is gone")
	}
}
