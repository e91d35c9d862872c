package convapi_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/agent/internal/convapi"
	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/app/modeltest"
)

// Every route, in the order in which a program would come by them.
func TestRoutes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, service(), nil)
	for _, c := range []struct {
		method, path, body string
		status             int
		words              string // in the answer
		rest               string // the conversation and the state that are waited for then
	}{
		{"GET", "/conversations", "", 200, `{"conversations":[]}`, ""},
		{"POST", "/conversations", `{"conversation":"c1","id":"m1","text":"Set up a service"}`, 201, `"id":"c1"`, ""},
		{"POST", "/conversations", `{"conversation":"c1","id":"m1","text":"Set up a service"}`, 201, `"id":"c1"`, "c1 awaiting_user_response"},
		{"GET", "/conversations/c1", "", 200, `"state":"awaiting_user_response","working":false`, ""},
		{"GET", "/conversations/c1", "", 200, `"questions":[{`, ""},
		{"GET", "/conversations/c1/questions", "", 200, `Which database?`, ""},
		{"POST", "/conversations/c1/retry", "", 409, `nothing has failed`, ""},
		{"POST", "/conversations/c1/compact", "", 409, `too short`, ""},
		{"DELETE", "/conversations/c1", "", 409, `conversation c1 is not finished (awaiting_user_response)`, ""},
		{"POST", "/conversations/c1/respond", `{"answers":{"Which database?":"SQLite"}}`, 200, "", "c1 idle"},
		{"GET", "/conversations/c1", "", 200, `"text":"done"`, ""},
		{"POST", "/conversations/c1/messages", `{"id":"m2","text":"And now?"}`, 202, `"id":"c1"`, ""},
		{"POST", "/conversations/c1/messages", `{"id":"m2","text":"And now?"}`, 202, `"id":"c1"`, "c1 idle"},
		{"POST", "/conversations/c1/compact", "", 200, `"id":"c1"`, ""},
		{"GET", "/conversations/c1", "", 200, `"role":"summary"`, ""},
		{"POST", "/conversations/c1/branch", `{"question":1}`, 201, `"id":"c1.n1"`, "c1.n1 awaiting_user_response"},
		{"GET", "/conversations", "", 200, `"parent":"c1"`, ""},
		{"POST", "/conversations/c1.n1/cancel", `{"reason":"no longer"}`, 200, `"id":"c1.n1"`, "c1.n1 idle"},
		{"POST", "/conversations", `{"text":"Fail"}`, 201, `"id":"n2"`, "n2 failed"},
		{"GET", "/conversations/n2", "", 200, `"error":"`, ""},
		{"POST", "/conversations/n2/retry", "", 200, `"id":"n2"`, "n2 failed"},
		{"POST", "/conversations/n2/end", `{"reason":"enough"}`, 200, `"state":"ended"`, "n2 ended"},
		{"POST", "/conversations/n2/messages", `{"text":"x"}`, 409, `not waiting for a message`, ""},
		{"DELETE", "/conversations/c1", "", 200, `{"purged":["c1.n1","c1"]}`, ""},
		{"DELETE", "/conversations/c1", "", 404, `no such conversation`, ""},
		{"POST", "/conversations", `{"conversation":"c3","text":"Set up a service"}`, 201, `"id":"c3"`, "c3 awaiting_user_response"},
		{"DELETE", "/conversations/c3?force=true", "", 200, `{"purged":["c3"]}`, ""},
		{"GET", "/v1/asks", "", 200, `"tickets":[]`, ""},
		{"GET", "/conversations", "", 200, `{"conversations":[{"id":"n2"`, ""},
	} {
		resp := w.want(c.method, c.path, c.body, c.status, c.words)
		if where := resp.Header.Get("Location"); (c.status == 201) != strings.HasPrefix(where, "/conversations/") {
			t.Errorf("%s %s: location %q", c.method, c.path, where)
		}
		if id, state, ok := strings.Cut(c.rest, " "); ok {
			w.rest(id, state)
		}
	}
	w.model.WantResults(t, `{"answers":{"Which database?":"SQLite"}}`)
}

