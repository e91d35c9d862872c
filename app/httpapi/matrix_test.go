package httpapi

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
)

// cell prepares a request to a route: bot has asked, and ada may answer.
type cell struct {
	roles   string // who may use the route, said a second time by hand
	prepare func(t *testing.T, w *world) (path, body string)
	foreign int  // what another tenant's holder of the right role gets
	alien   int  // what the same tenant's other holder of the right role gets; 0: a success
	shared  bool // the other answerer may do it as well
	stream  bool // never ends by itself
}

const canary = "CANARY-7f3a"

// one asks something secret and returns its ticket.
func one(t *testing.T, w *world) api.Ticket {
	return w.ask(t, newID(), func(a *sayso.Ask) { a.Questions[0].Text, a.To = canary, []string{"ada"} })
}

func closed(t *testing.T, w *world) api.Ticket {
	tk := one(t, w)
	return must[api.Ticket](t, w, "ada", "PUT", "/v1/asks/"+tk.ID+"/answer", answerBody(tk, "pg"))
}

func at(path string, body func(api.Ticket) string, make func(*testing.T, *world) api.Ticket) func(*testing.T, *world) (string, string) {
	return func(t *testing.T, w *world) (string, string) {
		tk := make(t, w)
		return strings.ReplaceAll(path, "{id}", tk.ID), body(tk)
	}
}

func fixed(path, body string) func(*testing.T, *world) (string, string) {
	return func(t *testing.T, w *world) (string, string) { one(t, w); return path, body }
}

// inConversation asks in a conversation of its own; {ask} in the body names the ask.
func inConversation(path, body string) func(*testing.T, *world) (string, string) {
	return func(t *testing.T, w *world) (string, string) {
		id := newID()
		tk := w.ask(t, id, func(a *sayso.Ask) { a.Questions[0].Text, a.To, a.Origin.Conversation = canary, []string{"ada"}, id })
		return strings.ReplaceAll(path, "{id}", id), strings.ReplaceAll(body, "{ask}", tk.ID)
	}
}

// toAnybody asks what every answerer of the tenant may answer.
func toAnybody(t *testing.T, w *world) api.Ticket {
	return w.ask(t, newID())
}

