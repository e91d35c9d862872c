// Package mutanttest shows that tests can fail. It breaks the source on purpose, one mutant at a time, and wants a test to
// fail and to say why.
//
// For most uses: write a table of [Mutant] beside the tests that it is about, and call [Run], and [Check] where that is too long.
//
// All mutants of Go files are in one build, made with an overlay: nothing is written into the repository. An environment
// variable switches one of them on, so a run costs as much as its test. Mutants that edit the same text, and mutants that
// edit an embedded file (a template, a style sheet), which no variable can switch, have builds of their own.
//
// A process that the test starts is a mutant too if it is the test program and inherits its environment. Files that a
// program opens while it runs (testdata) cannot be edited, only what is compiled in.
//
// The cache of test results does not know what the runs depend on: use go test -count=1.
package mutanttest

import (
	"math/rand/v2"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// Mutant is one defect, and the test that must find it.
type Mutant struct {
	Name  string   // says what is broken; unique in its table
	In    string   // the package of the test: "./x" or "../x" from the caller, "app/x" from the top; default: the caller's
	Test  string   // that must fail: an expression for its name, with one for its subtests behind a slash
	Flags []string // of the test program; default: none
	Env   []string // NAME=value, added to the environment; default: none
	Says  string   // an expression that the output matches when the test fails for the right reason
	Edits []Edit   // at least one

	Needs func(testing.TB) // skips the mutant where a tool or a right is missing; default: nothing is needed
}

// Edit replaces a piece of one file.
type Edit struct {
	File string // from the top of the repository, in any of its modules
	Old  string // must be there exactly once
	New  string // in a Go file, the condition MUTANT stands for "this mutant is on", and must be there
}

// Options say how mutants are run; nil means the defaults.
type Options struct {
	None     map[string]string // tests that must pass while all mutants are off, by Mutant.In; default: the tests of the mutants
	Env      []string          // NAME=value, added to the environment of every run, which has no SAYSO_LONG; default: none
	EnvOn    []string          // NAME=value, added where a mutant is on; default: none
	Timeout  time.Duration     // of one run; default: 3 minutes
	Parallel int               // how many mutants may run at a time, within what -parallel allows; default: 1
	Sample   int               // how many mutants are run, chosen at random, unless SAYSO_LONG is set; default: all
	Rand     *rand.Rand        // chooses the sample; default: a source that chooses the same ones each time
	Top      string            // the folder from which files are named; default: the top of the repository
}

// Run runs the test of each mutant in a subtest, which fails unless the mutant is caught. It returns how many were caught
// of how many that ran.
func Run(t *testing.T, mutants []Mutant, o *Options) (caught, ran int) {
	t.Helper()
	r, err := newRunner(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	trials := r.plan(mutants)
	chosen := r.choose(trials)
	if len(chosen) < len(trials) {
		t.Logf("a sample of %d of %d mutants; SAYSO_LONG=1 runs all", len(chosen), len(trials))
	}
	t.Run("none", func(t *testing.T) {
		for _, m := range r.none(chosen) {
			t.Run(m.Test, func(t *testing.T) {
				if m.Needs != nil {
					m.Needs(t)
				}
				if err := r.passes(t.Context(), m); err != nil {
					t.Error(err)
				}
			})
		}
	})
	var nCaught, nRan atomic.Int64
	t.Run("caught", func(t *testing.T) { // returns when the parallel ones have ended
		slots := make(chan struct{}, r.Parallel)
		for _, trial := range chosen {
			t.Run(trial.Name, func(t *testing.T) {
				if r.Parallel > 1 {
					t.Parallel()
				}
				slots <- struct{}{}
				defer func() { <-slots }()
				if trial.err == nil && trial.Needs != nil {
					trial.Needs(t)
				}
				nRan.Add(1)
				if err := r.catches(t.Context(), trial); err != nil {
					t.Fatal(err)
				}
				nCaught.Add(1)
			})
		}
	})
	return int(nCaught.Load()), int(nRan.Load())
}

// Check fails the test if an edit no longer fits the source. It takes no time: call it
// also where the mutants are not run.
func Check(t *testing.T, mutants []Mutant, o *Options) {
	t.Helper()
	r, err := newRunner(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range r.plan(mutants) {
		if trial.err != nil {
			t.Errorf("%s: %v", trial.Name, trial.err)
		}
	}
}

// choose returns the trials that are run, in the order of the table. One that cannot be run is always among them: it fails.
func (r *runner) choose(trials []*trial) []*trial {
	if r.Sample <= 0 || r.Sample >= len(trials) || os.Getenv("SAYSO_LONG") != "" {
		return trials
	}
	in := map[*trial]bool{}
	for _, i := range r.Rand.Perm(len(trials))[:r.Sample] {
		in[trials[i]] = true
	}
	return slices.DeleteFunc(slices.Clone(trials), func(t *trial) bool { return !in[t] && t.err == nil })
}
