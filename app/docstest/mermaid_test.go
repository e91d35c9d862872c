package docstest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/testenv"
)

// TestMermaid has mermaid itself parse every diagram, and one that is wrong.
func TestMermaid(t *testing.T) {
	t.Parallel()
	library := os.Getenv("SAYSO_MERMAID")
	if library == "" {
		t.Skip("needs mermaid.min.js: set SAYSO_MERMAID to its path, or run .ci/run docs")
	}
	testenv.Tools(t, "node")
	var where []Problem
	diagrams := []string{"flowchart LR\n  A[\"not closed --> B\n"}
	for _, p := range everyPage(t) {
		for _, b := range p.Blocks {
			if b.Lang == "mermaid" {
				where = append(where, Problem{p.Name, b.Line, ""})
				diagrams = append(diagrams, strings.Join(b.Text, "\n")+"\n")
			}
		}
	}
	input, err := json.Marshal(diagrams)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "testdata/mermaid.mjs", library)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var wrong []string
	if err := json.Unmarshal(out, &wrong); err != nil || len(wrong) != len(diagrams) {
		t.Fatalf("mermaid.mjs printed %q (%v)", out, err)
	}
	if !strings.Contains(wrong[0], "error on line") {
		t.Errorf("the wrong diagram is %q", wrong[0])
	}
	for i, text := range wrong[1:] {
		if text != "" {
			where[i].Text = text
			t.Error(where[i])
		}
	}
	t.Logf("%d diagrams", len(where))
}
