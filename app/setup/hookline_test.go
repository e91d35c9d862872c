package setup_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/saysohq/sayso/app/setup"
)

var update = setup.Update

// TestHookPlans: what is added to the settings of Gemini CLI and Qwen Code, beside
// what is there, and what is left of it.
func TestHookPlans(t *testing.T) {
	for _, agent := range []string{"gemini", "qwen"} {
		t.Run(agent, func(t *testing.T) {
			file := filepath.Join("testdata", agent+".txtar")
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			plan := planOf(t, agent)
			before := archive.Files[0].Data
			after, err := plan.Add(before)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := plan.Add(after); err != nil || !bytes.Equal(again, after) {
				t.Errorf("set up again, it is %s, %v", again, err)
			}
			removed, err := plan.Remove(after)
			if err != nil {
				t.Fatal(err)
			}
			got := txtar.Format(&txtar.Archive{Files: []txtar.File{{Name: "before", Data: before}, {Name: "after", Data: after}, {Name: "removed", Data: removed}}})
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := txtar.Format(archive); !bytes.Equal(got, want) {
				t.Errorf("got %s\nwant %s", got, want)
			}
		})
	}
}

// TestHookWait: the time that somebody wrote behind our command stays.
func TestHookWait(t *testing.T) {
	for _, agent := range []string{"gemini", "qwen"} {
		plan := planOf(t, agent)
		first, err := plan.Add(nil)
		if err != nil {
			t.Fatal(err)
		}
		event := map[string]string{"gemini": "BeforeTool", "qwen": "PermissionRequest"}[agent]
		at := strings.Index(string(first), event)
		edited := string(first[:at]) + strings.Replace(string(first[at:]), "hook "+agent, "hook "+agent+" --wait 10s", 1)
		again, err := plan.Add([]byte(edited))
		if err != nil || string(again) != edited {
			t.Errorf("%s: got %s, %v\nwant %s", agent, again, err, edited)
		}
	}
}

// TestHookBypass: which settings let Gemini CLI and Qwen Code decide by themselves.
func TestHookBypass(t *testing.T) {
	for _, tc := range []struct{ agent, settings, want string }{
		{"gemini", ``, ""},
		{"gemini", `{"general":{"defaultApprovalMode":"plan"}}`, ""},
		{"gemini", `{"general":{"defaultApprovalMode":"auto_edit"}}`, "auto_edit"},
		{"qwen", ``, "is not set"},
		{"qwen", "{\"tools\":{\"approvalMode\":\"default\"}} // mine\n", ""},
		{"qwen", `{"tools":{"approvalMode":"yolo"}}`, "yolo"},
		{"qwen", `{"tools":{"approvalMode":"auto"}}`, "auto"},
	} {
		e := envOf(t)
		file := filepath.Join(e.Home, "."+tc.agent, "settings.json")
		if tc.settings != "" {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(tc.settings), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := setup.Named(tc.agent).Bypass(e)
		if err != nil || (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s %s: %q, %v", tc.agent, tc.settings, got, err)
		}
	}
}

func envOf(t *testing.T) *setup.Env {
	return &setup.Env{Home: t.TempDir(), Command: []string{"/opt/my tools/sayso"}, Getenv: func(string) string { return "" }}
}

func planOf(t *testing.T, agent string) setup.File {
	t.Helper()
	plan, err := setup.Named(agent).Plan(envOf(t))
	if err != nil || len(plan.Files) != 1 {
		t.Fatal(plan, err)
	}
	return plan.Files[0]
}
