package httpapi

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/rules"
	"github.com/saysohq/sayso/hub"
)

// shell is an approval of a command, to ada.
func shell(t *testing.T, command string) *sayso.Ask {
	t.Helper()
	input, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	p := sayso.NewApproval(sayso.ApproveShell, "Bash", input, &sayso.ApprovalOptions{Command: "command"})
	p.Offers = []sayso.Offer{{ID: "once", Act: sayso.ActAllow}, {ID: "deny", Act: sayso.ActDeny, Message: true}}
	a := &sayso.Ask{Approval: p, Origin: sayso.Origin{Host: "claude-code", Conversation: "s1"}, To: []string{"ada"}}
	a.Normalize()
	a.ID = newID()
	return a
}

func sendAsk(t *testing.T, w *world, a *sayso.Ask) api.Ticket {
	t.Helper()
	body, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return must[api.Ticket](t, w, "bot", "POST", "/v1/asks", string(body))
}

// decide says what ada says to an approval.
func decide(t *testing.T, w *world, tk api.Ticket, offer string) {
	t.Helper()
	must[api.Ticket](t, w, "ada", "PUT", "/v1/asks/"+tk.ID+"/answer", `{"digest":"`+tk.Digest+`","answers":[{"questionId":"verdict","selected":["`+offer+`"]}]}`)
}

// allowed is for the matrix: a rule from what ada allowed.
func allowed(t *testing.T, w *world) (path, body string) {
	tk := sendAsk(t, w, shell(t, "echo "+canary))
	decide(t, w, tk, "once")
	return "/v1/rules", `{"act":"allow","ask":"` + tk.ID + `","count":1}`
}

// aRule is for the matrix: a rule of ada.
func aRule(t *testing.T, w *world) (path, body string) {
	w.opts.Rules.Reset(t.Context(), "acme") // there are as many as cells
	_, body = allowed(t, w)
	return "/v1/rules/" + must[hub.Rule](t, w, "ada", "POST", "/v1/rules", body).ID + "/revoke", ""
}

// ruledWorld is one whose rules decide.
func ruledWorld(t *testing.T) *world {
	store := hub.NewMemory(nil)
	r := rules.New(store, nil)
	return newWorldOver(t, store, &hub.Options{Decide: r.Decide}, &Options{Rules: r})
}

