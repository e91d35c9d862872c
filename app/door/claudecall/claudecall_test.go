package claudecall

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
)

func text(s string) *string { return &s }

// TestApply: edits as Claude Code makes them. What it would refuse has no result.
func TestApply(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before    *string
		edits     []edit
		want      string
		exact, ok bool
	}{
		"once":                 {text("one\ntwo\n"), []edit{{"two", "TWO", false}}, "one\nTWO\n", true, true},
		"not there":            {text("one\n"), []edit{{"two", "TWO", false}}, "", false, false},
		"twice":                {text("two two"), []edit{{"two", "TWO", false}}, "", false, false},
		"all":                  {text("two two"), []edit{{"two", "TWO", true}}, "TWO TWO", true, true},
		"a new file":           {nil, []edit{{"", "hello\n", false}}, "hello\n", true, true},
		"an empty file":        {text(" \n"), []edit{{"", "hello\n", false}}, "hello\n", true, true},
		"nothing in a file":    {text("one\n"), []edit{{"", "hello\n", false}}, "", false, false},
		"no file":              {nil, []edit{{"two", "TWO", false}}, "", false, false},
		"one after the other":  {text("one"), []edit{{"one", "two", false}, {"two", "three", false}}, "three", true, true},
		"the second not there": {text("one"), []edit{{"one", "two", false}, {"one", "three", false}}, "", false, false},
		"a deletion":           {text("one\ntwo\n"), []edit{{"two", "", false}}, "one\n\n", false, true},
		"Windows":              {text("one\r\ntwo\r\n"), []edit{{"one\ntwo", "1\n2", false}}, "1\r\n2\r\n", false, true},
		"no edit":              {text("one"), nil, "one", true, false},
	} {
		got, exact, ok := apply(c.before, c.edits)
		if ok != c.ok || ok && (got != c.want || exact != c.exact) {
			t.Errorf("%s: %q, %t, %t", name, got, exact, ok)
		}
	}
}

// shown returns everything that an approval shows, and checks that it can be asked.
func shown(t *testing.T, c *Call) string {
	t.Helper()
	a := &sayso.Ask{Approval: c.Approval()}
	a.Normalize()
	if err := a.Validate(sayso.Limits{}); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, p := range a.Approval.Shown {
		all = append(all, p.Text)
	}
	return strings.Join(all, "\n")
}

// TestNothingHidden: what a diff does not show exactly is shown as the input.
func TestNothingHidden(t *testing.T) {
	t.Parallel()
	file := "one\ntwo\n"
	read := func(string) (*string, error) { return &file, nil }
	unread := func(string) (*string, error) { return nil, errors.New("a folder") }
	for name, c := range map[string]struct {
		call Call
		want []string
		not  string
	}{
		"an edit":           {Call{Tool: "Edit", Input: []byte(`{"file_path":"/a","old_string":"two","new_string":"TWO"}`), Read: read}, []string{"-two", "+TWO"}, "old_string"},
		"a deletion":        {Call{Tool: "Edit", Input: []byte(`{"file_path":"/a","old_string":"two","new_string":""}`), Read: read}, []string{"-two", "old_string"}, "xxx"},
		"not in the file":   {Call{Tool: "Edit", Input: []byte(`{"file_path":"/a","old_string":"three","new_string":"3"}`), Read: read}, []string{"three", `"new_string": "3"`}, "@@"},
		"unread":            {Call{Tool: "Write", Input: []byte(`{"file_path":"/a","content":"all new"}`), Read: unread}, []string{"all new", "/a"}, "@@"},
		"not readable here": {Call{Tool: "Write", Input: []byte(`{"file_path":"/a","content":"all new"}`)}, []string{"all new", "/a"}, "@@"},
		"no path":           {Call{Tool: "Write", Input: []byte(`{"content":"all new"}`), Read: read}, []string{"all new"}, "@@"},
		"odd types":         {Call{Tool: "Write", Input: []byte(`{"file_path":7,"content":["all new"]}`), Read: read}, []string{"all new", "7"}, "@@"},
		"another spelling":  {Call{Tool: "Write", Input: []byte(`{"file_path":"/a","content":"evil","CONTENT":"good"}`), Read: read}, []string{"+evil", "CONTENT"}, "+good"},
		"no edit of ours":   {Call{Tool: "Edit", Input: []byte(`{"file_path":"/a","OLD_STRING":"two","NEW_STRING":"TWO"}`), Read: read}, []string{"OLD_STRING", "NEW_STRING"}, "@@"},
		"in the list":       {Call{Tool: "MultiEdit", Input: []byte(`{"file_path":"/a","edits":[{"old_string":"two","new_string":"evil","New_String":"good"}]}`), Read: read}, []string{"evil", "good"}, "@@"},
		"another member":    {Call{Tool: "Write", Input: []byte(`{"file_path":"/a","content":"x","mode":"0777"}`), Read: read}, []string{"0777"}, "content"},
		"several edits":     {Call{Tool: "MultiEdit", Input: []byte(`{"file_path":"/a","edits":[{"old_string":"one","new_string":"1"},{"old_string":"two","new_string":"2"}]}`), Read: read}, []string{"+1", "+2"}, "edits"},
		"outside":           {Call{Tool: "Bash", Input: []byte(`{"command":"x","dangerouslyDisableSandbox":true}`)}, []string{"dangerouslyDisableSandbox"}, "@@"},
		"an MCP tool":       {Call{Tool: "mcp__x__y", Input: []byte(`{"description":"an argument","command":"rm"}`)}, []string{"an argument", "rm"}, "@@"},
	} {
		got := shown(t, &c.call)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not shown:\n%s", name, want, got)
			}
		}
		if strings.Contains(got, c.not) {
			t.Errorf("%s: %q is shown:\n%s", name, c.not, got)
		}
	}
}

