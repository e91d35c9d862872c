package httpapi

import (
	"os"
	"testing"
)

// figures skips a test that measures, unless it is asked for.
func figures(t *testing.T) {
	t.Helper()
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
}
