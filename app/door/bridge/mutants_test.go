package bridge_test

import (
	"os"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

func mutant(name, test, says, file, old, new string) mutanttest.Mutant {
	return mutanttest.Mutant{Name: name, Test: test, Says: says, Edits: []mutanttest.Edit{{File: "app/door/bridge/" + file, Old: old, New: new}}}
}

var mutants = []mutanttest.Mutant{
	mutant("a decision counts for whatever would run now", "TestPermission", `told`, "request.go",
		"told.Verdict.Allowed() && q.changed(t)", "told.Verdict.Allowed() && q.changed(t) && !MUTANT"),
	mutant("a decision is used again", "TestPermissionAgain", `told 2 times`, "request.go",
		"case t.Open() || t.Consumed.IsZero() && q.counts(t):", "case t.Open() || MUTANT || t.Consumed.IsZero() && q.counts(t):"),
	mutant("an approval outlives its agent", "TestPermissionOver", `it became`, "request.go",
		"case q.Ask.Approval != nil:\n\t\treturn b.withdraw", "case q.Ask.Approval != nil && !MUTANT:\n\t\treturn b.withdraw"),
	mutant("an approval that was just stored outlives its agent", "TestPermissionJustStored", `the connection has ended, and it is`, "request.go",
		"\t\tt, err := q.bridge.hub.Submit(q.bridge.storing, a)\n", "\t\tstoring := q.bridge.storing\n\t\tif MUTANT {\n\t\t\tstoring = q.bridge.life\n\t\t}\n\t\tt, err := q.bridge.hub.Submit(storing, a)\n"),
	mutant("what a killed process left stays open", "TestPermissionKilled", `still open`, "late.go",
		"t.Ask.Origin.Host == b.opts.Host && !waiting", "t.Ask.Origin.Host == b.opts.Host && !MUTANT && !waiting"),
	mutant("an unknown answer is told as one", "TestDialogUnknown", `it became`, "request.go",
		"sayso.StatusSuperseded, errThere.Error())\n\t\t\treturn err", "map[bool]sayso.Status{true: sayso.StatusCancelled, false: sayso.StatusSuperseded}[MUTANT], errThere.Error())\n\t\t\treturn err"),
	mutant("what did not reach the agent is lost", "TestUndelivered", `""`, "request.go",
		"if q.Ask.Approval != nil || there {", "if q.Ask.Approval != nil || there || MUTANT {"),
	mutant("the agent is told twice", "TestBothAtOnce", `SQLite`, "request.go",
		"case errors.Is(err, ErrSettled):", "case errors.Is(err, ErrSettled) && !MUTANT:"),
	mutant("a hub that is away is given up", "TestHubAway", `nobody asks`, "request.go",
		"\t\tcase away(err):\n", "\t\tcase away(err) && !MUTANT:\n"),
}

func TestMutants(t *testing.T) {
	if os.Getenv("SAYSO_MUTANTS") == "" {
		mutanttest.Check(t, mutants, nil)
		t.Skip("takes a minute: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	mutanttest.Run(t, mutants, nil)
}
