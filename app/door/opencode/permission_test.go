package opencode

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// asked are requests as opencode 1.18.33 sends them, and the call that its message has.
var asked = []struct{ name, request, call string }{
	{"bash",
		`{"id":"per_1","sessionID":"ses_1","permission":"bash","patterns":["touch b1","echo hi"],"metadata":{"command":"touch b1 && echo hi > b1out"},"always":["touch *","echo *"],"tool":{"messageID":"msg_1","callID":"call_3"}}`,
		`{"type":"tool","tool":"bash","callID":"call_3","state":{"status":"running","input":{"command":"touch b1 && echo hi > b1out","description":"Make b1","workdir":"/tmp/x","timeout":5000}}}`},
	{"bash, changed by another plugin",
		`{"id":"per_1","sessionID":"ses_1","permission":"bash","patterns":["rm -rf /"],"metadata":{"command":"rm -rf /"},"always":["rm *"],"tool":{"messageID":"msg_1","callID":"call_3"}}`,
		`{"type":"tool","tool":"bash","callID":"call_3","state":{"status":"running","input":{"command":"ls","description":"List"}}}`},
	{"edit",
		`{"id":"per_1","sessionID":"ses_1","permission":"edit","patterns":["a.txt"],"metadata":{"filepath":"/home/u/proj/a.txt","diff":"Index: /home/u/proj/a.txt\n===================================================================\n--- /home/u/proj/a.txt\n+++ /home/u/proj/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n"},"always":["*"],"tool":{"messageID":"msg_1","callID":"call_7"}}`,
		`{"type":"tool","tool":"edit","callID":"call_7","state":{"status":"running","input":{"filePath":"/home/u/proj/a.txt","oldString":"two","newString":"TWO"}}}`},
	{"write, a new file",
		`{"id":"per_1","sessionID":"ses_1","permission":"edit","patterns":["n.txt"],"metadata":{"filepath":"/home/u/proj/n.txt","diff":"Index: n\n--- n\n+++ n\n@@ -0,0 +1,1 @@\n+new\n"},"always":["*"],"tool":{"messageID":"msg_1","callID":"call_7"}}`,
		`{"type":"tool","tool":"write","callID":"call_7","state":{"status":"running","input":{"content":"new\n","filePath":"/home/u/proj/n.txt"}}}`},
	{"apply_patch, two files",
		`{"id":"per_1","sessionID":"ses_1","permission":"edit","patterns":["a","b"],"metadata":{"filepath":"a, b","diff":"x","files":[{"relativePath":"a","type":"add","patch":"@@ -0,0 +1,1 @@\n+a\n"},{"relativePath":"b","type":"delete","patch":"--- b\n+++ b\n@@ -1,1 +0,0 @@\n-b\n"}]},"always":["*"],"tool":{"messageID":"msg_1","callID":"call_7"}}`,
		`{"type":"tool","tool":"apply_patch","callID":"call_7","state":{"status":"running","input":{"patchText":"*** Begin Patch\n*** End Patch"}}}`},
	{"webfetch",
		`{"id":"per_1","sessionID":"ses_1","permission":"webfetch","patterns":["http://127.0.0.1:18100/x"],"metadata":{"url":"http://127.0.0.1:18100/x","format":"text"},"always":["*"],"tool":{"messageID":"msg_1","callID":"call_9"}}`,
		`{"type":"tool","tool":"webfetch","callID":"call_9","state":{"status":"running","input":{"url":"http://127.0.0.1:18100/x","format":"text"}}}`},
	{"a tool of an MCP server",
		`{"id":"per_1","sessionID":"ses_1","permission":"db_drop_table","patterns":["*"],"metadata":{},"always":["*"],"tool":{"messageID":"msg_1","callID":"call_11"}}`,
		`{"type":"tool","tool":"db_drop_table","callID":"call_11","state":{"status":"running","input":{"table":"users"}}}`},
	{"a tool of an MCP server whose call is not found",
		`{"id":"per_1","sessionID":"ses_1","permission":"db_drop_table","patterns":["*"],"metadata":{},"always":["*"],"tool":{"messageID":"msg_1","callID":"call_11"}}`, ``},
	{"a tool of an MCP server, called by another tool",
		`{"id":"per_1","sessionID":"ses_1","permission":"db_drop_table","patterns":["*"],"metadata":{},"always":["*"],"tool":{"messageID":"msg_1","callID":"call_11"}}`,
		`{"type":"tool","tool":"execute","callID":"call_11","state":{"status":"running","input":{"code":"db.drop_table(x)"}}}`},
	{"outside the project",
		`{"id":"per_1","sessionID":"ses_1","permission":"external_directory","patterns":["/tmp/*"],"metadata":{"command":"touch b2","directories":["/tmp"],"patterns":["/tmp/*"]},"always":["/tmp/*"],"tool":{"messageID":"msg_1","callID":"call_4"}}`,
		`{"type":"tool","tool":"bash","callID":"call_4","state":{"status":"running","input":{"command":"touch b2","workdir":"/tmp"}}}`},
	{"the same call three times",
		`{"id":"per_1","sessionID":"ses_1","permission":"doom_loop","patterns":["read"],"metadata":{"tool":"read","input":{"filePath":"a"}},"always":["read"]}`, ``},
	{"task",
		`{"id":"per_1","sessionID":"ses_1","permission":"task","patterns":["general"],"metadata":{"description":"Look","subagent_type":"general"},"always":["*"],"tool":{"messageID":"msg_1","callID":"call_4"}}`,
		`{"type":"tool","tool":"task","callID":"call_4","state":{"status":"running","input":{"description":"Look","prompt":"Look at it","subagent_type":"general"}}}`},
	{"a rule that cannot be read",
		`{"id":"per_1","sessionID":"ses_1","permission":"bash","patterns":["x"],"metadata":{"command":"x"},"always":["x \u202e *"],"tool":{"messageID":"msg_1","callID":"call_4"}}`,
		`{"type":"tool","tool":"bash","callID":"call_4","state":{"status":"running","input":{"command":"x"}}}`},
}