// What is wrong with a request is told as a problem, and nothing has happened.
func TestErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, service(), nil)
	w.want("POST", "/conversations", `{"conversation":"c1","id":"m1","text":"Set up a service"}`, 201)
	w.rest("c1", "awaiting_user_response")
	for _, c := range []struct {
		method, path, body string
		status             int
		words              string
	}{
		{"POST", "/conversations", ``, 400, ""},
		{"POST", "/conversations", `{`, 400, ""},
		{"POST", "/conversations", `{"text":"a","text":"b"}`, 400, ""},
		{"POST", "/conversations", `{"text":1}`, 422, "wrong type"},
		{"POST", "/conversations", `{"text":" "}`, 422, "say something"},
		{"POST", "/conversations", `{"conversation":"a~b","text":"x"}`, 422, "no name for a conversation"},
		{"POST", "/conversations", `{"text":"` + strings.Repeat("x", 1<<20) + `"}`, 413, "the body is too large"},
		{"POST", "/conversations", `{"text":"` + strings.Repeat("x", journal.MaxRecord) + `"}`, 413, "too large to be kept"},
		{"POST", "/conversations/c1/messages", `{"text":""}`, 422, "say something"},
		{"POST", "/conversations/c1/branch", ``, 400, ""},
		{"POST", "/conversations/c1/branch", `{"question":2}`, 422, "the conversation has asked 1"},
		{"POST", "/conversations/c1/branch", `{"question":"1"}`, 422, "wrong type"},
		{"POST", "/conversations/c1/cancel", `{"reason":1}`, 422, "wrong type"},
		{"POST", "/conversations/c1/respond", `{"answers":{"Nonsense?":"x"}}`, 422, ""},
		{"DELETE", "/conversations/c1?force=maybe", ``, 422, "force"},
		{"GET", "/conversations/nobody", ``, 404, "no such conversation"},
		{"GET", "/conversations/nobody/questions", ``, 404, "no such conversation"},
		{"GET", "/conversations/nobody/events", ``, 404, "no such conversation"},
		{"POST", "/conversations/nobody/messages", `{"text":"x"}`, 404, "no such conversation"},
		{"POST", "/conversations/nobody/cancel", ``, 404, "no such conversation"},
		{"POST", "/conversations/nobody/retry", ``, 404, "no such conversation"},
		{"POST", "/conversations/nobody/compact", ``, 404, "no such conversation"},
		{"POST", "/conversations/nobody/branch", `{"question":1}`, 404, "no such conversation"},
		{"POST", "/conversations/nobody/end", ``, 404, "no such conversation"},
		{"POST", "/conversations/nobody/respond", `{"answers":{}}`, 400, ""},
		{"DELETE", "/conversations/nobody", ``, 404, "no such conversation"},
		{"GET", "/nonsense", ``, 404, ""},
	} {
		w.want(c.method, c.path, c.body, c.status, c.words, fmt.Sprintf(`"status":%d`, c.status))
	}
	w.want("GET", "/conversations", "", 200, `{"conversations":[{"id":"c1","state":"awaiting_user_response"`)
	w.host.Stop()
	w.want("POST", "/conversations/c1/messages", `{"text":"x"}`, 503, "cannot be reached just now")
}

// What another host works on is not this one's.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, modeltest.Steps(modeltest.Use("gate", nil), modeltest.Say("done")), nil)
	entered := make(chan struct{})
	b := w.open("b", agent.Tool{Name: "gate", Run: func(ctx context.Context, _ agent.Call) (agent.Result, error) {
		close(entered)
		<-ctx.Done()
		return agent.Result{}, ctx.Err()
	}})
	if err := b.Send(w.ctx, "c1", "m1", "Go"); err != nil {
		t.Fatal(err)
	}
	<-entered
	w.want("POST", "/conversations/c1/cancel", "", 409, "another host")
	w.want("DELETE", "/conversations/c1?force=true", "", 409, "another host")
	w.want("GET", "/conversations/c1", "", 200, `"state":"tool_executing","working":true`)
}

// No path is without the key, and none says more than that.
func TestKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, service(), nil)
	for _, path := range []string{
		"/", "/conversations", "/conversations/c1", "/conversations/c1/events", "/conversations/c1/questions", "/v1/asks", "/nonsense",
	} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			resp := w.request(method, path, `{"text":"x"}`, "Authorization", "Bearer wrong")
			if resp.StatusCode != 401 || resp.Header.Get("WWW-Authenticate") != "Bearer" || resp.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s %s: %s, %v", method, path, resp.Status, resp.Header)
			}
		}
	}
	w.want("GET", "/conversations", "", 200, `{"conversations":[]}`)
}

// Where the hub is elsewhere, answers are given there.
func TestHubElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, service(), func(o *convapi.Options) { o.Hub = nil })
	w.want("POST", "/conversations", `{"conversation":"c1","text":"Go"}`, 201)
	w.rest("c1", "awaiting_user_response")
	for _, path := range []string{"/conversations/c1/respond", "/v1/asks"} {
		w.want("POST", path, `{"answers":{}}`, http.StatusNotFound, "questions wait at the hub")
	}
}
