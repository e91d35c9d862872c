package surfacetest_test

import "github.com/saysohq/sayso/app/mutanttest"

// and is a mutant with one more edit.
func (m surfaceMutant) and(file, old, new string) surfaceMutant {
	m.Edits = append(m.Edits, mutanttest.Edit{File: file, Old: old, New: new})
	return m
}

var terminalApprovalMutants = []surfaceMutant{
	breaks("V1", dialog, "a command is cut at the edge", "approval,_the_end_of_a_long_command", notSeen, "approvalview.go",
		"\t\trows := hardwrap(l, w-4)\n", "\t\trows := hardwrap(l, w-4)\n\t\tif MUTANT {\n\t\t\trows = rows[:1]\n\t\t}\n"),
	breaks("V1", dialog, "what is stored beside the ask is left out", "approval,_200_KB", notSeen, "approval.go",
		"\ts.q.Body = msg.ask.Questions[0].Body\n", "\tif !MUTANT {\n\t\ts.q.Body = msg.ask.Questions[0].Body\n\t}\n"),
	breaks("V1", box, "what was not opened is allowed", "approval,_what_was_not_opened_is_not_allowed", "it was not opened", "sheet.go",
		"(s.approval == nil || s.approval.allows(s)) {", "(s.approval == nil || s.approval.allows(s) && !MUTANT) {").
		and("app/surface/tui/approval.go", "\tif p.state == isOpened && s.seen[part{kind: theAsk}] {\n", "\tif p.state == isOpened && (MUTANT || s.seen[part{kind: theAsk}]) {\n"),
	{"V1", dialog, mutanttest.Mutant{
		Name: "V1, " + dialog + ": another content is taken for what was asked for", In: "app/surface/tui",
		Test: "TestSurfaceDialog/V1/approval,_another_content_than_was_asked_for", Says: "it could not be shown",
		Edits: []mutanttest.Edit{
			{File: "hub/content.go", Old: ".SHA256 != hash {\n", New: ".SHA256 != hash && !MUTANT {\n"},
			{File: "approvalbody.go", Old: "\t\tif hashOf(text) != p.SHA256 {\n", New: "\t\tif hashOf(text) != p.SHA256 && !MUTANT {\n"},
		},
	}},
	breaks("V1", dialog, "to deny takes looking", "approval,_what_was_not_opened_can_be_denied", notSent, "sheet.go",
		"(s.approval == nil || s.approval.allows(s)) {", "(s.approval == nil || s.approval.allows(s) || MUTANT) {"),
	breaks("V1", dialog, "what cannot be loaded is allowed", "TestApprovalRefused", "not to be had: sent", "approval.go",
		"\tcase p == nil || !p.allows(s):\n", "\tcase p == nil || MUTANT || !p.allows(s):\n"),
	breaks("V4", dialog, "allowing unseen takes one action", "approval,_allowing_unseen_is_an_action_of_its_own", isStored, "send.go",
		"\tif only && !danger && m.inSight(f.sheets[0]) {\n", "\tif only && (!danger || MUTANT) && m.inSight(f.sheets[0]) {\n"),
	breaks("V5", dialog, "a changed command is not sent", "TestApprovalEdited", "sent", "approval.go",
		"\ta.Input = p.input()\n", "\tif !MUTANT {\n\t\ta.Input = p.input()\n\t}\n"),
	breaks("V6", box, "it does not say that no words are taken", "TestApprovalRefused", "words where none are taken", "approval.go",
		"\tif err := f.ask.Check(m.answer(f)); err != nil {\n", "\tif err := f.ask.Check(m.answer(f)); err != nil && !MUTANT {\n"),
	breaks("V12", dialog, "a field has characters of the agent that hide others", "TestHostileCorpus/unicode/ZWSP$", "a frame holds", "approval.go",
		"\treturn ok && sayso.SafeText(text) == text &&", "\treturn ok && (MUTANT || sayso.SafeText(text) == text) &&"),
	breaks("V11", box, "the list does not say what is wanted", "approval,_in_the_list", "what kind of permission", "marks.go",
		"\tif kind := w.kindOf(a); kind != \"\" {\n", "\tif kind := w.kindOf(a); kind != \"\" && !MUTANT {\n"),
}

var linesApprovalMutants = []surfaceMutant{
	breaks("V1", plain, "what is stored beside the ask is left out", "approval,_200_KB", notSeen, "approval.go",
		"\t\t\td.shown, d.opened = whole, hashes\n", "\t\t\td.opened = hashes\n\t\t\tif !MUTANT {\n\t\t\t\td.shown = whole\n\t\t\t}\n"),
	breaks("V5", plain, "words allow it", "approval,_words_deny", "decided", "approval.go",
		"\tif len(ans.Selected) == 1 {\n", "\tif MUTANT && ans.Other != \"\" {\n\t\tans.Selected, ans.Other = []string{p.Allows()[0].ID}, \"\"\n\t}\n\tif len(ans.Selected) == 1 {\n"),
}

var commandApprovalMutants = []surfaceMutant{
	breaks("V1", command, "show leaves out what is stored beside the ask", "approval,_200_KB", notSeen, "approval.go",
		"\tall.Ask, all.Digest = whole, wholeDigest(t, whole)\n", "\tall.Digest = wholeDigest(t, whole)\n\tif !MUTANT {\n\t\tall.Ask = whole\n\t}\n"),
	breaks("V1", command, "any digest says that all was shown", "approval,_what_was_not_opened_is_not_allowed", "it was not opened", "approval.go",
		"\tshown := err == nil && g.digest == all.Digest\n", "\tshown := err == nil && (MUTANT || g.digest == all.Digest)\n"),
	breaks("V5", command, "words allow it", "approval,_words_deny", "decided", "approval.go",
		"\t\tdefault:\n\t\t\treturn \"\", nil\n", "\t\tdefault:\n\t\t\tif MUTANT {\n\t\t\t\treturn a.Approval.Allows()[0].ID, nil\n\t\t\t}\n\t\t\treturn \"\", nil\n"),
	breaks("V11", command, "the list does not say what is wanted", "approval,_in_the_list", "what kind of permission", "list.go",
		"\tif kind := permission(t.Ask); kind != \"\" {\n", "\tif kind := permission(t.Ask); kind != \"\" && !MUTANT {\n"),
}