// TestRules makes, uses, explains and revokes rules over HTTP.
func TestRules(t *testing.T) {
	w := ruledWorld(t)
	tk := sendAsk(t, w, shell(t, "npm test"))
	if tk.Outcome != nil {
		t.Fatal("it is decided without a rule")
	}
	no := w.do("ada", "POST", "/v1/rules", `{"act":"allow","ask":"`+tk.ID+`","count":1}`)
	if no.Code != http.StatusUnprocessableEntity || !strings.Contains(no.Body.String(), "is open") {
		t.Errorf("a rule of what is open: %d %s", no.Code, no.Body)
	}
	decide(t, w, tk, "once")
	denied := sendAsk(t, w, shell(t, "rm -rf build"))
	decide(t, w, denied, "deny")
	allow := `{"act":"allow","ask":"` + tk.ID + `","count":1}`
	h := must[api.Rehearsal](t, w, "ada", "POST", "/v1/rules/rehearse", allow)
	if h.Would != 1 || h.Of != 2 || len(h.Other) != 0 {
		t.Errorf("the rehearsal: %+v", h)
	}
	if list := must[api.RuleList](t, w, "ada", "GET", "/v1/rules", ""); len(list.Rules) != 0 {
		t.Errorf("the rehearsal saved a rule: %+v", list)
	}
	rule := must[hub.Rule](t, w, "ada", "POST", "/v1/rules", allow)

	got := sendAsk(t, w, shell(t, "npm test"))
	if got.Outcome == nil || got.Outcome.By.Kind != sayso.ByPolicy || got.Outcome.By.ID != rule.ID || !got.Ask.Verdict(got.Outcome).Allowed() {
		t.Fatalf("the rule does not decide: %+v", got.Outcome)
	}
	if e := must[api.Explanation](t, w, "ada", "GET", "/v1/asks/"+got.ID+"/rules", ""); e.Rule == nil || e.Rule.ID != rule.ID {
		t.Errorf("the explanation: %+v", e)
	}
	if got = sendAsk(t, w, shell(t, "npm test")); got.Outcome != nil {
		t.Errorf("a rule that was used up decides: %+v", got.Outcome)
	}
	e := must[api.Explanation](t, w, "ada", "GET", "/v1/asks/"+got.ID+"/rules", "")
	if e.Rule != nil || len(e.Near) != 1 || !strings.Contains(strings.Join(e.Near[0].Why, " "), "used 1 times") {
		t.Errorf("the explanation: %+v", e)
	}

	// bob does not see what ada lets run, and cannot end it; everybody sees what is denied.
	deny := must[hub.Rule](t, w, "bob", "POST", "/v1/rules", `{"act":"deny","pattern":{"contains":"rm -rf"},"message":"no"}`)
	if list := must[api.RuleList](t, w, "bob", "GET", "/v1/rules", ""); len(list.Rules) != 1 || list.Rules[0].ID != deny.ID {
		t.Errorf("bob sees %+v", list)
	}
	if list := must[api.RuleList](t, w, "ada", "GET", "/v1/rules", ""); len(list.Rules) != 2 {
		t.Errorf("ada sees %+v", list)
	}
	if rec := w.do("ada", "POST", "/v1/rules/"+deny.ID+"/revoke", ""); rec.Code != http.StatusNotFound {
		t.Errorf("ada ends a rule of bob: %d", rec.Code)
	}
	if got = sendAsk(t, w, shell(t, "rm -rf build")); got.Outcome != nil {
		t.Errorf("bob denies what only ada may answer: %+v", got.Outcome)
	}
	shared := shell(t, "rm -rf build")
	shared.To = nil
	if got = sendAsk(t, w, shared); got.Outcome == nil || got.Ask.Verdict(got.Outcome).Message != "no" {
		t.Errorf("bob's rule does not deny: %+v", got.Outcome)
	}
	must[api.RuleList](t, w, "root", "POST", "/v1/rules/"+deny.ID+"/revoke", "")
	shared = shell(t, "rm -rf build")
	shared.To = nil
	if got = sendAsk(t, w, shared); got.Outcome != nil {
		t.Errorf("a rule that was revoked decides: %+v", got.Outcome)
	}

	// Who has to answer is for an admin to say. A resend is the same ask.
	require := `{"act":"require","pattern":{"contains":"deploy"},"people":["ada"]}`
	if rec := w.do("ada", "POST", "/v1/rules", require); rec.Code != http.StatusUnprocessableEntity {
		t.Errorf("ada requires: %d %s", rec.Code, rec.Body)
	}
	must[hub.Rule](t, w, "root", "POST", "/v1/rules/require", require)
	deploy := shell(t, "deploy")
	deploy.To = nil
	body, err := json.Marshal(deploy)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		rec := w.do("bot", "POST", "/v1/asks", string(body), "Idempotency-Key", "k1")
		if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil || rec.Code >= 300 || strings.Join(got.Ask.To, " ") != "ada" {
			t.Fatalf("%d %s", rec.Code, rec.Body)
		}
	}
	if rec := w.do("bob", "GET", "/v1/asks/"+got.ID, ""); rec.Code != http.StatusNotFound {
		t.Errorf("bob sees what ada has to answer: %d", rec.Code)
	}

	// A second try of a request makes no second rule.
	for range 2 {
		if rec := w.do("ada", "POST", "/v1/rules", `{"act":"deny","pattern":{"tool":"x"}}`, "Idempotency-Key", "k2"); rec.Code != http.StatusCreated {
			t.Errorf("%d %s", rec.Code, rec.Body)
		}
	}
	if list := must[api.RuleList](t, w, "ada", "GET", "/v1/rules", ""); len(list.Rules) != 4 {
		t.Errorf("ada sees %d rules: %+v", len(list.Rules), list)
	}
	for name, body := range map[string]string{
		"a pattern that allows": `{"act":"allow","pattern":{"tool":"Bash"},"count":1}`,
		"no end":                `{"act":"allow","ask":"` + tk.ID + `"}`,
		"a denied one":          `{"act":"allow","ask":"` + denied.ID + `","count":1}`,
		"everything":            `{"act":"deny","pattern":{}}`,
		"a bad expression":      `{"act":"deny","pattern":{"regexp":"("}}`,
		"31 days":               `{"act":"allow","ask":"` + tk.ID + `","seconds":2678400}`,
	} {
		if rec := w.do("ada", "POST", "/v1/rules", body); rec.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", name, rec.Code, rec.Body)
		}
	}
	must[api.RuleList](t, w, "ada", "POST", "/v1/rules/all/revoke", "")
	for _, r := range must[api.RuleList](t, w, "ada", "GET", "/v1/rules", "").Rules {
		if r.By == "ada" && r.Revoked.IsZero() {
			t.Errorf("%s is not revoked", r.ID)
		}
	}
}

// Nobody can pass for a rule.
func TestByPolicy(t *testing.T) {
	w := ruledWorld(t)
	for _, route := range []string{"PUT answer", "POST relay"} {
		method, what, _ := strings.Cut(route, " ")
		a := shell(t, "npm test")
		a.To = nil
		tk := sendAsk(t, w, a)
		body := `{"digest":"` + tk.Digest + `","answers":[{"questionId":"verdict","selected":["once"]}],"surface":"rules"`
		if rec := w.do("ada", method, "/v1/asks/"+tk.ID+"/"+what, body+`,"by":{"kind":"policy","id":"rule_1"}}`); rec.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s takes who decided: %d %s", route, rec.Code, rec.Body)
		}
		got := must[api.Ticket](t, w, "ada", method, "/v1/asks/"+tk.ID+"/"+what, body+"}")
		if id, ok := rules.ByRule(got.Outcome); ok {
			t.Errorf("%s passes for rule %s", route, id)
		}
	}
	a := shell(t, "npm test")
	sent, err := json.Marshal(map[string]any{"approval": a.Approval, "outcome": map[string]any{"status": "answered"}})
	if err != nil {
		t.Fatal(err)
	}
	if rec := w.do("bot", "POST", "/v1/asks", string(sent)); rec.Code < 400 {
		t.Errorf("an ask comes with its outcome: %d", rec.Code)
	}
}
