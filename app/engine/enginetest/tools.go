package enginetest

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// NeedRoot skips the test, or fails it under CI, unless it runs as root and finds all tools.
func NeedRoot(t testing.TB, tools ...string) {
	t.Helper()
	if os.Geteuid() != 0 {
		missing(t, "needs root")
	}
	NeedTools(t, tools...)
}

// NeedTools skips the test, or fails it under CI, unless all tools are installed.
func NeedTools(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			missing(t, "needs "+tool+", which is not installed")
		}
	}
}

func missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("SAYSO_CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// run runs a command and fails the test when it fails.
func run(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}