// cells has an entry for every route. A new route fails the test until it has one.
func cells() map[string]cell {
	noBody := func(api.Ticket) string { return "" }
	pg := func(tk api.Ticket) string { return answerBody(tk, "pg") }
	digest := func(tk api.Ticket) string { return `{"digest":"` + tk.Digest + `"}` }
	readers := "asker+answerer+observer"
	return map[string]cell{
		"submitAsk":              {roles: "asker", prepare: fixed("/v1/asks", `{"questions":[{"text":"Which?"}]}`), foreign: 201},
		"listAsks":               {roles: readers, prepare: fixed("/v1/asks", ""), foreign: 200},
		"getAsk":                 {roles: readers, prepare: at("/v1/asks/{id}", noBody, one), foreign: 404, alien: 404},
		"answerAsk":              {roles: "answerer", prepare: at("/v1/asks/{id}/answer", pg, one), foreign: 404, alien: 404},
		"declineAsk":             {roles: "answerer", prepare: at("/v1/asks/{id}/decline", digest, one), foreign: 404, alien: 404},
		"relayAnswer":            {roles: "asker+answerer", prepare: at("/v1/asks/{id}/relay", pg, toAnybody), foreign: 404, alien: 404, shared: true},
		"withdrawAsk":            {roles: "asker", prepare: at("/v1/asks/{id}/withdraw", noBody, one), foreign: 404, alien: 404},
		"getDraft":               {roles: "answerer", prepare: at("/v1/asks/{id}/draft", noBody, drafted), foreign: 404, alien: 404},
		"saveDraft":              {roles: "answerer", prepare: at("/v1/asks/{id}/draft", func(api.Ticket) string { return `{"reply":"x"}` }, one), foreign: 404, alien: 404},
		"attendAsk":              {roles: "answerer", prepare: at("/v1/asks/{id}/attend", noBody, one), foreign: 404, alien: 404},
		"putContent":             {roles: "asker", prepare: fixed("/v1/content/"+strings.Repeat("a", 64)+"/0", `{"text":"`+canary+`"}`), foreign: 204},
		"getContent":             {roles: "asker+answerer", prepare: largeApproval, foreign: 404, alien: 404},
		"consumeAsk":             {roles: "asker", prepare: at("/v1/asks/{id}/consumed", noBody, closed), foreign: 404, alien: 404},
		"undoAnswer":             {roles: "answerer", prepare: at("/v1/asks/{id}/undo", noBody, closed), foreign: 404, alien: 404},
		"amendAnswer":            {roles: "answerer", prepare: at("/v1/asks/{id}/amend", pg, closed), foreign: 404, alien: 404},
		"watchEvents":            {roles: readers, prepare: fixed("/v1/events", ""), foreign: 200, stream: true},
		"watchConversation":      {roles: readers, prepare: fixed("/v1/conversations/c1/events", ""), foreign: 200, stream: true},
		"callTool":               {roles: "asker", prepare: fixed("/v1/dialects/claude/call?wait=1ms", `{"id":"t1","arguments":{"questions":[{"question":"Which?","header":"W","options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]}]}}`), foreign: 202},
		"getTool":                {roles: "asker+answerer+observer+admin", prepare: fixed("/v1/dialects/claude", ""), foreign: 200},
		"respondInConversation":  {roles: "answerer", prepare: inConversation("/conversations/{id}/respond", `{"ask":"{ask}","answers":{"`+canary+`":"PostgreSQL"}}`), foreign: 400, alien: 400},
		"cancelInConversation":   {roles: "answerer", prepare: inConversation("/conversations/{id}/cancel", ""), foreign: 400, alien: 400},
		"watchConversationState": {roles: "answerer", prepare: fixed("/conversations/c1/events", ""), foreign: 200, stream: true},
		"listRules":              {roles: "answerer+admin", prepare: fixed("/v1/rules", ""), foreign: 200},
		"addRule":                {roles: "answerer", prepare: allowed, foreign: 404, alien: 404},
		"addRequirement":         {roles: "admin", prepare: fixed("/v1/rules/require", `{"act":"require","pattern":{"tool":"Deploy"},"people":["ada"]}`), foreign: 201},
		"rehearseRule":           {roles: "answerer", prepare: fixed("/v1/rules/rehearse", `{"act":"deny","pattern":{"tool":"Bash"}}`), foreign: 200},
		"revokeRule":             {roles: "answerer+admin", prepare: aRule, foreign: 404, alien: 404},
		"explainRules":           {roles: "answerer", prepare: at("/v1/asks/{id}/rules", noBody, one), foreign: 404, alien: 404},
		"listSessions":           {roles: "answerer", prepare: func(t *testing.T, w *world) (string, string) { w.signIn(t); return "/v1/sessions", "" }, foreign: 200},
		"endSession":             {roles: "answerer", prepare: func(t *testing.T, w *world) (string, string) { return "/v1/sessions/" + w.signIn(t) + "/end", "" }, foreign: 404, alien: 404},
		"searchAsks":             {roles: "answerer", prepare: fixed("/v1/search?facets=1&view=all&text="+canary, ""), foreign: 200},
		"snoozeAsk":              {roles: "answerer", prepare: at("/v1/asks/{id}/snooze", func(api.Ticket) string { return `{"back":true}` }, one), foreign: 404, alien: 404},
		"endSnooze":              {roles: "answerer", prepare: at("/v1/asks/{id}/snooze", noBody, one), foreign: 404, alien: 404},
		"delegateAsk":            {roles: "answerer", prepare: at("/v1/asks/{id}/delegate", func(api.Ticket) string { return `{"to":"eve"}` }, one), foreign: 404, alien: 404},
		"repeatAsk":              {roles: "answerer", prepare: at("/v1/asks/{id}/again", noBody, closed), foreign: 404, alien: 404},
		"listPeople":             {roles: "answerer", prepare: fixed("/v1/people", ""), foreign: 200},
		"noteActivity":           {roles: "answerer", prepare: fixed("/v1/active", ""), foreign: 204},
		"getPreferences":         {roles: "answerer", prepare: preferring, foreign: 200},
		"savePreferences":        {roles: "answerer", prepare: fixed("/v1/preferences", `{"grace":5}`), foreign: 204},
		"listPrecedents":         {roles: "answerer", prepare: at("/v1/asks/{id}/precedents", noBody, askedBefore), foreign: 404, alien: 404},
		"listDecisions": {roles: "asker+answerer", prepare: func(t *testing.T, w *world) (string, string) {
			askedBefore(t, w)
			return "/v1/decisions?workspace=shop", ""
		}, foreign: 200},
		"getDescription":  {roles: "public", prepare: fixed("/openapi.json", ""), foreign: 200},
		"takeLateResults": {roles: "asker", prepare: inConversation("/v1/conversations/{id}/late", ""), foreign: 200},
		"listTools":       {roles: "asker+answerer+observer+admin", prepare: fixed("/v1/dialects", ""), foreign: 200},
		"getMe":           {roles: "asker+answerer+observer+admin", prepare: fixed("/v1/me", ""), foreign: 200},
		"getMetrics":      {roles: "observer+admin", prepare: fixed("/metrics", ""), foreign: 200},
		"getHealth":       {roles: "public", prepare: fixed("/healthz", ""), foreign: 200},
		"getReadiness":    {roles: "public", prepare: fixed("/readyz", ""), foreign: 200},
	}
}

