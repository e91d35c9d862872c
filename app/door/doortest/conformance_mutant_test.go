package doortest

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// neglected are duties of the server, how to neglect them in the source, and the
// checks of the suite that must notice.
var neglected = []struct{ file, old, new, scenario, check string }{
	{"tasks.go", "if _, ok := extensions[tasks]; !ok {", "if _, ok := extensions[tasks]; !ok && false {", "server-stateless", "sep-2575-server-rejects-undeclared-capability"},
	{"tasks.go", "if _, ok := extensions[tasks]; !ok {", "if _, ok := extensions[tasks]; !ok && false {", "server-stateless", "sep-2575-missing-capability-http-400"},
	{"rung.go", "case can.Elicitation == nil:", "case can.Elicitation == nil || version >= modern:", "input-required-result-basic-elicitation", "sep-2322-elicitation-incomplete"},
	{"rung.go", "case can.Elicitation == nil:", "case can.Elicitation == nil || version >= modern:", "server-stateless", "sep-2575-http-server-no-independent-requests-on-stream"},
}

// TestConformanceNotices builds a server that neglects its duties, and the suite
// must say so of exactly those.
func TestConformanceNotices(t *testing.T) {
	t.Parallel()
	Program(t, "conformance")
	excused, err := Excused()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source, err := filepath.Abs("../mcp")
	if err != nil {
		t.Fatal(err)
	}
	scenarios, replace, want := map[string]bool{}, map[string]string{}, []string{}
	for _, n := range neglected {
		from, to := filepath.Join(source, n.file), filepath.Join(dir, n.file)
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(text), n.old) != 1 {
			t.Fatalf("%s does not have %q once", n.file, n.old)
		}
		if err := os.WriteFile(to, []byte(strings.Replace(string(text), n.old, n.new, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		scenarios[n.scenario], replace[from] = true, to
		want = append(want, n.scenario+" "+n.check)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file, mutant := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "sayso")
	if err := os.WriteFile(file, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", file, "-o", mutant, "github.com/saysohq/sayso/app/cmd/sayso")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	w := New(t)
	w.Sayso = mutant
	s := interpreter(t, w.Serve("--quota", "rate=10000"))
	var got []string
	for _, scenario := range slices.Sorted(maps.Keys(scenarios)) {
		_, problems := judge(conform(t, w, "conformance", s.URL+"/mcp", "--scenario", scenario), of(excused["conformance"], scenario), nil)
		for _, p := range problems {
			id, _, _ := strings.Cut(p, ":")
			got = append(got, id)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the suite notices\n%q, want\n%q", got, want)
	}
}

// of returns the excused checks of one scenario.
func of(excused map[string]string, scenario string) map[string]string {
	some := map[string]string{}
	for id, why := range excused {
		if strings.HasPrefix(id, scenario+" ") {
			some[id] = why
		}
	}
	return some
}
