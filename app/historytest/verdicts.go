package historytest

import (
	"sync/atomic"
	"testing"

	"github.com/anishathalye/porcupine"
)

// Verdicts count what the checks of many histories say. Their methods may be called from several goroutines.
type Verdicts struct {
	Ops     atomic.Int64 // that were checked
	Illegal atomic.Int64 // histories
}

// Check checks a history to which nothing more is done.
func (v *Verdicts) Check(t testing.TB, h *History) {
	n, result := h.Check()
	v.Ops.Add(int64(n))
	if result != porcupine.Ok {
		if v.Illegal.Add(1) <= 3 {
			t.Errorf("porcupine says %s of %s", result, h)
		}
	}
}

// Require ends the test if the history is illegal already. It counts nothing.
func (h *History) Require(t testing.TB) {
	t.Helper()
	if _, result := h.Check(); result != porcupine.Ok {
		t.Fatalf("porcupine says %s of %s", result, h)
	}
}