// signIn signs ada in on a device with a telling name, and returns the session.
func (w *world) signIn(t *testing.T) string {
	_, n, err := w.opts.Sessions.(*auth.Sessions).Begin(t.Context(), &auth.Principal{Tenant: "acme", ID: "ada"}, canary)
	if err != nil {
		t.Fatal(err)
	}
	return n.ID
}

func preferring(t *testing.T, w *world) (string, string) {
	must[struct{}](t, w, "ada", "PUT", "/v1/preferences", `{"language":"`+canary+`"}`)
	return "/v1/preferences", ""
}

// askedBefore answers something secret in a workspace, and asks it again.
func askedBefore(t *testing.T, w *world) api.Ticket {
	secret := func(a *sayso.Ask) {
		a.Questions[0].Text, a.To, a.Origin.Workspace = canary, []string{"ada"}, "shop"
	}
	tk := w.ask(t, newID(), secret)
	must[api.Ticket](t, w, "ada", "PUT", "/v1/asks/"+tk.ID+"/answer", answerBody(tk, "pg"))
	return w.ask(t, newID(), secret)
}

func drafted(t *testing.T, w *world) api.Ticket {
	tk := one(t, w)
	must[struct{}](t, w, "ada", "PUT", "/v1/asks/"+tk.ID+"/draft", `{"reply":"`+canary+`"}`)
	return tk
}

// Every route against every credential: S07, S08, S23.
func TestMatrix(t *testing.T) {
	w := newWorld(t, &Options{Quota: Quota{Open: -1, Rate: -1}})
	w.key["garbage"] = "sayso_answerer_abc_def"
	w.key["foreign"] = "ghp_somebodyelses"
	for _, role := range []string{"asker", "answerer", "observer", "admin"} {
		w.key["expired "+role] = w.made(t, role, true, false)
		w.key["revoked "+role] = w.made(t, role, false, true)
	}
	holders := []struct{ name, role, of string }{
		{"nobody", "", "none"}, {"garbage", "", "none"}, {"foreign", "", "none"},
		{"expired asker", "", "none"}, {"expired answerer", "", "none"}, {"expired observer", "", "none"}, {"expired admin", "", "none"},
		{"revoked asker", "", "none"}, {"revoked answerer", "", "none"}, {"revoked observer", "", "none"}, {"revoked admin", "", "none"},
		{"bot", "asker", "own"}, {"bot2", "asker", "alien"}, {"ada", "answerer", "own"}, {"bob", "answerer", "alien"},
		{"eye", "observer", "own"}, {"root", "admin", "own"},
		{"spybot", "asker", "foreign"}, {"spyada", "answerer", "foreign"}, {"spyeye", "observer", "foreign"}, {"spyroot", "admin", "foreign"},
	}
	cells := cells()
	tried := 0
	for _, rt := range routes() {
		c, ok := cells[rt.id]
		if !ok {
			t.Errorf("%s %s (%s) is not in the matrix", rt.method, rt.path, rt.id)
			continue
		}
		delete(cells, rt.id)
		for _, h := range holders {
			tried++
			path, body := c.prepare(t, w)
			rec := w.cell(h.name, rt.method, path, body, c.stream)
			want := 0 // a success
			switch {
			case c.roles == "public":
			case h.of == "none":
				want = 401
			case !strings.Contains("+"+c.roles+"+", "+"+h.role+"+"):
				want = 403
			case h.of == "foreign":
				want = c.foreign
			case h.of == "alien" && c.shared && h.role == "answerer":
			case h.of == "alien":
				want = c.alien
			}
			success := rec.Code >= 200 && rec.Code < 300
			if want == 0 && !success || want != 0 && rec.Code != want {
				t.Errorf("%s %s by %s: %d, want %d (0: a success): %s", rt.method, rt.path, h.name, rec.Code, want, rec.Body)
			}
			mayRead := h.name == "bot" || h.name == "ada"
			if !mayRead && strings.Contains(rec.Body.String(), canary) {
				t.Errorf("%s %s tells %s what was asked: %s", rt.method, rt.path, h.name, rec.Body)
			}
		}
	}
	for id := range cells {
		t.Errorf("the matrix has %s, which is no route", id)
	}
	t.Logf("%d cells", tried)
}

