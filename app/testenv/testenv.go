// Package testenv is what tests ask of their environment: a tool, a right, a
// terminal, a seed. A test says so first thing, most often with [Tools], [Root] or
// [Rand].
//
// What is not there skips the test with the reason; under CI (.ci/run sets
// SAYSO_CI) it fails the test instead, so that nothing goes untested unnoticed.
// What is random is the same in every run, unless a long run is asked for.
package testenv

import (
	"os"
	"os/exec"
	"testing"
)

// Root skips the test, or fails it under CI, unless it runs as root and finds all
// tools.
func Root(t testing.TB, tools ...string) {
	t.Helper()
	if os.Geteuid() != 0 {
		Missing(t, "root")
	}
	Tools(t, tools...)
}

// Tools skips the test, or fails it under CI, unless all tools are installed.
func Tools(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			Missing(t, tool+", which is not installed")
		}
	}
}

// Missing skips the test, or fails it under CI, because what it needs is not there.
func Missing(t testing.TB, what string) {
	t.Helper()
	end := t.Skip
	if os.Getenv("SAYSO_CI") != "" {
		end = t.Fatal
	}
	end("needs " + what)
}
