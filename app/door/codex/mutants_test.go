package codex

import (
	"os"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

func mutant(name, test, says, file, old, new string) mutanttest.Mutant {
	return mutanttest.Mutant{Name: name, Test: test, Says: says, Edits: []mutanttest.Edit{{File: "app/door/codex/" + file, Old: old, New: new}}}
}

var mutants = []mutanttest.Mutant{
	mutant("a change that was not told can be allowed", "TestPermissionGolden", `got`, "approval.go",
		"if len(changes) == 0 {", "if len(changes) == 0 && !MUTANT {"),
	mutant("our own tools are asked for", "TestPermissionGolden", `our own`, "grants.go",
		"|| p.Server == ownServer {", "|| p.Server == ownServer && !MUTANT {"),
	mutant("what a diff does not show is not shown", "TestPermissionGolden", `got`, "approval.go",
		`c.Kind.Type != "update" || c.Kind.Move != nil`, `c.Kind.Type != "update" || c.Kind.Move != nil && !MUTANT`),
	mutant("a changed change is allowed", "TestChanged", `accept`, "asked.go",
		"if told.Verdict != nil && !told.Changed {", "if MUTANT { reply = decision{\"accept\"} } else if told.Verdict != nil && !told.Changed {"),
	mutant("what Codex says by itself is an answer", "TestQuestionThere", `it became`, "question.go",
		"if !some {\n\t\treturn nil", "if !some && !MUTANT {\n\t\treturn nil"),
	mutant("every session is joined", "TestFollow", `waits for nobody`, "session.go",
		"case now.waits() && t == nil:", "case (now.waits() || MUTANT) && t == nil:"),
	mutant("an older status replaces a newer one", "TestFollowAtOnce", `left while it waited`, "session.go",
		"if !s.told[id] {", "if MUTANT || !s.told[id] {"),
	mutant("a denial in Codex is not known", "TestPermissionThere", `it became`, "asked.go",
		`case i != nil && i.Status == "declined":`, `case i != nil && i.Status == "declined" && !MUTANT:`),
}

func TestMutants(t *testing.T) {
	if os.Getenv("SAYSO_MUTANTS") == "" {
		mutanttest.Check(t, mutants, nil)
		t.Skip("takes a minute: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	mutanttest.Run(t, mutants, nil)
}
