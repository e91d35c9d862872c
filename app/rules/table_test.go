package rules

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// noon is when the calls of the table are made.
var noon = time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)

// table is testdata/verdicts.txt.
type table struct {
	bases map[string]fields
	rules []hub.Rule
	calls []tableCall
}

type tableCall struct {
	line    int
	text    string
	ask     *sayso.Ask // whole
	matches []string
	verdict string
}

// fields are what a call or a rule consists of.
type fields map[string]string

func (f fields) list(key string) []string {
	if f[key] == "" {
		return nil
	}
	return strings.Split(f[key], ",")
}

// parseFields reads KEY=VALUE… and returns the words that are none.
func parseFields(t testing.TB, text string) (words []string, f fields) {
	f = fields{}
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		key, rest, ok := strings.Cut(text, "=")
		if !ok || strings.Contains(key, " ") {
			word, rest, _ := strings.Cut(text, " ")
			words, text = append(words, word), rest
			continue
		}
		value := ""
		if strings.HasPrefix(rest, `"`) {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			value, _ = strconv.Unquote(quoted)
			rest = rest[len(quoted):]
		} else {
			value, rest, _ = strings.Cut(rest, " ")
		}
		if value == "-" {
			value = ""
		}
		f[key], text = value, rest
	}
	return words, f
}

// with returns the fields, with others in their place.
func (f fields) with(other fields) fields {
	all := fields{}
	for k, v := range f {
		all[k] = v
	}
	for k, v := range other {
		all[k] = v
	}
	return all
}

func readTable(t testing.TB) *table {
	t.Helper()
	data, err := os.ReadFile("testdata/verdicts.txt")
	if err != nil {
		t.Fatal(err)
	}
	tb := &table{bases: map[string]fields{}}
	for i, line := range strings.Split(string(data), "\n") {
		what, rest, _ := strings.Cut(line, " ")
		switch what {
		case "base":
			words, f := parseFields(t, rest)
			tb.bases[words[0]] = tb.bases[f["like"]].with(f)
		case "rule":
			tb.rules = append(tb.rules, tb.rule(t, rest))
		case "call":
			at := strings.LastIndex(rest, "|")
			left, verdict := rest[:at], strings.TrimSpace(rest[at+1:])
			at = strings.LastIndex(left, "|")
			matches := strings.Fields(left[at+1:])
			if slices.Equal(matches, []string{"-"}) {
				matches = nil
			}
			words, f := parseFields(t, left[:at])
			tb.calls = append(tb.calls, tableCall{i + 1, strings.TrimSpace(left[:at]), newAsk(tb.bases[words[0]].with(f)), matches, verdict})
		case "", "#":
		default:
			t.Fatalf("line %d: %q", i+1, line)
		}
	}
	return tb
}

// rule reads a rule. Its own keys are not those of a call.
func (tb *table) rule(t testing.TB, text string) hub.Rule {
	words, f := parseFields(t, text)
	r := hub.Rule{ID: words[0], Act: hub.RuleAct(words[1]), By: f["by"], Made: noon.Add(-time.Hour), Session: f["in"], People: f.list("people")}
	r.Count, _ = strconv.Atoi(f["count"])
	r.Used, _ = strconv.Atoi(f["used"])
	level, _ := strconv.Atoi(f["level"])
	r.Assurance = sayso.Assurance(level)
	if f["revoked"] != "" {
		r.Revoked = noon.Add(-time.Minute)
	}
	if d, err := time.ParseDuration(f["until"]); err == nil {
		r.Until = noon.Add(d)
	}
	if r.Act == hub.RuleAllow {
		if r.Until.IsZero() || r.Until.Sub(r.Made) > LongestAllow {
			r.Until = r.Made.Add(LongestAllow)
		}
		for _, own := range []string{"by", "in", "count", "used", "revoked", "until"} {
			delete(f, own)
		}
		r.Exact = exactly(newAsk(tb.bases[words[2]].with(f)))
	} else {
		r.Pattern = &hub.RulePattern{
			Tool: f["tool"], Kind: sayso.ApprovalKind(f["kind"]), Host: f["host"], Agent: f["agent"], Workspace: f["ws"], Cwd: f["cwd"],
			Contains: f["contains"], Regexp: f["regexp"],
		}
	}
	if err := check(&r); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return r
}

