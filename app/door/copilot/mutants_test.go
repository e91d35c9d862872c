package copilot

import (
	"os"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

func mutant(name, test, says, file, old, new string) mutanttest.Mutant {
	return mutanttest.Mutant{Name: name, Test: test, Says: says, Edits: []mutanttest.Edit{{File: "app/door/copilot/" + file, Old: old, New: new}}}
}

var mutants = []mutanttest.Mutant{
	mutant("what Copilot decides is taken for a person's decision", "TestDecidedThere", `it became`, "decide.go",
		`case c.Source != "human_response":`, `case c.Source != "human_response" && !MUTANT:`),
	mutant("a file that changed is written", "TestFile", `was told`, "permission.go",
		"if read != nil {", "if read != nil && !MUTANT {"),
	mutant("what Copilot does not tell can be allowed", "TestShown", `is shown as`, "permission.go",
		"if len(a.Missing) == 0 || o.Act", "if MUTANT || len(a.Missing) == 0 || o.Act"),
	mutant("a person is asked for permission to be asked", "TestNotOurs", `the hub has`, "permission.go",
		`r.Kind == "mcp" && r.Server == "sayso"`, `r.Kind == "mcp" && r.Server == "sayso" && !MUTANT`),
	mutant("an extension is trusted from the inbox", "TestNotOurs", `the hub has`, "permission.go",
		"slices.Contains(trust, r.Kind) ||", "slices.Contains(trust, r.Kind) && !MUTANT ||"),
	mutant("forms of MCP servers are asked again", "TestNotOurs", `the hub has`, "question.go",
		`f.Source != "" ||`, `f.Source != "" && !MUTANT ||`),
	mutant("a form that was dismissed counts as one that was sent", "TestThere", `it became`, "question.go",
		`case c.Action == "accept":`, `case c.Action == "accept" || MUTANT:`),
	mutant("the words of a denial are lost", "TestDecide", `was told`, "decide.go",
		"!sayso.Blank(t.Verdict.Message) {", "!sayso.Blank(t.Verdict.Message) && !MUTANT {"),
}

func TestMutants(t *testing.T) {
	if os.Getenv("SAYSO_MUTANTS") == "" {
		mutanttest.Check(t, mutants, nil)
		t.Skip("takes a minute: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	mutanttest.Run(t, mutants, nil)
}
