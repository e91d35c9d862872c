package setup

import (
	"os"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

func mutant(name, test, says, file, old, new string) mutanttest.Mutant {
	return mutanttest.Mutant{Name: name, Test: test, Says: says, Edits: []mutanttest.Edit{{File: "app/setup/" + file, Old: old, New: new}}}
}

// mutants are what keeps settings and secrets safe, each turned off.
var mutants = []mutanttest.Mutant{
	mutant("what goes away is shown with its value", "TestDifficultFiles", `a secret is shown`, "diff.go",
		`sign == "-" || !ours {`, `(sign == "-" || !ours) && !MUTANT {`),
	mutant("an object that changed is shown whole", "TestDiff", `a secret is shown`, "diff.go",
		"if alike(x, y) {", "if alike(x, y) && !MUTANT {"),
	mutant("a read-only file is replaced", "TestRefused", `it is read-only`, "look.go",
		"info != nil && info.Mode().Perm()&0o222 == 0", "info != nil && !MUTANT && info.Mode().Perm()&0o222 == 0"),
	mutant("a read-only folder is written to", "TestRefused", `is read-only`, "look.go",
		"case info.Mode().Perm()&0o222 == 0:", "case info.Mode().Perm()&0o222 == 0 && !MUTANT:"),
	mutant("a change in the meantime is overwritten", "TestChangedMeanwhile", `changed meanwhile|not written`, "write.go",
		"if sum(now) != sum(f.before) &&", "if sum(now) != sum(f.before) && !MUTANT &&"),
	mutant("files before one that fails stay changed", "TestWriteFails", `failed: `, "write.go",
		"for _, f := range slices.Backward(c.files[:i]) {", "for _, f := range slices.Backward(c.files[:map[bool]int{true: 0, false: i}[MUTANT]]) {"),
	mutant("the record comes after the files", "TestKilled", `had before cannot be read|then undone`, "write.go",
		"if err := whole.keep(c.env, c.Agent, bases); err != nil {", "if MUTANT {\n\t} else if err := whole.keep(c.env, c.Agent, bases); err != nil {"),
	mutant("folders that were made stay", "TestDifficultFiles", `undone: `, "write.go",
		"if !exists(dir) {", "if MUTANT || !exists(dir) {"),
	mutant("an update forgets what was there at first", "TestUpdate", `undone: `, "look.go",
		"if kept := rec.of(f.target); kept.wrote(f.before) {", "if kept := rec.of(f.target); !MUTANT && kept.wrote(f.before) {"),
	mutant("a link is replaced by a file", "TestDifficultFiles", `the link`, "look.go",
		"if err != nil { // it is not a link", "if err != nil || MUTANT { // it is not a link"),
	mutant("somebody's own plugin is removed", "TestDifficultFiles", `undone: `, "look.go",
		"if !branded(now) {", "if !branded(now) && !MUTANT {"),
	mutant("the mode is not kept", "TestDifficultFiles", `undone: `, "look.go",
		"f.mode = info.Mode().Perm()", "if !MUTANT { f.mode = info.Mode().Perm() }"),
	mutant("a name that is there twice is taken", "TestRefused", `is there twice`, "jsonstyle.go",
		"if found != nil {", "if found != nil && !MUTANT {"),
	mutant("errors repeat the settings", "TestEditJSONRefuses", `the error repeats it`, "jsondoc.go",
		"if m := position.FindStringSubmatch(err.Error()); m != nil {", "if MUTANT { return nil, err }\n\t\tif m := position.FindStringSubmatch(err.Error()); m != nil {"),
}

func TestMutants(t *testing.T) {
	if os.Getenv("SAYSO_MUTANTS") == "" {
		mutanttest.Check(t, mutants, nil)
		t.Skip("takes a minute: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	mutanttest.Run(t, mutants, nil)
}
