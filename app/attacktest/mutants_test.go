package attacktest

import (
	"os"
	"slices"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

// inCI is how many guards of each attack are turned off in CI.
const inCI = 2

// TestMutants turns off the guards of every attack and wants its test to notice: in
// CI the first few of each, with SAYSO_LONG all of them, which takes half an hour.
//
//	SAYSO_ATTACKS=1 SAYSO_MUTANTS=1 SAYSO_LONG=1 go test -count=1 -timeout 2h -v -run TestMutants ./attacktest
func TestMutants(t *testing.T) {
	tables := [][]mutanttest.Mutant{s31, s32, s33, s34, s35, s36, s37, s38, s39, s40, s41, s42, held, faultMutants}
	mutanttest.Check(t, slices.Concat(tables...), nil)
	if os.Getenv("SAYSO_MUTANTS") == "" {
		t.Skip("takes minutes: set SAYSO_MUTANTS=1, or run .ci/run attacks")
	}
	if os.Getenv("SAYSO_LONG") == "" {
		for i := range tables {
			tables[i] = tables[i][:min(inCI, len(tables[i]))]
		}
	}
	caught, ran := mutanttest.Run(t, slices.Concat(tables...), &mutanttest.Options{Env: []string{"SAYSO_ATTACKS=1"}, Parallel: 2})
	t.Logf("FIGURE ATTACKS %d caught/%d", caught, ran)
}
