package archtest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// kindCall is a place where kinds are treated differently.
var kindCall = regexp.MustCompile(`\bsayso\.(ByKind|ByAskKind)\(`)

// TestNewKind adds a kind of question and a kind of ask, as a colleague would, to
// kind.go alone: the compiler must point to every place that has to decide what
// becomes of it. Places in packages that import another one with such a place come
// up when that one compiles.
func TestNewKind(t *testing.T) {
	t.Parallel()
	places := map[string][]string{} // files with such calls, by package
	deps := map[string][]string{}
	for _, m := range modules {
		for line := range strings.Lines(gotoolIn(t, filepath.Join(top, m), nil, "list", "-f", "{{$p := .}}{{range .GoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}} {{join $p.Deps \" \"}}\n{{end}}", "./...")) {
			fields := strings.Fields(line)
			if len(fields) > 1 && kindCall.MatchString(read(t, "", fields[1])) {
				places[fields[0]] = append(places[fields[0]], fields[1])
				deps[fields[0]] = fields[2:]
			}
		}
	}
	for _, pkg := range []string{"prompt", "app/surface/tui", "app/surface/web", "app/internal/cli", "app/door/jsonrpc", "app/door/mcp", "app/door/acp"} {
		if places[module+"/"+pkg] == nil {
			t.Errorf("%s shows questions and never calls sayso.ByAskKind", pkg)
		}
	}
	kinds := read(t, top, "kind.go")
	for old, new := range map[string]string{
		"text, choice, choices T) T":              "text, choice, choices, approval T) T",
		"ByKind(q, false, false, true)":           "ByKind(q, false, false, true, false)",
		"ByKind(q, false, true, true)":            "ByKind(q, false, true, true, false)",
		"KindText, KindChoice, KindChoices) ":     "KindText, KindChoice, KindChoices, KindText) ",
		"(a *Ask, questions, approval T) T":       "(a *Ask, questions, approval, vote T) T",
		"ByAskKind(a, AskQuestions, AskApproval)": "ByAskKind(a, AskQuestions, AskApproval, AskApproval)",
	} {
		old, new = strings.TrimSuffix(old, " "), strings.TrimSuffix(new, " ")
		if strings.Count(kinds, old) != 1 {
			t.Fatalf("kind.go has %q %d times; correct this test", old, strings.Count(kinds, old))
		}
		kinds = strings.Replace(kinds, old, new, 1)
	}
	dir := t.TempDir()
	write(t, dir, "kind.go", kinds)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{abs(t, filepath.Join(top, "kind.go")): filepath.Join(dir, "kind.go")}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "overlay.json", string(overlay))
	said := ""
	for _, m := range modules {
		cmd := exec.Command("go", "build", "-gcflags=-e", "-overlay", filepath.Join(dir, "overlay.json"), "-o", os.DevNull, "./...")
		cmd.Dir = filepath.Join(top, m)
		cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false")
		out, _ := cmd.CombinedOutput()
		said += string(out)
	}
	for pkg, files := range places {
		if slices.ContainsFunc(deps[pkg], func(d string) bool { return places[d] != nil }) {
			continue
		}
		for _, file := range files {
			want := len(kindCall.FindAllString(read(t, "", file), -1))
			inFile := filepath.Join(filepath.Base(filepath.Dir(file)), filepath.Base(file))
			got := len(regexp.MustCompile(regexp.QuoteMeta(inFile)+`:\d+:\d+: not enough arguments in call to sayso\.By`).FindAllString(said, -1))
			if got < want {
				t.Errorf("%s treats kinds differently in %d places, the compiler points to %d:\n%s", file, want, got, said)
			}
		}
	}
}
