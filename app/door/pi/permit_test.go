package pi

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/bridge"
)

// TestChange: the change of a file is shown where it is known for sure, and the input
// as it is where it is not.
func TestChange(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tool, input string
		diff        string // "": none
		missing     bool
	}{
		{"write", `{"path":"new.txt","content":"x\n"}`, "+x", false},
		{"write", `{"path":"a.txt","content":"one\n"}`, "-two", false},
		{"write", `{"path":"a.txt","CONTENT":"one\n"}`, "", true},
		{"write", `{"path":"~/a.txt","content":"x"}`, "", true},
		{"write", `{"path":"@a.txt","content":"x"}`, "", true},
		{"write", `{"path":"a\u00a0b.txt","content":"x"}`, "", true},
		{"write", `{"path":".","content":"x"}`, "", true},
		{"edit", `{"path":"a.txt","edits":[{"oldText":"one","newText":"1"}]}`, "+1", false},
		{"edit", `{"path":"a.txt","edits":[{"oldText":"two","newText":"2"}]}`, "", true},
		{"edit", `{"path":"a.txt","edits":[{"oldText":"none","newText":"2"}]}`, "", true},
		{"edit", `{"path":"a.txt","edits":[{"oldText":"one","newText":"two"},{"oldText":"two","newText":"x"}]}`, "", true},
		{"edit", `{"path":"a.txt","edits":[{"oldText":"one\ntwo","newText":"one"},{"oldText":"two","newText":"x"}]}`, "", true},
		{"edit", `{"path":"new.txt","edits":[{"oldText":"one","newText":"1"}]}`, "", true},
		{"edit", `{"path":"a.txt","edits":"[]"}`, "", true},
		{"edit", `{"path":"a.txt","edits":[]}`, "", true},
		{"bash", `{"command":"ls"}`, "", false},
		{"deploy", `{"to":"prod"}`, "", false},
	} {
		p := (&call{from: from{Dir: dir}, tool: c.tool, input: json.RawMessage(c.input)}).approval()
		text := ""
		for _, part := range p.Shown {
			text += part.Text + "\n"
		}
		if (len(p.Files) > 0) != (c.diff != "") || !strings.Contains(text, c.diff) || (len(p.Missing) > 0) != c.missing {
			t.Errorf("%s %s: %+v, missing %q, shown %q", c.tool, c.input, p.Files, p.Missing, text)
		}
	}
}

// FuzzApproval: whatever the tool and its input are, everything of a command is shown,
// and a request that cannot be shown is an error.
func FuzzApproval(f *testing.F) {
	f.Add("bash", "ls -l", `{"command":"x"}`)
	f.Add("edit", "a", `{"path":"a.txt","edits":[{"oldText":"a","newText":"b"}]}`)
	f.Add("write", "\x1b[2J", `[]`)
	f.Fuzz(func(t *testing.T, tool, command, input string) {
		b := bridge.New(nil, &bridge.Options{Host: "pi"})
		defer b.Close()
		spelled, err := json.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		c := &call{from: from{Session: "s", Call: "c", Dir: "/nowhere"}, tool: "bash", input: spelled}
		if a, err := b.Approval(c.approval(), c.bridge()); err == nil {
			if got := a.Approval.Shown[0]; got.Whole() && !strings.Contains(got.Text, strings.ToValidUTF8(command, "\ufffd")) && sayso.SafeText(command) == command {
				t.Errorf("shown is %q of %q", got.Text, command)
			}
			shown(a.Approval)
		}
		c = &call{from: c.from, tool: tool, input: json.RawMessage(input)}
		if json.Valid(c.input) {
			b.Approval(c.approval(), c.bridge())
		}
	})
}
