package acp

import (
	"os"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

func mutant(name, test, says, file, old, new string) mutanttest.Mutant {
	return mutanttest.Mutant{Name: name, Test: test, Says: says, Edits: []mutanttest.Edit{{File: "app/door/acp/" + file, Old: old, New: new}}}
}

var mutants = []mutanttest.Mutant{
	mutant("a decision counts for whatever would run now", "TestTranscripts/approval_changed", `the wire is not`, "decide.go",
		"now != nil && now.Digest() == t.Digest", "now != nil && (MUTANT || now.Digest() == t.Digest)"),
	mutant("what decides nothing is taken from the hub", "TestTranscripts/approval_declined", `the wire is not`, "decide.go",
		"r.approval == nil || r.ask.Verdict(t.Outcome) != nil && r.same(t)", "r.approval == nil || MUTANT || r.ask.Verdict(t.Outcome) != nil && r.same(t)"),
	mutant("nobody decided, and it is allowed", "TestTranscripts/approval_no_editor_declined", `the wire is not`, "approval.go",
		"\t\tif c.denies() {\n\t\t\treturn selected(c.ID)", "\t\tif c.denies() != MUTANT {\n\t\t\treturn selected(c.ID)"),
	mutant("what is not known can be allowed", "TestTranscripts/approval_unknown_input", `the wire is not`, "offers.go",
		"(!d.known || len(c.Name) > maxName)", "(!d.known && !MUTANT || len(c.Name) > maxName)"),
	mutant("what the agent said before is forgotten", "TestTranscripts/approval_codex_acp", `nobody asks|the wire is not`, "sessions.go",
		"\t\tone.note(&p.Update.toolCall)\n", "\t\tif !MUTANT {\n\t\t\tone.note(&p.Update.toolCall)\n\t\t}\n"),
	mutant("an allow counts for the next call too", "TestApprovalTwice", `the second call got`, "waiting.go",
		"\t\town.Origin.ToolCall += \"\\x00\" + p.run + string(m.ID)\n", "\t\tif !MUTANT {\n\t\t\town.Origin.ToolCall += \"\\x00\" + p.run + string(m.ID)\n\t\t}\n"),
	mutant("the hub is reported to have been heard", "TestApprovalTwoDecisions", `the record`, "settle.go",
		"if !hubs.take() && c.faster {", "if !hubs.take() && c.faster && !MUTANT {"),
	mutant("the editor waits for a hub that is away", "TestApprovalTwoDecisions", `the agent was told`, "settle.go",
		"\tif r.approval == nil {\n\t\treturn r.close(ctx, t, e, &hub)", "\tif r.approval == nil || MUTANT {\n\t\treturn r.close(ctx, t, e, &hub)"),
	mutant("an approval outlives its agent", "TestTranscripts/approval_agent_dies", `the wire is not`, "race.go",
		"case r.approval != nil && (e.err != nil", "case r.approval != nil && !MUTANT && (e.err != nil"),
	mutant("an approval that was just stored outlives its agent", "TestApprovalJustStored", `the editor has gone, and it is`, "race.go",
		"\tt, err := r.submit(storing)\n", "\tif MUTANT {\n\t\tstoring = ctx\n\t}\n\tt, err := r.submit(storing)\n"),
	mutant("a changed answer is not looked for", "TestChangedLater", `want "MySQL"`, "late.go",
		"if err != nil || len(page.Tickets) > 0 {", "if err != nil || len(page.Tickets) > 0 && !MUTANT {"),
	mutant("without an editor the editor is asked", "TestTranscripts/approval_no_editor", `the wire is not`, "editor.go",
		"case p.opts.NoEditor:", "case p.opts.NoEditor && !MUTANT:"),
	mutant("“allow unseen” allows it for ever", "TestApprovalLarge", `“allow unseen” would mean`, "offers.go",
		"cmp.Compare(rank(&a), rank(&b))", "cmp.Compare(rank(&a), rank(&b)) * map[bool]int{false: 1}[MUTANT]"),
}

func TestMutants(t *testing.T) {
	if os.Getenv("SAYSO_MUTANTS") == "" {
		mutanttest.Check(t, mutants, nil)
		t.Skip("takes a minute: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	mutanttest.Run(t, mutants, nil)
}
