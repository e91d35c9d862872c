package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/saysohq/sayso/app/docstest"
	"github.com/saysohq/sayso/app/modeltest"
)

// TestPage runs the commands of docs/reference/sayso-agent.md, with a scripted model.
func TestPage(t *testing.T) {
	t.Parallel()
	const top, name = "../../..", "docs/reference/sayso-agent.md"
	text, err := os.ReadFile(filepath.Join(top, name))
	if err != nil {
		t.Fatal(err)
	}
	page, problems := docstest.Parse(name, string(text))
	problems = append(problems, page.Check(top)...)
	model := modeltest.New(t, service())
	config, err := json.Marshal(map[string]any{"model": map[string]any{"provider": "anthropic", "model": "m", "baseUrl": model.URL}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		"agent.json":  string(config),
		"sayso":       fmt.Sprintf("#!/bin/bash\nexec -a sayso-hub %q \"$@\"\n", self), // the commands of sayso are in this program, too
		"sayso-agent": fmt.Sprintf("#!/bin/bash\nSAYSO_AGENT_RUN=1 exec %q \"$@\"\n", self),
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if len(problems) == 0 {
		var ran int
		ran, problems = page.RunIn(filepath.Join(dir, "sayso"), []string{"SAYSO_AGENT_CONFIG=" + filepath.Join(dir, "agent.json"), "ANTHROPIC_API_KEY=none"})
		if ran == 0 {
			t.Error("no block was run")
		}
	}
	for _, p := range problems {
		t.Error(p)
	}
}