// newAsk makes the approval of a call, as integrations do.
func newAsk(f fields) *sayso.Ask {
	members := map[string]string{}
	put := func(name, key string) {
		if v, ok := f[key]; ok {
			members[name] = v
		}
	}
	o := &sayso.ApprovalOptions{Command: "command", Plan: "plan", Reason: "description"}
	switch {
	case f["plan"] != "":
		put("plan", "plan")
	case f["url"] != "":
		put("url", "url")
	case f["table"] != "":
		put("table", "table")
	case f["path"] != "":
		members["file_path"], members["old_string"], members["new_string"] = f["path"], "o"+f["old"], "t"
		before, after := f["before"], f["after"]
		old := &before
		if before == "" {
			old = nil
		}
		if large, ok := f["large"]; ok {
			after = strings.Repeat("0123456789\n", 20_000) + large
			members["content"] = after
			o.Covered = []string{"content"}
		}
		o.Files = []sayso.FileChange{sayso.NewFileChange(f["path"], old, &after)}
	default:
		put("command", "input")
	}
	put("description", "desc")
	input, _ := json.Marshal(members)
	if f["raw"] != "" {
		input = []byte(f["raw"])
	}
	p := sayso.NewApproval(sayso.ApprovalKind(f["kind"]), f["tool"], input, o)
	p.Cwd, p.Mode, p.Why, p.Missing = f["cwd"], f["mode"], f.list("why"), f.list("missing")
	if f["reason"] != "" {
		p.Reason = f["reason"]
	}
	for _, name := range f.list("offers") {
		p.Offers = append(p.Offers, map[string]sayso.Offer{
			"once":    {ID: "once", Act: sayso.ActAllow},
			"always":  {ID: "always", Act: sayso.ActAllow, Scope: sayso.ScopeAlways, Rule: "Bash(npm *)", Where: "settings"},
			"session": {ID: "session", Act: sayso.ActAllow, Scope: sayso.ScopeSession},
			"mode":    {ID: "mode", Act: sayso.ActAllow, Mode: "acceptEdits"},
			"deny":    {ID: "deny", Act: sayso.ActDeny, Message: true},
			"stop":    {ID: "stop", Act: sayso.ActDeny, Stops: true},
		}[name])
	}
	level, _ := strconv.Atoi(f["level"])
	a := &sayso.Ask{
		ID: "ask", Approval: p, To: f.list("to"), MinAssurance: sayso.Assurance(level), AskedAt: noon,
		Origin: sayso.Origin{
			Asker: f["asker"], Via: f["via"], Host: f["host"], Agents: f.list("agents"), Workspace: f["ws"],
			Conversation: f["session"], Branch: f["branch"], ToolCall: f["call"],
		},
	}
	a.Normalize()
	return a
}

// asStored returns the ask without what is stored beside it.
func asStored(a *sayso.Ask) *sayso.Ask {
	c := a.Clone()
	for _, content := range c.Approval.Contents() {
		if content.Stored {
			content.Text = ""
		}
	}
	return c
}

func spell(v verdict, rules []hub.Rule) string {
	s := "ask"
	switch v.act {
	case hub.RuleAllow, hub.RuleDeny:
		s = string(v.act) + " " + rules[v.rule].ID
	case hub.RuleRequire:
		s = strings.TrimSuffix("require "+strings.Join(v.to, ","), " ")
		if v.sure > 0 {
			s += fmt.Sprintf(" level%d", v.sure)
		}
	}
	return s
}

// judged compares the table with the rules, and returns how many of its cells are wrong.
func judged(t testing.TB) (wrong, cells int) {
	tb := readTable(t)
	if len(tb.rules) != 40 || len(tb.calls) != 200 {
		t.Fatalf("the table has %d rules and %d calls", len(tb.rules), len(tb.calls))
	}
	for _, tc := range tb.calls {
		c := newCall(asStored(tc.ask), noon, func() (map[string]string, error) {
			texts := map[string]string{}
			for i := range tc.ask.Approval.Shown {
				texts[tc.ask.Approval.Shown[i].SHA256] = tc.ask.Approval.Shown[i].Text
			}
			return texts, nil
		})
		for i := range tb.rules {
			r := &tb.rules[i]
			why, err := misses(r, c)
			if err != nil {
				t.Fatal(err)
			}
			cells++
			if want := slices.Contains(tc.matches, r.ID); want != (len(why) == 0) {
				wrong++
				t.Errorf("line %d, %s, rule %s: matches %v, want %v %q", tc.line, tc.text, r.ID, len(why) == 0, want, why)
			}
		}
		v, err := judge(tb.rules, c)
		if err != nil {
			t.Fatal(err)
		}
		if got := spell(v, tb.rules); got != tc.verdict {
			wrong++
			t.Errorf("line %d, %s: %s, want %s", tc.line, tc.text, got, tc.verdict)
		}
	}
	return wrong, cells
}

// TestVerdicts judges 200 calls by 40 rules, and wants what is written in the table.
func TestVerdicts(t *testing.T) { judged(t) }

func TestFigure_RULES(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	wrong, cells := judged(t)
	t.Logf("FIGURE RULES %d wrong of %d", wrong, cells)
}