// TestOffers: only what a person can read is offered, and all of it fits a question.
func TestOffers(t *testing.T) {
	t.Parallel()
	rules := func(content string) json.RawMessage {
		return spell(suggestion{Type: "addRules", Rules: []rule{{Tool: "Bash", Content: &content}}, Behavior: "allow", Destination: "localSettings"})
	}
	for name, c := range map[string]struct {
		suggestions []json.RawMessage
		want        int // offers that allow
	}{
		"none":              {nil, 1},
		"a rule":            {[]json.RawMessage{rules("npm run *")}, 5},
		"many":              {[]json.RawMessage{rules("a"), rules("b"), rules("c"), rules("d"), rules("e"), rules("f")}, 17},
		"a hidden end":      {[]json.RawMessage{rules("npm" + strings.Repeat(" ", 50) + "*")}, 1},
		"turned around":     {[]json.RawMessage{rules("npm \u202e*")}, 1},
		"two lines":         {[]json.RawMessage{rules("npm\n*")}, 1},
		"too long":          {[]json.RawMessage{rules(strings.Repeat("x", 2000))}, 1},
		"denies":            {[]json.RawMessage{[]byte(`{"type":"addRules","behavior":"deny","rules":[{"toolName":"Bash"}],"destination":"session"}`)}, 1},
		"takes away":        {[]json.RawMessage{[]byte(`{"type":"removeRules","behavior":"allow","rules":[{"toolName":"Bash"}],"destination":"session"}`)}, 1},
		"no tool":           {[]json.RawMessage{[]byte(`{"type":"addRules","behavior":"allow","rules":[{"toolName":""}],"destination":"session"}`)}, 1},
		"no object":         {[]json.RawMessage{[]byte(`7`)}, 1},
		"a directory":       {[]json.RawMessage{[]byte(`{"type":"addDirectories","directories":["/etc"],"destination":"session"}`)}, 2},
		"a directory, kept": {[]json.RawMessage{[]byte(`{"type":"addDirectories","directories":["/etc"],"destination":"userSettings"}`)}, 1},
	} {
		call := &Call{Tool: "Bash", Input: []byte(`{"command":"npm run x"}`), Suggestions: c.suggestions}
		p := call.Approval()
		if got := len(p.Allows()); got != c.want || len(p.Offers) > 19 || len(p.Denies()) != 2 {
			t.Errorf("%s: %d allow: %+v", name, got, p.Offers)
		}
		for _, o := range p.Allows() {
			d := call.Decide(&sayso.Verdict{Offer: o})
			if d.Behavior != "allow" || (len(d.Adds) == 1) != (o.Rule != "" || o.Mode != "") || len(d.Adds) > 1 {
				t.Errorf("%s: %+v becomes %+v", name, o, d)
			}
			for _, add := range d.Adds {
				var s suggestion
				if json.Unmarshal(add, &s) != nil || s.Type == "addRules" && s.Rules[0].String() != o.Rule {
					t.Errorf("%s: %s is not %s", name, add, o.Rule)
				}
			}
		}
	}
}

// TestDecide: what does not fit is denied.
func TestDecide(t *testing.T) {
	t.Parallel()
	call := &Call{Tool: "Bash", Input: []byte(`{"command":"x"}`)}
	allow := call.Approval().Offer("allow")
	for name, v := range map[string]*sayso.Verdict{
		"no verdict":    nil,
		"no offer":      {},
		"another offer": {Offer: &sayso.Offer{ID: "rule1_user", Act: sayso.ActAllow}},
		"a list":        {Offer: allow, Input: `["rm"]`},
		"no JSON":       {Offer: allow, Input: `{`},
		"words":         {Offer: call.Approval().Offer("deny"), Message: "no"},
	} {
		if d := call.Decide(v); d.Behavior != "deny" || d.Message == "" {
			t.Errorf("%s: %+v", name, d)
		}
	}
	plan := &Call{Tool: "ExitPlanMode", Input: []byte(`{"plan":"# p"}`)}
	if d := plan.Decide(&sayso.Verdict{Offer: plan.Approval().Allows()[0], Input: `{}`}); d.Behavior != "deny" {
		t.Errorf("a plan takes %+v", d)
	}
}

func TestReadFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if s, err := ReadFile(write("a", []byte("text\n"))); err != nil || *s != "text\n" {
		t.Errorf("%v, %v", s, err)
	}
	if s, err := ReadFile(filepath.Join(dir, "none")); err != nil || s != nil {
		t.Errorf("%v, %v", s, err)
	}
	for _, path := range []string{dir, os.DevNull, write("binary", []byte("\xff\xfe")), write("large", make([]byte, maxFile+1)), write("b", []byte("x")) + "/c"} {
		if s, err := ReadFile(path); err == nil {
			t.Errorf("%s is read as %v", path, s)
		}
	}
}
