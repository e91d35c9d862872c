package sayso_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
)

var update = flag.Bool("update-approvals", false, "rewrite testdata/approvals")

func ptr(s string) *string { return &s }

// offers are those of Claude Code for a command.
func offers() []sayso.Offer {
	return []sayso.Offer{
		{ID: "once", Act: sayso.ActAllow, Edit: true},
		{ID: "local", Act: sayso.ActAllow, Scope: sayso.ScopeAlways, Rule: "Bash(touch *)", Where: ".claude/settings.local.json"},
		{ID: "deny", Act: sayso.ActDeny, Message: true},
		{ID: "stop", Act: sayso.ActDeny, Stops: true, Message: true},
	}
}

func approvals() map[string]*sayso.Ask {
	input := func(v any) []byte {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return b
	}
	shell := func(command string) *sayso.Approval {
		return sayso.NewApproval(sayso.ApproveShell, "Bash",
			input(map[string]any{"command": command, "description": "Does ```it``` **now**", "timeout": 5000}),
			&sayso.ApprovalOptions{Command: "command", Reason: "description"})
	}
	many := make([]sayso.FileChange, 50)
	for i := range many {
		path := "src/" + strings.Repeat("d", i%7) + string(rune('a'+i%26)) + ".go"
		many[i] = sayso.NewFileChange(path, ptr("one\ntwo\nthree\n"), ptr("one\n"+path+"\nthree\n"))
	}
	content := strings.Repeat("0123456789\n", 20_000) + "END OF FILE"
	all := map[string]*sayso.Approval{
		"shell":  shell("touch hello && \\\n  echo done > out.txt"),
		"hidden": shell("echo ok" + strings.Repeat(" ", 9000) + "; rm -rf ~" + strings.Repeat("\n", 40) + "echo \u202ereversed\x1b[2J"),
		"fence":  shell("echo '```' && echo '````'\n```\nrm -rf /"),
		"edit": sayso.NewApproval(sayso.ApproveEdit, "Edit", input(map[string]any{"file_path": "/p/a.txt", "old_string": "two", "new_string": "TWO", "replace_all": false}),
			&sayso.ApprovalOptions{Files: []sayso.FileChange{sayso.NewFileChange("/p/a.txt", ptr("one\ntwo\n"), ptr("one\nTWO\n"))}, Covered: []string{"file_path", "old_string", "new_string"}}),
		"write": sayso.NewApproval(sayso.ApproveEdit, "Write", input(map[string]any{"file_path": "/p/big.txt", "content": content}),
			&sayso.ApprovalOptions{Files: []sayso.FileChange{sayso.NewFileChange("/p/big.txt", nil, &content)}, Covered: []string{"file_path", "content"}}),
		"files": sayso.NewApproval(sayso.ApproveEdit, "apply_patch", input(map[string]any{"patch": "…"}), &sayso.ApprovalOptions{Files: many, Covered: []string{"patch"}}),
		"mcp":   sayso.NewApproval(sayso.ApproveMCP, "mcp__db__drop_table", []byte(`{"table":"users","n":1e2}`), nil),
		"plan":  sayso.NewApproval(sayso.ApprovePlan, "ExitPlanMode", input(map[string]any{"plan": "# First\n\n1. touch `a`\n", "planFilePath": "/p/plan.md"}), &sayso.ApprovalOptions{Plan: "plan"}),
	}
	asks := map[string]*sayso.Ask{}
	for name, p := range all {
		p.Offers, p.Cwd, p.Mode, p.Why = offers(), "/home/u/proj", "default", []string{"a rule says ask"}
		asks[name] = &sayso.Ask{Approval: p, Origin: sayso.Origin{ToolCall: "call_1"}}
	}
	return asks
}

