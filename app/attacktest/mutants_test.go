package attacktest

import (
	"os"
	"slices"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

// TestMutants turns off the guard of every attack and wants its test to notice.
func TestMutants(t *testing.T) {
	mutants := slices.Concat(s31, s32, s33, s34, s35, s36, s37, s38, s39, s40, s41, s42, held, faultMutants)
	mutanttest.Check(t, mutants, nil)
	if os.Getenv("SAYSO_MUTANTS") == "" {
		t.Skip("takes minutes: set SAYSO_MUTANTS=1, or run .ci/run attacks")
	}
	caught, ran := mutanttest.Run(t, mutants, &mutanttest.Options{Env: []string{"SAYSO_ATTACKS=1"}, Parallel: 2})
	t.Logf("FIGURE ATTACKS %d caught/%d", caught, ran)
}