// wantedOf makes a request of a row.
func wantedOf(t testing.TB, request, call string) *wanted {
	t.Helper()
	w := &wanted{dir: "/home/u/proj"}
	if err := json.Unmarshal([]byte(request), &w.data); err != nil {
		t.Fatal(err)
	}
	if call != "" {
		w.call = &part{}
		if err := json.Unmarshal([]byte(call), w.call); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// TestApproval: what people are shown of each request, and how each decision is spelled.
func TestApproval(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, row := range asked {
		w := wantedOf(t, row.request, row.call)
		a := &sayso.Ask{Approval: w.approval()}
		a.Normalize()
		if err := a.Validate(sayso.Limits{}); err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		p := a.Approval
		fmt.Fprintf(&b, "# %s\n%s %s in %s: %s\n", row.name, p.Kind, p.Tool, p.Cwd, p.Summary())
		for _, line := range []struct {
			name string
			text string
		}{{"reason", p.Reason}, {"why", strings.Join(p.Why, "; ")}, {"missing", strings.Join(p.Missing, "; ")}} {
			if line.text != "" {
				fmt.Fprintf(&b, "%s: %s\n", line.name, line.text)
			}
		}
		for _, s := range p.Shown {
			fmt.Fprintf(&b, "[%s, %s]\n%s\n", s.Name, s.Format, strings.TrimRight(s.Text, "\n"))
		}
		for _, o := range a.Questions[0].Options {
			v, err := json.Marshal(w.decide(&sayso.Verdict{Offer: p.Offer(o.ID), Message: "why"}))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "- %s (%s) %s\n", o.Label, o.Description, v)
		}
		b.WriteString("\n")
		if len(p.Missing) > 0 && len(p.Allows()) > 0 {
			t.Errorf("%s: what is not known can be allowed", row.name)
		}
	}
	const golden = "testdata/approvals.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != b.String() {
		t.Errorf("not as in %s (run with -update and read the difference): %v\n%s", golden, err, b.String())
	}
}

// TestDecide: what opencode cannot carry out is not told to it.
func TestDecide(t *testing.T) {
	t.Parallel()
	w := wantedOf(t, asked[0].request, asked[0].call)
	unknown := wantedOf(t, asked[7].request, "")
	for name, v := range map[string]*verdict{
		"nothing":       w.decide(nil),
		"no offer":      w.decide(&sayso.Verdict{}),
		"another offer": w.decide(&sayso.Verdict{Offer: &sayso.Offer{ID: "ever", Act: sayso.ActAllow}}),
		"not known":     unknown.decide(&sayso.Verdict{Offer: &sayso.Offer{ID: "once", Act: sayso.ActAllow}}),
	} {
		if v != nil {
			t.Errorf("%s becomes %+v", name, v)
		}
	}
	if v := w.decide(&sayso.Verdict{Offer: w.approval().Offer("deny")}); v == nil || v.Message != denied {
		t.Errorf("a denial without words would end the turn: %+v", v)
	}
}

// TestSaid: what opencode tells of its own dialog.
func TestSaid(t *testing.T) {
	t.Parallel()
	ask := func(w *wanted) *sayso.Ask {
		a := &sayso.Ask{Approval: w.approval()}
		a.Normalize()
		return a
	}
	small, unknown := ask(wantedOf(t, asked[0].request, asked[0].call)), ask(wantedOf(t, asked[7].request, ""))
	large := wantedOf(t, asked[3].request, asked[3].call)
	large.call.State.Input = json.RawMessage(`{"filePath":"/a","content":"` + strings.Repeat("x\\n", 200_000) + `"}`)
	for _, c := range []struct {
		name, reply string
		ask         *sayso.Ask
		want        string // the offer; empty: it is not known
	}{
		{"once", "once", small, "once"},
		{"always", "always", small, "always"},
		{"reject", "reject", small, "deny"},
		{"something new", "later", small, ""},
		{"what could not be shown", "once", unknown, ""},
		{"more than was shown", "once", ask(large), "once"},
		{"more than was shown, always", "always", ask(large), ""},
	} {
		o := said(c.ask, c.reply)
		if c.want == "" {
			if o != nil {
				t.Errorf("%s: %+v", c.name, o)
			}
			continue
		}
		if v := c.ask.Verdict(o); v == nil || v.Offer.ID != c.want {
			t.Errorf("%s: %+v becomes %+v", c.name, o, v)
		}
	}
}
