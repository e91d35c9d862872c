package sayso_test

import (
	"testing"

	"github.com/saysohq/sayso"
)

func TestHeldUp(t *testing.T) {
	many := make([]any, 200)
	for i := range many {
		many[i] = "x"
	}
	for _, tt := range []struct {
		name        string
		blocked     any
		short, long string
	}{
		{"nothing", nil, "", ""},
		{"strange", []any{"x"}, "", ""},
		{"one", map[string]any{"tools": []any{"write"}}, "holds up 1", "next: write"},
		{"several", map[string]any{"tools": []any{"a", "b", "c", "d", "e", "f", "\x1b[2Jg"}, "agents": []any{"main", 7, " "}},
			"holds up 8", "next: a, b, c, d, e and 2 more; waiting: main"},
		{"very many", map[string]any{"agents": many}, "holds up 99 or more", "waiting: x, x, x, x, x and 94 more"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := (&sayso.Ask{Metadata: map[string]any{"blocked": tt.blocked}}).HeldUp()
			if h.Short() != tt.short || h.String() != tt.long {
				t.Errorf("%q, %q", h.Short(), h.String())
			}
		})
	}
}
