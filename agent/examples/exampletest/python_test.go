package exampletest_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/agent/examples/exampletest"
	"github.com/saysohq/sayso/app/testenv"
)

// The agent in Python asks, and its model is told the answer.
func TestPython(t *testing.T) {
	testenv.Tools(t, "python3")
	w := exampletest.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "python3", filepath.Join("..", "..", "..", "docs", "examples", "agent.py"), "Set up a service")
	cmd.Env = append(os.Environ(), "ANTHROPIC_BASE_URL="+w.Model.URL, "SAYSO_URL="+w.Hub, "SAYSO_KEY="+exampletest.Key, "no_proxy=*")
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "done\n" {
		t.Errorf("%v: %s", err, out)
	}
	if r := w.Model.Results(); len(r) != 1 || !strings.Contains(r[0].Text, "SQLite") {
		t.Errorf("the model was told %+v", r)
	}
}
