package opencode

import (
	"os"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

func mutant(name, test, says, file, old, new string) mutanttest.Mutant {
	return mutanttest.Mutant{Name: name, Test: test, Says: says, Edits: []mutanttest.Edit{{File: "app/door/opencode/" + file, Old: old, New: new}}}
}

var mutants = []mutanttest.Mutant{
	mutant("a call whose input is not there yet is taken for one without arguments", "TestCall", `does not have its input yet`, "wire.go",
		`if p.State.Status == "pending" ||`, `if !MUTANT && p.State.Status == "pending" ||`),
	mutant("the input of one tool is shown for another", "TestApproval", `not as in`, "permission.go",
		"known = w.Permission == w.call.Tool ||", "known = MUTANT || w.Permission == w.call.Tool ||"),
	mutant("another command runs than is shown", "TestApproval", `not as in`, "permission.go",
		"in == nil || *in != *command {", "!MUTANT && (in == nil || *in != *command) {"),
	mutant("a denial without words ends the turn", "TestDecide", `would end the turn`, "offer.go",
		"d.Message = v.Message; sayso.Blank(d.Message) {", "d.Message = v.Message; sayso.Blank(d.Message) && !MUTANT {"),
	mutant("a rule that nobody can read is offered", "TestApproval", `not as in`, "offer.go",
		"sayso.SafeLine(s) != s ||", "!MUTANT && sayso.SafeLine(s) != s ||"),
	mutant("an answer that came too late is told again", "TestTranscripts/question-both", `the wire is not`, "request.go",
		"case status == http.StatusNotFound:", "case status == http.StatusNotFound && !MUTANT:"),
	mutant("what was interrupted stays open", "TestTranscripts/question-interrupted", `the wire is not`, "door.go",
		"if w.session == session {", "if w.session == session && !MUTANT {"),
	mutant("opencode run asks a person whom it does not wait for", "TestTranscripts/permission-run", `the wire is not`, "plugin.go",
		`d.alone = m.Command == "run"`, `d.alone = m.Command == "run" && !MUTANT`),
	mutant("what waits is not found by the next bridge", "TestTranscripts/question-restarted", `nobody asks|the wire is not`, "door.go",
		"\t\t\td.take(dir, e)\n", "\t\t\tif !MUTANT {\n\t\t\t\td.take(dir, e)\n\t\t\t}\n"),
}

func TestMutants(t *testing.T) {
	if os.Getenv("SAYSO_MUTANTS") == "" {
		mutanttest.Check(t, mutants, nil)
		t.Skip("takes a minute: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	mutanttest.Run(t, mutants, nil)
}
