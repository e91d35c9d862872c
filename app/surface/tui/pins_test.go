package tui

import (
	"os"
	"strings"
	"testing"
)

// Versions that must not move without a look: docs/records/dependencies.md says why.
func TestPins(t *testing.T) {
	data, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for module, reason := range map[string]string{
		"charm.land/lipgloss/v2 v2.0.5":                                           "v2.0.6 asks for an ultraviolet that leaves ghost rows",
		"github.com/charmbracelet/ultraviolet v0.0.0-20260703014108-f5a850f9c2b7": "the next one leaves ghost rows",
		"github.com/mattn/go-runewidth v0.0.24":                                   "from v0.0.26 on it fills a table of 1.1 M runes at every start of every command",
		"github.com/charmbracelet/x/ansi v0.11.7":                                 "v0.11.9 asks for that go-runewidth",
	} {
		if !strings.Contains(string(data), "\t"+module+"\n") && !strings.Contains(string(data), "\t"+module+" // indirect\n") {
			t.Errorf("%s is pinned: %s", module, reason)
		}
	}
}
