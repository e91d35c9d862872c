package natsserver_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOneFileCallsTheCheck keeps all calls into storecheck in guard.go: what a new nats-server may change stays in sight.
func TestOneFileCallsTheCheck(t *testing.T) {
	files, err := filepath.Glob("*.go")
	must(t, err)
	calls := map[string]bool{}
	for _, name := range files {
		b, err := os.ReadFile(name)
		must(t, err)
		if text := string(b); !strings.HasSuffix(name, "_test.go") && (strings.Contains(text, "internal/storecheck") || strings.Contains(text, ".guard.")) {
			calls[name] = true
		}
	}
	if len(calls) != 1 || !calls["guard.go"] {
		t.Errorf("storecheck is called in %v, want guard.go alone", calls)
	}
}
