package web_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// wants is an ask for permission with the offers of Claude Code.
func wants(p *sayso.Approval) *sayso.Ask {
	p.Cwd, p.Offers = "/home/ann", []sayso.Offer{
		{ID: "once", Act: sayso.ActAllow, Edit: true},
		{ID: "local", Act: sayso.ActAllow, Scope: sayso.ScopeAlways, Rule: "Bash(npm run *)", Where: ".claude/settings.local.json"},
		{ID: "deny", Act: sayso.ActDeny, Message: true},
	}
	return &sayso.Ask{Approval: p, Origin: sayso.Origin{Host: "claude-code"}}
}

func command(s string) *sayso.Ask {
	input, _ := json.Marshal(map[string]any{"command": s, "timeout": 5000})
	return wants(sayso.NewApproval(sayso.ApproveShell, "Bash", input, &sayso.ApprovalOptions{Command: "command"}))
}

// newFile writes a file of so many lines.
func newFile(lines int) *sayso.Ask {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "line %d of the new file\n", i+1)
	}
	text := b.String()
	return wants(sayso.NewApproval(sayso.ApproveEdit, "Write", []byte(`{}`), &sayso.ApprovalOptions{Files: []sayso.FileChange{sayso.NewFileChange("big.txt", nil, &text)}}))
}

func (w *world) verdict(t *hub.Ticket) *sayso.Verdict { return t.Ask.Verdict(w.outcome(t)) }

// TestVerdict sends forms as a browser without our pages could.
func TestVerdict(t *testing.T) {
	for name, c := range map[string]struct {
		ask    *sayso.Ask
		form   []string
		code   int
		offer  string // "": nothing is decided
		words  string // the message
		says   string
		input  string // the changed command
		unseen bool
	}{
		"allow":                     {ask: command("npm test"), form: []string{"q0", "option:once"}, code: 303, offer: "once"},
		"a rule":                    {ask: command("npm test"), form: []string{"q0", "option:local"}, code: 303, offer: "local"},
		"deny":                      {ask: command("npm test"), form: []string{"q0", "option:deny"}, code: 303, offer: "deny"},
		"deny with words":           {ask: command("npm test"), form: []string{"q0", "option:deny", "t0", "use\r\npnpm"}, code: 303, offer: "deny", words: "use\npnpm"},
		"words":                     {ask: command("npm test"), form: []string{"t0", "yes please"}, code: 303, offer: "deny", words: "yes please"},
		"words that name a choice":  {ask: command("npm test"), form: []string{"t0", "allow"}, code: 422, says: "name one of the choices"},
		"allow with words":          {ask: command("npm test"), form: []string{"q0", "option:once", "t0", "but not twice"}, code: 422, says: "takes none"},
		"nothing":                   {ask: command("npm test"), code: 422, says: "choose one of the decisions"},
		"unchanged":                 {ask: command("npm\ntest"), form: []string{"q0", "option:once", "e0", "npm\r\ntest"}, code: 303, offer: "once"},
		"changed":                   {ask: command("npm test"), form: []string{"q0", "option:once", "e0", "npm run <b>"}, code: 303, offer: "once", input: "npm run <b>"},
		"changed, with a rule":      {ask: command("npm test"), form: []string{"q0", "option:local", "e0", "npm run x"}, code: 422, says: "changes the input"},
		"changed, and denied":       {ask: command("npm test"), form: []string{"q0", "option:deny", "e0", "npm run x"}, code: 303, offer: "deny"},
		"changed to nothing":        {ask: command("npm test"), form: []string{"q0", "option:once", "e0", " "}, code: 303, offer: "once"},
		"no JSON":                   {ask: wants(sayso.NewApproval(sayso.ApproveMCP, "mcp__a__b", []byte(`{"a":1}`), nil)), form: []string{"q0", "option:once", "e0", "{"}, code: 422, says: "not valid JSON"},
		"large, not opened":         {ask: newFile(9000), form: []string{"q0", "option:once"}, code: 422, says: "were not opened"},
		"large, a made-up proof":    {ask: newFile(9000), form: []string{"q0", "option:once", "opened", strings.Repeat("0", 32)}, code: 422, says: "were not opened"},
		"large, unseen":             {ask: newFile(9000), form: []string{"q0", "option:allow_unseen"}, code: 422, says: "This is dangerous"},
		"large, unseen, sure":       {ask: newFile(9000), form: []string{"q0", "option:allow_unseen", "do", `send ["verdict" "allow_unseen"]`}, code: 303, offer: "once", unseen: true},
		"large, denied":             {ask: newFile(9000), form: []string{"q0", "option:deny"}, code: 303, offer: "deny"},
		"nothing is there to unsee": {ask: command("npm test"), form: []string{"q0", "option:allow_unseen"}, code: 422, says: "choose one of the decisions"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			ticket, page := w.ask(c.ask)
			r := w.post(w.c, page, form(ticket.Digest, c.form...))
			if r.code != c.code || !strings.Contains(html.UnescapeString(r.body), c.says) {
				t.Errorf("%d, want %d and %q: %s", r.code, c.code, c.says, r.body)
			}
			v := w.verdict(ticket)
			if c.offer == "" {
				if v != nil || w.outcome(ticket) != nil {
					t.Fatalf("decided %+v", v)
				}
				return
			}
			if v == nil || v.Offer.ID != c.offer || v.Message != c.words || v.Unseen > 0 != c.unseen {
				t.Fatalf("decided %+v, want %q %q", v, c.offer, c.words)
			}
			var input struct{ Command string }
			if v.Input != "" && json.Unmarshal([]byte(v.Input), &input) != nil || input.Command != c.input {
				t.Errorf("the changed input is %q, want %q", v.Input, c.input)
			}
		})
	}
}

