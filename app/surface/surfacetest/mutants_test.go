package surfacetest_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/mutanttest"
	"github.com/saysohq/sayso/app/surface/surfacetest"
)

// surfaceMutant is a defect of one surface that breaks one rule.
type surfaceMutant struct {
	rule, surface string
	mutanttest.Mutant
}

// breaks is a mutant of a surface, in a file of its package. The test is a case of the
// rule, or one of the package alone, whose name begins with Test.
func breaks(rule, surface, name, test, says, file, old, new string) surfaceMutant {
	i := slices.IndexFunc(surfacetest.Surfaces, func(s surfacetest.Listed) bool { return s.Name == surface })
	in, run, _ := strings.Cut(surfacetest.Surfaces[i].Test, ".")
	source := in
	switch surface {
	case plain: // the suite runs it here
		source = "prompt"
	case mcpForm: // in every version of the protocol
		run += "/[^/]*"
	}
	if !strings.HasPrefix(test, "Test") {
		test = run + "/" + rule + "/" + test
	}
	return surfaceMutant{rule, surface, mutanttest.Mutant{
		Name: rule + ", " + surface + ": " + name, In: in, Test: test, Says: says,
		Edits: []mutanttest.Edit{{File: source + "/" + file, Old: old, New: new}},
	}}
}

// surfaceMutants are all of them, by the kind of the surface.
var surfaceMutants = map[string][]surfaceMutant{
	"lines":    slices.Concat(linesMutants, linesApprovalMutants),
	"desktop":  desktopMutants,
	"chat":     slices.Concat(telegramMutants, slackMutants),
	"command":  slices.Concat(commandMutants, commandApprovalMutants),
	"terminal": slices.Concat(terminalMutants, terminalApprovalMutants),
	"page":     pageMutants,
	"protocol": slices.Concat(protocolMutants, acpMutants),
}

// patient waits for the browsers of a busy machine, and not for long for what a mutant
// never does.
var patient = &mutanttest.Options{Timeout: 10 * time.Minute, Parallel: 3, EnvOn: []string{"SAYSO_PATIENCE=25s"}}

// TestMutants breaks every rule on surfaces of every kind, and wants the case that is
// about it to fail:
//
//	SAYSO_MUTANTS=1 go test -count=1 -timeout 1h -run TestMutants ./surface/surfacetest
func TestMutants(t *testing.T) {
	all := everyMutant(t)
	if os.Getenv("SAYSO_MUTANTS") == "" {
		t.Skip("takes minutes: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	mutanttest.Run(t, all, patient)
}

func TestFigure_SURFACEMUTANTS(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	caught, ran := mutanttest.Run(t, everyMutant(t), patient)
	t.Logf("FIGURE SURFACEMUTANTS %d caught/%d", caught, ran)
}

// everyMutant returns all mutants. It fails the test if a rule lacks one on a kind of
// surface that it concerns, or an edit no longer fits.
func everyMutant(t *testing.T) []mutanttest.Mutant {
	t.Helper()
	var all []mutanttest.Mutant
	broken := map[[2]string]bool{} // by kind and rule
	kinds := map[string]string{}
	for _, s := range surfacetest.Surfaces {
		kinds[s.Name] = s.Kind
	}
	for _, kind := range slices.Sorted(maps.Keys(surfaceMutants)) {
		for _, m := range surfaceMutants[kind] {
			if kinds[m.surface] != kind {
				t.Errorf("%s: %q is not a surface of the kind %s", m.Name, m.surface, kind)
			}
			broken[[2]string{kind, m.rule}] = true
			all = append(all, m.Mutant)
		}
	}
	for _, s := range surfacetest.Surfaces {
		for _, r := range surfacetest.Rules {
			if surfaceMutants[s.Kind] != nil && s.Exempt[r.ID] == "" && !broken[[2]string{s.Kind, r.ID}] {
				t.Errorf("no mutant breaks %s (%s) on a surface of the kind %s", r.ID, r.Name, s.Kind)
			}
		}
	}
	mutanttest.Check(t, all, patient)
	return all
}
