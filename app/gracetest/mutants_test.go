package gracetest

import (
	"os"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

func mutant(name, says, file, old, new string) mutanttest.Mutant {
	return mutanttest.Mutant{Name: name, Test: "TestGrace", Flags: []string{"-schedules=6", "-patience=20s"}, Says: says, Edits: []mutanttest.Edit{{File: file, Old: old, New: new}}}
}

// The mutants. Each breaks one promise about answers that are held.
var mutants = []mutanttest.Mutant{
	mutant("a hold is kept in memory only", `lost: `, "hub/codec.go",
		"	for s := (state{", "	if MUTANT {\n		c := *t\n		c.Held = nil\n		t = &c\n	}\n	for s := (state{"),
	mutant("what was taken back counts", `delivered after it was cancelled`, "hub/after.go",
		"			c.Held = nil\n", "			if !MUTANT {\n				c.Held = nil\n			}\n"),
	mutant("the person is told before it is taken back", `delivered after it was cancelled`, "client/asks.go",
		"	nonce := seen.Nonce\n", "	if MUTANT {\n		return seen, nil\n	}\n	nonce := seen.Nonce\n"),
	mutant("a hold ends at once", `before`, "hub/expire.go",
		"	case t.Held != nil && h.overdue(t.Held.Until):\n", "	case t.Held != nil && (MUTANT || h.overdue(t.Held.Until)):\n"),
	mutant("a hold never ends", `lost: `, "hub/expire.go",
		"		return h.released(t)\n", "		if MUTANT {\n			return nil\n		}\n		return h.released(t)\n"),
	mutant("the receipt of the agent is not stored", `in the end the ask is`, "hub/after.go",
		"		c.Consumed, c.Replayed = now, false\n", "		c.Consumed, c.Replayed = now, false\n		if MUTANT {\n			return nil, nil\n		}\n"),
}

// TestMutants wants the schedules to find every one of these:
//
//	SAYSO_MUTANTS=1 go test -count=1 -run TestMutants ./gracetest
func TestMutants(t *testing.T) {
	if os.Getenv("SAYSO_MUTANTS") == "" {
		mutanttest.Check(t, mutants, nil)
		t.Skip("takes two minutes: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	mutanttest.Run(t, mutants, nil)
}