// cell makes a request; a stream is cut when it has said something.
func (w *world) cell(who, method, path, body string, stream bool) *httptest.ResponseRecorder {
	if !stream {
		return w.do(who, method, path, body)
	}
	req := w.request(who, method, path, body)
	ctx, cancel := context.WithTimeout(req.Context(), soon)
	defer cancel()
	rec := httptest.NewRecorder()
	w.ServeHTTP(&cut{rec, cancel}, req.WithContext(ctx))
	return rec
}

// cut is a client that hangs up as soon as it is told something.
type cut struct {
	*httptest.ResponseRecorder
	hangUp func()
}

func (c *cut) Flush() {
	c.ResponseRecorder.Flush()
	c.hangUp()
}

// made returns a key that is expired or revoked.
func (w *world) made(t *testing.T, role string, expired, revoked bool) string {
	r, err := auth.ParseRole(role)
	if err != nil {
		t.Fatal(err)
	}
	spec := auth.KeySpec{Role: r, Tenant: "acme", Subject: map[string]string{"asker": "bot", "answerer": "ada"}[role]}
	if expired {
		spec.TTL = time.Nanosecond // over when it is made
	}
	secret, key, err := w.keys.Create(t.Context(), spec)
	if err == nil && revoked {
		_, err = w.keys.Revoke(t.Context(), key.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// A route that nobody made a rule for is not served.
func TestRouteWithoutRule(t *testing.T) {
	w := newWorld(t, nil)
	table := append(routes(), route{method: "GET", path: "/v1/new", id: "new", summary: "New", serve: (*Server).healthz})
	_, err := build(w.hub, &Options{Auth: w.keys}, table)
	if err == nil || !strings.Contains(err.Error(), "GET /v1/new has no rule") {
		t.Errorf("the server was built: %v", err)
	}
	if _, err := New(w.hub, nil); err == nil {
		t.Error("a server was built that knows nobody")
	}
}

// The matrix must notice a rule that is too wide: here askers may answer.
func TestMatrixCanFail(t *testing.T) {
	w := newWorld(t, nil)
	table := routes()
	for i := range table {
		if table[i].id == "declineAsk" {
			table[i].rule = may(auth.Asker | auth.Answerer)
		}
	}
	s, err := build(w.hub, &Options{Auth: w.keys}, table)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tk := w.ask(t, "a1")
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, w.request("bot", "POST", "/v1/asks/"+tk.ID+"/decline", `{"digest":"`+tk.Digest+`"}`))
	if rec.Code == http.StatusForbidden {
		t.Error("the rule does not matter")
	}
	// And what an asker's credential cannot do even then: be a person.
	if rec.Code == http.StatusOK {
		t.Error("an asker answered itself")
	}
}

// Requests that have no route tell nobody which routes there are.
func TestNoRoute(t *testing.T) {
	w := newWorld(t, nil)
	for _, c := range []struct {
		who, method, path string
		want              int
		allow             string
	}{
		{"nobody", "GET", "/nowhere", 401, ""},
		{"nobody", "DELETE", "/v1/asks", 401, ""},
		{"root", "GET", "/nowhere", 404, ""},
		{"root", "DELETE", "/v1/asks", 405, "GET,POST"},
		{"root", "OPTIONS", "/v1/asks/x/answer", 405, "PUT"},
		{"root", "TRACE", "/healthz", 405, "GET"},
	} {
		rec := w.do(c.who, c.method, c.path, "")
		if allow := strings.Join(rec.Header().Values("Allow"), ","); rec.Code != c.want || allow != c.allow {
			t.Errorf("%s %s by %s: %d, allow %q", c.method, c.path, c.who, rec.Code, allow)
		}
		if ct := rec.Header().Get("Content-Type"); ct != "application/problem+json" {
			t.Errorf("%s %s: %s", c.method, c.path, ct)
		}
	}
}

// newID returns an id that no other ask has.
func newID() string { return "ask_" + strings.ToLower(rand.Text()) }
