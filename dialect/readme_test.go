package dialect_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/saysohq/sayso/dialect"
)

// TestReadmeDialects keeps the table of dialects in the README whole.
func TestReadmeDialects(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, "| `dialect.") {
			rows++
		}
	}
	if n := len(dialect.All()); rows != n {
		t.Errorf("the table has %d rows for %d dialects", rows, n)
	}
	for _, d := range dialect.All() {
		s := d.Spec()
		if !strings.Contains(string(data), fmt.Sprintf("| `%s` |", s.Dialect)) || !strings.Contains(string(data), fmt.Sprintf("| `%s` |", s.Name)) {
			t.Errorf("the README does not list %s (%s)", s.Dialect, s.Name)
		}
	}
}