var nextPage = regexp.MustCompile(`<a class="go" href="([^"]+)">Next page`)

// TestWhole: what has several pages can be allowed on the last one, by who came there
// page by page.
func TestWhole(t *testing.T) {
	w := newWorld(t)
	ticket, page := w.ask(newFile(30_000)) // 720 KB
	var bodies []string
	for path := page + "/all"; path != ""; {
		body := w.get(w.c, path).body
		bodies = append(bodies, body)
		path = ""
		if m := nextPage.FindStringSubmatch(body); m != nil {
			path = html.UnescapeString(m[1])
			if !strings.Contains(body, `value="option:once" disabled`) || strings.Contains(body, `name="opened"`) {
				t.Error("it can be allowed before the last page")
			}
			if jump := w.get(w.c, strings.Split(path, "&")[0]).body; !strings.Contains(jump, "page 1 of") {
				t.Error("a page can be left out")
			}
		}
	}
	if len(bodies) < 3 {
		t.Fatalf("%d pages", len(bodies))
	}
	lines := regexp.MustCompile(`\+line (\d+) of the new file\n`).FindAllStringSubmatch(html.UnescapeString(strings.Join(bodies, "")), -1)
	for i := range 30_000 {
		if i >= len(lines) || lines[i][1] != fmt.Sprint(i+1) {
			t.Fatalf("line %d is on no page, or in another place", i+1)
		}
	}
	last := bodies[len(bodies)-1]
	proof := regexp.MustCompile(`name="opened" value="([0-9a-f]+)"`).FindStringSubmatch(last)
	if proof == nil || strings.Contains(last, `option:once" disabled`) || strings.Contains(last, "allow_unseen") {
		t.Fatal("it cannot be allowed on the last page")
	}
	if r := w.post(w.c, page, form(ticket.Digest, "opened", proof[1], "do", "send")); r.code != 422 || !strings.Contains(r.body, `name="opened"`) {
		t.Errorf("a form that is refused comes back without what was opened: %d", r.code)
	}
	if r := w.post(w.c, page, form(ticket.Digest, "q0", "option:once", "opened", proof[1])); r.code != http.StatusSeeOther {
		t.Errorf("%d %s", r.code, r.body)
	}
	if v := w.verdict(ticket); !v.Allowed() || v.Unseen != 0 {
		t.Errorf("decided %+v", v)
	}
}

