package sayso

import (
	"strings"
	"testing"
)

func TestTraceID(t *testing.T) {
	t.Parallel()
	const id, good = "4bf92f3577b34da6a3ce929d0e0e4736", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	if got := TraceID(good); got != id {
		t.Errorf("%q", got)
	}
	for _, bad := range []string{
		"", "00", id, strings.ToUpper(good), "01" + good[2:], "ff" + good[2:], good + "-00", good + "0", good[:54],
		"00-00000000000000000000000000000000-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
		"00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-x1", good[:30] + "\n" + good[31:],
	} {
		if got := TraceID(bad); got != "" {
			t.Errorf("%q has the trace id %q", bad, got)
		}
	}
}

// TestTraceparent: an ask with one is the same ask as without.
func TestTraceparent(t *testing.T) {
	t.Parallel()
	a := &Ask{Questions: []Question{{Text: "Which?"}}, Origin: Origin{ToolCall: "c1"}}
	a.Normalize()
	b := a.Clone()
	b.Origin.Traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	if a.Digest() != b.Digest() || a.DeriveID() != b.DeriveID() || b.Validate(Limits{}) != nil {
		t.Error("a traceparent makes another ask of it, or an invalid one")
	}
	b.Origin.Traceparent = "mine"
	if err := b.Validate(Limits{}); err == nil || !strings.Contains(err.Error(), "origin.traceparent") {
		t.Errorf("%v", err)
	}
}