// TestApprovalShown compares what people are shown with testdata/approvals.
func TestApprovalShown(t *testing.T) {
	for name, a := range approvals() {
		a.Normalize()
		if err := a.Validate(sayso.Limits{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got := sayso.RenderQuestion(a, 0)
		file := filepath.Join("testdata", "approvals", name+".txt")
		if *update {
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(got), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s is shown as\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestApprovalStored takes the large contents out, as a store does, and puts them back.
func TestApprovalStored(t *testing.T) {
	for name, a := range approvals() {
		a.Normalize()
		digest, id := a.Digest(), a.DeriveID()
		here, err := a.WithContent(nil)
		if err != nil {
			t.Errorf("%s, before it is stored: %v", name, err)
		}
		stored := a.Clone()
		whole := map[string]string{}
		for _, c := range stored.Approval.Contents() {
			if c.Stored {
				whole[c.SHA256] = strings.Join(c.Pages(), "")
				c.Text = ""
			}
		}
		b, err := json.Marshal(stored)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) > 256<<10 {
			t.Errorf("%s has %d bytes as it is stored", name, len(b))
		}
		var back sayso.Ask
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		back.Normalize()
		if err := back.Validate(sayso.Limits{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if back.Digest() != digest || back.DeriveID() != id {
			t.Errorf("%s has another digest or id once it was stored", name)
		}
		full, err := back.WithContent(whole)
		if err != nil {
			t.Fatal(err)
		}
		if here.Questions[0].Body != full.Questions[0].Body {
			t.Errorf("%s is shown otherwise once it was stored", name)
		}
		if name == "write" {
			if _, err := back.WithContent(nil); !errors.Is(err, sayso.ErrContent) {
				t.Errorf("without the content: %v", err)
			}
			if back.Questions[0].Body == full.Questions[0].Body || !strings.Contains(full.Questions[0].Body, "+END OF FILE") {
				t.Error("the whole content is not shown")
			}
			for h := range whole {
				whole[h] += "x"
			}
			if _, err := back.WithContent(whole); !errors.Is(err, sayso.ErrContent) {
				t.Errorf("another content than the hash says: %v", err)
			}
		}
	}
}

// TestApprovalDigest changes one thing at a time.
func TestApprovalDigest(t *testing.T) {
	base := approvals()["shell"]
	base.Normalize()
	for name, change := range map[string]func(*sayso.Approval){
		"input":  func(p *sayso.Approval) { p.Input = sayso.NewContent("{}") },
		"tool":   func(p *sayso.Approval) { p.Tool = "Shell" },
		"cwd":    func(p *sayso.Approval) { p.Cwd = "/" },
		"reason": func(p *sayso.Approval) { p.Reason = "" },
		"why":    func(p *sayso.Approval) { p.Why = nil },
		"mode":   func(p *sayso.Approval) { p.Mode = "plan" },
		"shown":  func(p *sayso.Approval) { p.Shown[0].Content = sayso.NewContent("true") },
		"rule":   func(p *sayso.Approval) { p.Offers[1].Rule = "Bash(*)" },
		"where":  func(p *sayso.Approval) { p.Offers[1].Where = "~/.claude/settings.json" },
		"stops":  func(p *sayso.Approval) { p.Offers[2].Stops = true },
		"files":  func(p *sayso.Approval) { p.Files = []sayso.FileChange{sayso.NewFileChange("a", nil, ptr(""))} },
	} {
		a := base.Clone()
		change(a.Approval)
		a.Normalize()
		if a.Digest() == base.Digest() {
			t.Errorf("the digest does not cover the %s", name)
		}
	}
}

func TestVerdict(t *testing.T) {
	small, large := approvals()["shell"], approvals()["write"]
	small.Normalize()
	large.Normalize()
	hashes, n := large.Approval.Unseen()
	said := func(ans sayso.Answer) *sayso.Outcome {
		ans.QuestionID = sayso.VerdictQuestion
		return &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{ans}}
	}
	chosen := func(id string) sayso.Answer { return sayso.Answer{Selected: []string{id}} }
	for name, c := range map[string]struct {
		ask     *sayso.Ask
		outcome *sayso.Outcome
		offer   string // "": no verdict
		err     error
		message string
		unseen  int
	}{
		"allow":               {small, said(chosen("once")), "once", nil, "", 0},
		"always":              {small, said(chosen("local")), "local", nil, "", 0},
		"deny":                {small, said(chosen("deny")), "deny", nil, "", 0},
		"deny with words":     {small, said(sayso.Answer{Selected: []string{"deny"}, Note: "use npm"}), "deny", nil, "use npm", 0},
		"words":               {small, said(sayso.Answer{Other: "yes, but later"}), "deny", nil, "yes, but later", 0},
		"reply":               {small, &sayso.Outcome{Status: sayso.StatusAnswered, Reply: "go on"}, "deny", nil, "go on", 0},
		"allow with words":    {small, said(sayso.Answer{Selected: []string{"once"}, Note: "but"}), "", sayso.ErrNoMessage, "", 0},
		"edit":                {small, said(sayso.Answer{Selected: []string{"once"}, Input: `{"command":"true"}`}), "once", nil, "", 0},
		"edit where not":      {small, said(sayso.Answer{Selected: []string{"local"}, Input: `{"command":"true"}`}), "", sayso.ErrNotEditable, "", 0},
		"empty":               {small, said(sayso.Answer{}), "", sayso.ErrNoAnswer, "", 0},
		"unknown":             {small, said(chosen("root")), "", sayso.ErrUnknownOption, "", 0},
		"declined":            {small, &sayso.Outcome{Status: sayso.StatusDeclined}, "", nil, "", 0},
		"expired":             {small, &sayso.Outcome{Status: sayso.StatusExpired, Answers: said(chosen("once")).Answers}, "", nil, "", 0},
		"nothing unseen":      {small, said(chosen(sayso.OfferUnseen)), "", sayso.ErrUnknownOption, "", 0},
		"large, not opened":   {large, said(chosen("once")), "", sayso.ErrUnseen, "", 0},
		"large, always":       {large, said(chosen("local")), "", sayso.ErrUnseen, "", 0},
		"large, opened":       {large, said(sayso.Answer{Selected: []string{"once"}, Opened: hashes}), "once", nil, "", 0},
		"large, another":      {large, said(sayso.Answer{Selected: []string{"once"}, Opened: []string{strings.Repeat("0", 64)}}), "", sayso.ErrUnseen, "", 0},
		"large, unseen":       {large, said(chosen(sayso.OfferUnseen)), "once", nil, "", n},
		"large, denied blind": {large, said(chosen("deny")), "deny", nil, "", 0},
	} {
		if err := c.ask.Check(c.outcome); c.err == nil && err != nil || c.err != nil && !errors.Is(err, c.err) {
			t.Errorf("%s: Check says %v, want %v", name, err, c.err)
		}
		v := c.ask.Verdict(c.outcome)
		switch {
		case v == nil && c.offer == "":
		case v == nil || v.Offer.ID != c.offer || v.Message != c.message || v.Unseen != c.unseen:
			t.Errorf("%s: the verdict is %+v, want %q", name, v, c.offer)
		}
		if v.Allowed() && c.ask.Approval.Offer(c.offer).Act != sayso.ActAllow {
			t.Errorf("%s is allowed", name)
		}
	}
}

func TestEditedInput(t *testing.T) {
	a := approvals()["shell"].Approval
	got, err := a.EditedInput("command", "echo <b>")
	if err != nil || !strings.Contains(got, `"timeout": 5000`) {
		t.Errorf("%q, %v", got, err)
	}
	var in struct{ Command, Description string }
	if err := json.Unmarshal([]byte(got), &in); err != nil || in.Command != "echo <b>" || in.Description == "" {
		t.Errorf("%q: %v", got, err)
	}
	if _, err := a.EditedInput("nothing", ""); !errors.Is(err, sayso.ErrNotEditable) {
		t.Error(err)
	}
}

// An input that has nothing to show is shown as it is.
func TestApprovalEmpty(t *testing.T) {
	t.Parallel()
	for _, input := range []string{`{}`, `{"description":"why"}`} {
		p := sayso.NewApproval(sayso.ApproveTool, "Enter", []byte(input), &sayso.ApprovalOptions{Reason: "description"})
		p.Offers = offers()
		a := &sayso.Ask{Approval: p}
		a.Normalize()
		if err := a.Validate(sayso.Limits{}); err != nil || !strings.Contains(a.Questions[0].Body, input) {
			t.Errorf("%s: %v, %s", input, err, a.Questions[0].Body)
		}
	}
}

func TestEditable(t *testing.T) {
	all := approvals()
	for name, want := range map[string]struct {
		member, text string
		ok           bool
	}{
		"shell": {"command", "touch hello && \\\n  echo done > out.txt", true},
		"mcp":   {"", "{\n  \"table\": \"users\",\n  \"n\": 1e2\n}", true},
		"write": {"", "", false}, // it is stored beside the ask
	} {
		a := all[name]
		a.Normalize()
		for _, c := range a.Approval.Contents() {
			if c.Stored {
				c.Text = ""
			}
		}
		if member, text, ok := a.Approval.Editable(); member != want.member || text != want.text || ok != want.ok {
			t.Errorf("%s: %q %q %v", name, member, text, ok)
		}
	}
	a := all["shell"].Approval
	a.Offers[0].Edit = false
	if _, _, ok := a.Editable(); ok {
		t.Error("no offer takes changes")
	}
}

// Nothing in a command can push its end out of sight.
func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"a" + strings.Repeat(" ", 40) + "b":                "a" + strings.Repeat(" ", 40) + "b",
		"a" + strings.Repeat(" ", 41) + "b":                "a ⟨41 spaces⟩ b",
		"a" + strings.Repeat("\t", 100) + "b":              "a ⟨400 spaces⟩ b",
		"a" + strings.Repeat("\u00a0", 100) + "b":          "a ⟨100 spaces⟩ b",
		"a" + strings.Repeat("\u3000", 100) + "b":          "a ⟨100 spaces⟩ b",
		"a" + strings.Repeat("\u3164", 100) + "b":          "a ⟨100 spaces⟩ b",
		"a" + strings.Repeat("\n", 11) + "b":               "a" + strings.Repeat("\n", 11) + "b",
		"a" + strings.Repeat("\n", 500) + "b":              "a\n⟨499 empty lines⟩\nb",
		"a" + strings.Repeat("\n  ", 500) + "b":            "a\n⟨499 empty lines⟩\n  b",
		"a" + strings.Repeat("\r\n", 2) + "b":              "a␍\n␍\nb",
		"rm\x1b[8m -rf\rls\u202e\u200b":                    "rm␛[8m -rf␍ls<U+202E><U+200B>",
		strings.Repeat("a", 5000) + "end of a single word": strings.Repeat("a", 5000) + "end of a single word",
	} {
		if got := sayso.Visible(text); got != want {
			t.Errorf("%.60q is shown as %.200q, want %.200q", text, got, want)
		}
	}
}

// What is decided for many at once is decided for this call alone.
func TestOfferOnce(t *testing.T) {
	id := func(o *sayso.Offer) string {
		if o == nil {
			return ""
		}
		return o.ID
	}
	allow := func(id string, scope sayso.Scope, rule, mode string) sayso.Offer {
		return sayso.Offer{ID: id, Act: sayso.ActAllow, Scope: scope, Rule: rule, Mode: mode}
	}
	deny := func(id string, scope sayso.Scope, stops bool) sayso.Offer {
		return sayso.Offer{ID: id, Act: sayso.ActDeny, Scope: scope, Stops: stops}
	}
	for name, tt := range map[string]struct {
		offers      []sayso.Offer
		allow, deny string
	}{
		"Claude Code":   {offers(), "once", "deny"},
		"stop is first": {[]sayso.Offer{deny("stop", "", true), deny("no", "", false)}, "", "no"},
		"only stop":     {[]sayso.Offer{deny("never", sayso.ScopeAlways, false), deny("stop", "", true)}, "", "stop"},
		"always":        {[]sayso.Offer{allow("all", sayso.ScopeAlways, "", ""), allow("now", sayso.ScopeOnce, "", ""), deny("never", sayso.ScopeAlways, false)}, "now", ""},
		"session":       {[]sayso.Offer{allow("session", sayso.ScopeSession, "", ""), deny("session", sayso.ScopeSession, false)}, "", ""},
		"a rule":        {[]sayso.Offer{allow("rule", "", "Bash(*)", "")}, "", ""},
		"a mode":        {[]sayso.Offer{allow("mode", "", "", "acceptEdits")}, "", ""},
	} {
		p := &sayso.Approval{Offers: tt.offers}
		if got := id(p.AllowOnce()); got != tt.allow {
			t.Errorf("%s: allows with %q, want %q", name, got, tt.allow)
		}
		if got := id(p.DenyOnce()); got != tt.deny {
			t.Errorf("%s: denies with %q, want %q", name, got, tt.deny)
		}
	}
}