// TestWholeOfOthers: a proof is for one ask, and the page for who may see it.
func TestWholeOfOthers(t *testing.T) {
	w := newWorld(t)
	_, first := w.ask(newFile(9000))
	other := newFile(9001)
	ticket, page := w.ask(other)
	proof := regexp.MustCompile(`name="opened" value="([0-9a-f]+)"`).FindStringSubmatch(w.get(w.c, first+"/all").body)
	if r := w.post(w.c, page, form(ticket.Digest, "q0", "option:once", "opened", proof[1])); r.code != 422 || w.outcome(ticket) != nil {
		t.Errorf("the proof of another ask: %d", r.code)
	}
	to := newFile(9002)
	to.To = []string{"bob"}
	_, page = w.ask(to)
	if r := w.get(w.c, page+"/all"); r.code != http.StatusNotFound {
		t.Errorf("somebody else's: %d", r.code)
	}
	_, page = w.ask(command("npm test"))
	if r := w.get(w.c, page+"/all"); r.code != http.StatusSeeOther {
		t.Errorf("nothing is hidden: %d", r.code)
	}
}

// TestPickDenies: a button of a notification can select a denial, and nothing else.
func TestPickDenies(t *testing.T) {
	w := newWorld(t)
	_, page := w.ask(command("npm test"))
	for id, want := range map[string]int{"once": 0, "local": 0, "deny": 1} {
		if got := strings.Count(w.get(w.c, page+"?pick="+id).body, " checked"); got != want {
			t.Errorf("pick=%s selects %d", id, got)
		}
	}
}

// TestApprovalHostile: nothing of an approval can be anything but text.
func TestApprovalHostile(t *testing.T) {
	w := newWorld(t)
	evil := "<script>x()</script><img src=x onerror=x()>\u202e\x1b[2J"
	before, after := evil, evil+"\n"+evil
	p := sayso.NewApproval(sayso.ApproveEdit, evil, []byte(`{}`), &sayso.ApprovalOptions{Files: []sayso.FileChange{
		sayso.NewFileChange(evil, &before, &after), sayso.NewFileChange("b"+evil, &before, &after)}})
	a := wants(p)
	p.Cwd, p.Mode, p.Reason, p.Why, p.Missing = evil, evil, evil, []string{evil}, []string{evil}
	for i := range p.Offers {
		p.Offers[i].Label, p.Offers[i].Rule, p.Offers[i].Where, p.Offers[i].Mode = fmt.Sprint(i, evil), evil, evil, evil
	}
	ticket, page := w.ask(a)
	plan := sayso.NewApproval(sayso.ApprovePlan, "ExitPlanMode", []byte(`{"plan":"<script>x()</script> <img src=x onerror=x()> ![a](http://evil.example/p.png)"}`), &sayso.ApprovalOptions{Plan: "plan"})
	_, planned := w.ask(wants(plan))
	bodies := []string{w.get(w.c, page).body, w.get(w.c, "/").body, w.get(w.c, planned).body}
	w.post(w.c, page, form(ticket.Digest, "q0", "option:deny", "do", "send"))
	for _, body := range append(bodies, w.get(w.c, page).body) {
		if strings.Contains(body, "<script>x") || strings.Contains(body, "<img") || strings.ContainsAny(body, "\u202e\x1b") {
			t.Errorf("hostile text is on the page: %s", body)
		}
	}
}

// TestSearchApproval finds a command by what stands far behind its beginning.
func TestSearchApproval(t *testing.T) {
	w := newWorld(t)
	_, page := w.ask(command(strings.Repeat("echo harmless && ", 200) + "terraform destroy"))
	if body := w.get(w.c, "/?q=terraform").body; !strings.Contains(body, `href="`+page) {
		t.Error("it is not found")
	}
	if body := w.get(w.c, "/?q=kubectl").body; strings.Contains(body, `href="`+page) {
		t.Error("it is found by a word that it does not have")
	}
}

// TestRecord: what was decided is shown with what it was about.
func TestRecord(t *testing.T) {
	w := newWorld(t)
	ticket, page := w.ask(newFile(9000))
	w.post(w.c, page, form(ticket.Digest, "q0", "option:allow_unseen", "do", `send ["verdict" "allow_unseen"]`))
	body := w.get(w.c, page).body
	for _, want := range []string{"Allowed", "were not opened", "What was asked", "big.txt", `/all"`} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is not on the page of what was decided", want)
		}
	}
}
