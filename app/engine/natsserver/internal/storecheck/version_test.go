package storecheck

import (
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// TestServerVersion fails when nats-server is upgraded, in either module that links it, until this package is too.
func TestServerVersion(t *testing.T) {
	const top = "../../../../.."
	versions := map[string]string{"the server in this test": "v" + server.VERSION}
	for _, module := range []string{"app", "agent"} {
		b, err := os.ReadFile(filepath.Join(top, module, "go.mod"))
		must(t, err)
		versions[module+"/go.mod"] = required(string(b))
	}
	for _, where := range sortedKeys(versions) {
		if versions[where] != serverVersion {
			t.Errorf("nats-server is %s according to %s, and this package knows the files of %s", versions[where], where, serverVersion)
		}
	}
	if t.Failed() {
		t.Log(checklist(t))
	}
}

// required returns the nats-server that a go.mod has: the version that it requires, or what it puts in its place.
func required(gomod string) string {
	const module = `github\.com/nats-io/nats-server/v2`
	if m := regexp.MustCompile(`(?m)^.*` + module + `( \S+)? => .*$`).FindString(gomod); m != "" {
		return strings.TrimSpace(m)
	}
	if m := regexp.MustCompile(`(?m)^(?:require)?\s+` + module + ` (v\S+)`).FindStringSubmatch(gomod); m != nil {
		return m[1]
	}
	return "(none)"
}

func TestRequired(t *testing.T) {
	for gomod, want := range map[string]string{
		"require (\n\tgithub.com/nats-io/nats-server/v2 v2.15.2\n)\n":                                               "v2.15.2",
		"require (\n\tgithub.com/nats-io/nats-server/v2 v2.16.0 // indirect\n)\n":                                   "v2.16.0",
		"require github.com/nats-io/nats-server/v2 v2.16.0-RC.1\n":                                                  "v2.16.0-RC.1",
		"require github.com/nats-io/nats-server/v2 v2.15.2\nreplace github.com/nats-io/nats-server/v2 => ../fork\n": "replace github.com/nats-io/nats-server/v2 => ../fork",
		"replace (\n\tgithub.com/nats-io/nats-server/v2 v2.15.2 => github.com/nats-io/nats-server/v2 v2.15.3\n)\n":  "github.com/nats-io/nats-server/v2 v2.15.2 => github.com/nats-io/nats-server/v2 v2.15.3",
		"require github.com/nats-io/nats.go v1.55.0\n":                                                              "(none)",
	} {
		if got := required(gomod); got != want {
			t.Errorf("%q has %q, want %q", gomod, got, want)
		}
	}
}

// checklist is the part of the package comment that says how to renew this package.
func checklist(t *testing.T) string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.PackageClauseOnly|parser.ParseComments)
	must(t, err)
	var p comment.Parser
	text := string((&comment.Printer{TextWidth: 100}).Text(p.Parse(f.Doc.Text())))
	const heading = "# When nats-server is upgraded\n"
	_, list, ok := strings.Cut(text, heading)
	if !ok {
		t.Fatalf("the package comment has no section %q", heading)
	}
	return heading + list
}
