package claude_test

import (
	"os"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

func mutant(name, test, says, file, old, new string) mutanttest.Mutant {
	return mutanttest.Mutant{Name: name, Test: test, Says: says, Edits: []mutanttest.Edit{{File: "app/door/" + file, Old: old, New: new}}}
}

// mutants are the guards of approvals, each turned off.
var mutants = []mutanttest.Mutant{
	mutant("a file that changed is edited", "TestTranscripts/permit-file-changed", `"behavior": "allow"`, "hook/permit.go",
		"v.Allowed() && now.Digest() != has.Digest", "!MUTANT && v.Allowed() && now.Digest() != has.Digest"),
	mutant("an allow counts for the same call again", "TestRan/the_same_call_asks_again", `index out of range`, "hook/permit.go",
		"|| t.Consumed.IsZero() && a.Verdict(t.Outcome) != nil {", "|| MUTANT || t.Consumed.IsZero() && a.Verdict(t.Outcome) != nil {"),
	mutant("what nobody waits for stays open", "TestRan/dismissed", `the hub has map\[open:1\]`, "hook/permit.go",
		"\t_, err := d.hub.Withdraw(ctx, handle, sayso.StatusCancelled, reason)\n", "\tif MUTANT {\n\t\treturn nil\n\t}\n\t_, err := d.hub.Withdraw(ctx, handle, sayso.StatusCancelled, reason)\n"),
	mutant("equal calls are taken for each other", "TestRan/equal_calls_side_by_side,_at_the_terminal", `it is said to be`, "hook/notes.go",
		"\tif len(ids) != 1 {\n", "\tif len(ids) != 1 && !(MUTANT && len(ids) > 0) {\n"),
	mutant("a request is taken for that of an earlier call", "TestRan/an_equal_call_that_found_no_hub", `which was asked for before`, "hook/notes.go",
		"\treturn id, n.end(id)\n", "\tif MUTANT {\n\t\treturn id, nil\n\t}\n\treturn id, n.end(id)\n"),
	mutant("a run that was allowed in the inbox closes another", "TestRan/equal_calls_side_by_side,_in_the_inbox", `the hub has map`, "hook/ran.go",
		"\t\tcase toldAllow:\n\t\t\ta.remove() // this is its run\n\t\t\treturn err\n", "\t\tcase toldAllow:\n\t\t\ta.remove() // this is its run\n\t\t\tif !MUTANT {\n\t\t\t\treturn err\n\t\t\t}\n"),
	mutant("a failure is told as a run", "TestRan/denied_elsewhere,_which_is_told_as_a_failure", `late: allow on claude-code`, "hook/ran.go",
		"len(decided) == 1 && !about.Failed", "len(decided) == 1 && (MUTANT || !about.Failed)"),
	mutant("a killed process leaves its request open", "TestRan/lost,_and_found_by_the_next_call", `the hub has map\[open:1\]`, "hook/ran.go",
		"\t\tif !a.lost() {\n\t\t\tcontinue\n", "\t\tif MUTANT || !a.lost() {\n\t\t\tcontinue\n"),
	mutant("a plan is approved without its input", "TestTranscripts/permit-plan", `updatedInput`, "claudecall/decide.go",
		"if c.Tool == toolPlan {\n\t\t\td.Input", "if c.Tool == toolPlan && !MUTANT {\n\t\t\td.Input"),
	mutant("a plan that is not there is approved", "TestTranscripts/permit-plan-missing", `mode_default`, "claudecall/offer.go",
		"\tif sayso.Blank(c.member(\"plan\")) {\n\t\treturn nil\n", "\tif !MUTANT && sayso.Blank(c.member(\"plan\")) {\n\t\treturn nil\n"),
	mutant("a rule goes to another file", "TestTranscripts/permit-project", `projectSettings`, "claudecall/offer.go",
		"\t\ts.Destination = d.name\n", "\t\tif !MUTANT {\n\t\t\ts.Destination = d.name\n\t\t}\n"),
	mutant("a denial does not end the turn", "TestTranscripts/permit-stop", `interrupt`, "claudecall/decide.go",
		"\t\t\td.Interrupt = o.Stops\n", "\t\t\td.Interrupt = o.Stops && !MUTANT\n"),
}

func TestMutants(t *testing.T) {
	if os.Getenv("SAYSO_MUTANTS") == "" {
		mutanttest.Check(t, mutants, nil)
		t.Skip("takes a minute: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	mutanttest.Run(t, mutants, nil)
}
