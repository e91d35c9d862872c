package pi

import (
	"os"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

func mutant(name, test, says, file, old, new string) mutanttest.Mutant {
	return mutanttest.Mutant{Name: name, Test: test, Says: says, Edits: []mutanttest.Edit{{File: "app/door/pi/" + file, Old: old, New: new}}}
}

var mutants = []mutanttest.Mutant{
	mutant("what is not shown can be allowed in pi's dialog", "TestPermit/too_long", "nothing is open|pi is told|it offers", "gate.go",
		"if whole && len(title) <= maxShown", "if MUTANT || whole && len(title) <= maxShown"),
	mutant("nobody decided, and it runs", "TestUndecided", "pi is told", "permit.go",
		"\tcase t == nil:\n\t\treturn blocked(undecided)", "\tcase t == nil:\n\t\tif MUTANT {\n\t\t\treturn &permitted{}\n\t\t}\n\t\treturn blocked(undecided)"),
	mutant("a file that changed is edited", "TestFiles/there", "pi is told", "permit.go",
		"\tcase t.Changed:\n", "\tcase t.Changed && MUTANT:\n\t\treturn &permitted{}\n\tcase t.Changed:\n"),
	mutant("a file that changed is edited if pi's dialog allows it", "TestFiles/here", "pi is told", "serve.go",
		"if t.Verdict.Allowed() && r.Now != nil {", "if t.Verdict.Allowed() && r.Now != nil && !MUTANT {"),
	mutant("a changed input is forgotten", "TestPermit/changed_there", "pi is told", "permit.go",
		"case t.Verdict.Input == \"\":", "case MUTANT || t.Verdict.Input == \"\":"),
	mutant("a second dialog takes the place of the first", "TestTwo", "at once", "serve.go",
		"\t\t\tdefer func() { <-s.screen }()", "\t\t\tif MUTANT {\n\t\t\t\t<-s.screen\n\t\t\t} else {\n\t\t\t\tdefer func() { <-s.screen }()\n\t\t\t}"),
	mutant("Esc denies", "TestPermit/escape", "nothing is open|pi is told", "gate.go",
		"\tif err != nil || !ok {\n\t\treturn nil\n\t}\n\tans :=", "\tif MUTANT && !ok {\n\t\tchosen = denyChoice\n\t} else if err != nil || !ok {\n\t\treturn nil\n\t}\n\tans :="),
	mutant("an ambiguous edit is shown as a diff", "TestChange", "missing", "permit.go",
		"strings.Count(*before, *e.Old) != 1 ||", "!MUTANT && strings.Count(*before, *e.Old) != 1 ||"),
}

func TestMutants(t *testing.T) {
	if os.Getenv("SAYSO_MUTANTS") == "" {
		mutanttest.Check(t, mutants, nil)
		t.Skip("takes a minute: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	mutanttest.Run(t, mutants, nil)
}
