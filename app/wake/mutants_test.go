package wake_test

import (
	"os"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

func mutant(name, test, says, file, old, new string) mutanttest.Mutant {
	return mutanttest.Mutant{Name: name, Test: test, Says: says, Edits: []mutanttest.Edit{{File: "app/wake/" + file, Old: old, New: new}}}
}

const tooMany = `runs, and \d recorded, want|runs, want|runs, recorded`

// mutants are the guards that keep a command from being run, each turned off.
var mutants = []mutanttest.Mutant{
	mutant("runs twice", "^TestKilled$|^TestWake$|^TestOnce$", tooMany, "run.go",
		"		case errors.Is(err, hub.ErrConflict):\n			return false, nil\n", "		case errors.Is(err, hub.ErrConflict):\n			return MUTANT, nil\n"),
	mutant("does not look at the answer again", "^TestWake$", tooMany, "waker.go", "	if !w.counts(now) {\n", "	if !w.counts(now) && (!MUTANT || now.Open()) {\n"),
	mutant("an answer can no longer be undone", "TestWake/undone,_and_answered_again", "could still be undone", "waker.go",
		"	if w.o.Now().Before(now.Outcome.At.Add(w.o.Grace)) {\n", "	if w.o.Now().Before(now.Outcome.At.Add(w.o.Grace)) && !MUTANT {\n"),
	mutant("an answer that the agent has", "TestWake/the_agent_has_it.*", tooMany, "waker.go", "t.Consumed.IsZero() && t.Ask.Approval == nil", "(MUTANT || t.Consumed.IsZero()) && t.Ask.Approval == nil"),
	mutant("an approval", "TestWake/an_approval.*", tooMany, "waker.go", "t.Consumed.IsZero() && t.Ask.Approval == nil", "t.Consumed.IsZero() && (MUTANT || t.Ask.Approval == nil)"),
	mutant("a question that was declined", "TestWake/declined.*", tooMany, "waker.go", "t.Outcome.Status == sayso.StatusAnswered && ", "(MUTANT || t.Outcome.Status == sayso.StatusAnswered) && "),
	mutant("an old answer", "TestWake/answered_long.*", tooMany, "waker.go", "w.o.Now().Sub(t.Outcome.At) < maxAge", "(MUTANT || w.o.Now().Sub(t.Outcome.At) < maxAge)"),
	mutant("the agent runs", "TestWake/the_agent_runs.*", tooMany, "waker.go", "	if note.Process.Life() != Gone ||", "	if !MUTANT && note.Process.Life() != Gone ||"),
	mutant("its MCP server runs", "TestWake/its_MCP_server.*", tooMany, "waker.go", `note.Through != "" && note.Through.Life() != Gone`, `!MUTANT && note.Through != "" && note.Through.Life() != Gone`),
	mutant("another process has the session", "TestWake/another_process.*", tooMany, "waker.go", "|| w.o.Notes.Lives(note.Agent, note.ID) {", "|| !MUTANT && w.o.Notes.Lives(note.Agent, note.ID) {"),
	mutant("the session is being resumed", "^TestBusy$", "runs, want", "waker.go", "	if err != nil || busy {\n", "	if err != nil || busy && !MUTANT {\n"),
	mutant("a run in doubt", "^TestBusy$", "runs, want", "run.go", "			return now.Sub(r.At) < inDoubt\n", "			return now.Sub(r.At) < inDoubt && !MUTANT\n"),
	mutant("any id of a session", "^TestWake$", tooMany, "config.go", "	if !plain(s.ID) {\n", "	if !plain(s.ID) && !MUTANT {\n"),
	mutant("a flag as the id", "TestWake/a_flag.*", tooMany, "config.go", `|| id[0] == '-' {`, `|| id[0] == '-' && !MUTANT {`),
	mutant("any folder", "^TestWake$", tooMany, "config.go", "err == nil && filepath.IsLocal(inside) {", "err == nil && (MUTANT || filepath.IsLocal(inside)) {"),
	mutant("links are followed", "TestWake/a_link.*", tooMany, "config.go", "	real, err := filepath.EvalSymlinks(dir)\n", "	real, err := filepath.EvalSymlinks(dir)\n	if MUTANT {\n		real = dir\n	}\n"),
	mutant("the note of another ask", "TestWake/the_note_of_another.*", tooMany, "notes.go", "note) != nil || note.Handle != handle {", "note) != nil || note.Handle != handle && !MUTANT {"),
	mutant("another session is told", "^TestTakeLateAgain$", "is told", "late.go", "slices.Contains(ids, t.Again.Of)", "(MUTANT || slices.Contains(ids, t.Again.Of))"),
	mutant("the environment of an agent", "^TestEnvironment$", "want", "resume.go", "		return slices.Contains(ofAgents, name)\n", "		return slices.Contains(ofAgents, name) && !MUTANT\n"),
}

func TestMutants(t *testing.T) {
	if os.Getenv("SAYSO_MUTANTS") == "" {
		mutanttest.Check(t, mutants, nil)
		t.Skip("takes a minute: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	mutanttest.Run(t, mutants, nil)
}
