package dialect_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/saysohq/sayso/dialect"
)

// TestPageDialects checks that docs/reference/dialects.md lists every dialect.
func TestPageDialects(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../docs/reference/dialects.md")
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
			t.Errorf("docs/reference/dialects.md does not list %s (%s)", s.Dialect, s.Name)
		}
	}
}
