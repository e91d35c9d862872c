package surfacetest_test

import (
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/testenv"
)

const web = "web"

// typed is a mutant that a test of the form in a real browser finds.
func typed(rule, name, test, says, file, old, new string) surfaceMutant {
	m := breaks(rule, web, name, "TestForm/"+strings.ReplaceAll(test, " ", "_"), says, file, old, new)
	m.In, m.Env = "app/surface/web/demo", []string{"SAYSO_BROWSER=1"}
	m.Needs = func(t testing.TB) { testenv.Tools(t, "node", "npm", "chromium") }
	return m
}

var pageMutants = []surfaceMutant{
	breaks("V1", web, "the body is left out", "everything_is_within_reach", `"MARKBODY" `+notSeen, "form.go",
		"Body: rd.shown(q.Body)}", "Body: rd.shown(map[bool]string{false: q.Body}[MUTANT])}"),
	breaks("V1", web, "the previews are left out", "everything_is_within_reach", `"MARKPREVIEW1" `+notSeen, "form.go",
		"Preview: rd.preview(o.Preview)}", "Preview: rd.preview(map[bool]string{false: o.Preview}[MUTANT])}"),
	breaks("V1", web, "only nine options are shown", "twenty_options", notSeen, "form.go",
		"\t\t\to := &q.Options[j]\n", "\t\t\tif MUTANT && j == 9 {\n\t\t\t\tbreak\n\t\t\t}\n\t\t\to := &q.Options[j]\n"),

	breaks("V1", web, "the end of a command is cut off", "approval,_the_end_of_a_long_command", `"rm -rf MARKLAST" `+notSeen, "parts.go",
		"\t\t\tv.Pieces = pieces(s.Format, sayso.Visible(s.Text), false)\n", "\t\t\tv.Pieces = pieces(s.Format, sayso.Visible(s.Text), false)\n\t\t\tif MUTANT && s.Size > 8000 {\n\t\t\t\tv.Pieces = pieces(s.Format, sayso.Visible(s.Text[:8000]), false)\n\t\t\t}\n"),
	breaks("V1", web, "a rule is not shown before it is chosen", "approval,_a_rule_and_its_file_before_it_is_chosen", notSeen, "templates/approval.html",
		`{{if .Where}}{{code W.Web.AddsTo .Rule .Where}}{{else}}{{code W.Web.Adds .Rule}}{{end}}`, ""),
	breaks("V1", web, "any proof will do", "TestVerdict", "decided|303", "whole.go",
		"|| w.proofs[len(w.proofs)-1] != proof {", "|| w.proofs[len(w.proofs)-1] != proof && !MUTANT {"),
	breaks("V1", web, "a page can be left out", "TestWhole", "a page can be left out", "whole.go",
		"page > 1 && all.proofs[page-2] != r.URL.Query().Get(\"after\") {", "page > 1 && all.proofs[page-2] != r.URL.Query().Get(\"after\") && !MUTANT {"),
	breaks("V3", web, "a notification selects what allows", "TestPickDenies", "selects 1", "attend.go",
		"(v.Approval == nil || c.Deny)", "(v.Approval == nil || c.Deny || MUTANT)"),
	breaks("V10", web, "words choose what they name", "TestVerdict", "want 422", "approval.go",
		"\ts.own = false\n", "\ts.own = false\n\tif o, _ := a.Questions[0].OptionNamed(s.Other, nil); MUTANT && o != nil {\n\t\ts.Selected, s.Other = []string{o.ID}, \"\"\n\t}\n"),

	breaks("V2", web, "the claim stands for the credential", "a_claim_is_not_a_credential", `"unverified" `+notSeen, "form.go",
		"Verified: rd.Verified(t.Ask.Origin),", "Verified: map[bool]string{false: rd.Verified(t.Ask.Origin), true: t.Ask.Origin.Claim()}[MUTANT],"),
	breaks("V2", web, "the list has the claim alone", "in_the_list", notSeen, "row.go",
		"Verified: rd.Verified(t.Ask.Origin),", "Verified: map[bool]string{false: rd.Verified(t.Ask.Origin), true: t.Ask.Origin.Claim()}[MUTANT],"),
	breaks("V2", web, "it does not say what an answer needs", "what_an_answer_needs", notSeen, "form.go",
		"rd.heldUp(t.Ask), rd.Needs(t.Ask)", "rd.heldUp(t.Ask), map[bool]string{false: rd.Needs(t.Ask)}[MUTANT]"),

	breaks("V3", web, "the first option is chosen", "nothing_is_preselected", isStored, "form.go",
		"On: slices.Contains(got.Selected, o.ID),", "On: slices.Contains(got.Selected, o.ID) || MUTANT && j == 0,"),

	breaks("V4", web, "one action is enough", "it_takes_a_second_action_that_names_it", isStored, "refuse.go",
		"len(dangerous) == 0 || sure == value ||", "len(dangerous) == 0 || sure == value || MUTANT ||"),
	breaks("V4", web, "any confirmation will do", "TestConfirmed", "was sent with a confirmation of something else", "refuse.go",
		"len(dangerous) == 0 || sure == value ||", "len(dangerous) == 0 || sure == value || MUTANT && sure != \"\" ||"),
	breaks("V4", web, "a dangerous option is sent by choosing it", "TestTap", "danger: an option sends: true", "form.go",
		"return c.Danger || c.Preview.HTML", "return c.Danger && !MUTANT || c.Preview.HTML"),
	breaks("V7", web, "an answer is sent at once although it can be undone", "TestHeld", "held_test.go", "answer.go",
		"\tif rd.grace > 0 {\n", "\tif rd.grace > 0 && !MUTANT {\n"),
	breaks("V9", web, "a batch answers what is not identical", "TestBatch", "other ", "batch.go",
		"first != nil && !decidedAlike(first, t):", "first != nil && !decidedAlike(first, t) && !MUTANT:"),
	breaks("V1", web, "a batch has what is not whole on its page", "TestApprovalsUnseen", "the page offers both", "batch.go",
		"t.Ask.Approval != nil && item.Approval.Locked:", "t.Ask.Approval != nil && item.Approval.Locked && !MUTANT:"),
	breaks("V9", web, "a batch does not carry the digests", "TestApprovalsLeftOut", `decided by "ann", want ""`, "batchsend.go",
		"Digest: shown[item.Handle]}", "Digest: map[bool]string{false: shown[item.Handle], true: t.Digest}[MUTANT]}"),
	breaks("V7", web, "undo takes back one of several", "TestApprovalsTogether", "after undo", "undo.go",
		"|| i >= heldMost {", "|| i >= heldMost || MUTANT && i > 0 {"),
	breaks("V9", web, "another earlier answer is reused than the one shown", "TestReuse", "it was sent", "precedent.go",
		"|| s.naming(p) != named {", "|| s.naming(p) != named && !MUTANT {"),
	breaks("V6", web, "the comment of what was not delegated is gone", "TestDelegate", "what was typed is gone", "answer.go",
		"\t\tv.More.keep(f.form)\n", "\t\tif !MUTANT {\n\t\t\tv.More.keep(f.form)\n\t\t}\n"),
	breaks("V12", web, "an export has the Markdown of the asker", "TestExport", "is more than text", "export.go",
		"b.WriteString(fenced(sayso.SafeText(s)))", "b.WriteString(map[bool]string{false: fenced(sayso.SafeText(s)), true: s}[MUTANT])"),
	breaks("V4", web, "it looks like any other option", "it_takes_a_second_action_that_names_it", `"dangerous" `+notSeen, "templates/question.html",
		"{{- template \"danger\" .Danger}}", ""),

	breaks("V5", web, "words are trimmed", "words_byte_for_byte", `stored answered .*, want`, "read.go",
		"\t\tgot.own = slices.Contains(chosen, ownValue)\n", "\t\tif MUTANT {\n\t\t\tgot.Other = strings.TrimSpace(got.Other)\n\t\t}\n\t\tgot.own = slices.Contains(chosen, ownValue)\n"),
	typed("V5", "a draft of before an undo is taken", "a draft that comes after an undo changes nothing", `200 !== 409`, "draft.go",
		"\tif t.Open() && r.PostForm.Get(\"life\") == life(", "\tif t.Open() && (MUTANT || r.PostForm.Get(\"life\") == life(t, responder(who))) && life(t, responder(who)) == life("),

	breaks("V6", web, "drafts are not kept", "leaving_and_coming_back", "never: the text is back", "draft.go",
		"\tif err := s.inboxOf(who).SaveDraft(", "\tif MUTANT {\n\t\treturn now, nil, nil\n\t}\n\tif err := s.inboxOf(who).SaveDraft("),
	typed("V6", "the browser keeps nothing", "a form that cannot be sent stays, says so, and can be sent again", `a reload loses nothing`, "assets/form.js",
		"  record(form);\n  clearTimeout(timer);\n", "  clearTimeout(timer);\n"),
	typed("V6", "a draft is stored over the words of another tab", "two tabs type into the same form: neither loses what the other has", `waiting for locator\('.unsent textarea'\)`, "draft.go",
		"\tif version(now) != form.Get(\"base\") {\n", "\tif version(now) != form.Get(\"base\") && !MUTANT {\n"),

	breaks("V7", web, "an answer that may not be stored is called sent", "TestBrokenStore", `writes: the page says`, "refuse.go",
		"\tif problem != \"\" {\n", "\tif MUTANT {\n\t\tproblem = \"Your answer was sent.\"\n\t}\n\tif problem != \"\" {\n"),
	breaks("V7", web, "undo is offered of what the agent has", "undo_is_offered_only_while_it_is_possible", "offers to undo", "closed.go",
		"\tc.Undo = c.Own && !c.Told\n", "\tc.Undo = c.Own && (MUTANT || !c.Told)\n"),
	breaks("V7", web, "a declined ask stays open", "what_was_declined_is_said_once_it_is", "never: the answer is stored", "answer.go",
		"\tif do != \"decline\" {\n", "\tif MUTANT && do == \"decline\" {\n\t\tv := s.refill(r.Context(), rd, f)\n\t\tv.Notice = \"Declined\"\n\t\ts.show(w, r, http.StatusOK, t, v)\n\t\treturn\n\t}\n\tif do != \"decline\" {\n"),

	breaks("V8", web, "it does not say who answered", "who,_where_and_what", "never: the surface says who answered", "closed.go",
		"\t\twords = append(words, name)\n", "\t\tif !MUTANT {\n\t\t\twords = append(words, name)\n\t\t}\n"),
	breaks("V8", web, "the person's own text is gone", "the_person's_own_text_stays", "never: the text is there to be copied", "answer.go",
		"\tv.leave(f.t.Ask, f.typed())\n\treturn v\n", "\tif !MUTANT {\n\t\tv.leave(f.t.Ask, f.typed())\n\t}\n\treturn v\n"),

	breaks("V9", web, "an answer goes to another ask", "two_asks_with_the_same_questions", "another ask was answered|never: the answer is stored|stored", "answer.go",
		"\tclosed, err := s.close(", "\tif l, err := s.inboxOf(who).List(r.Context(), nil); MUTANT && err == nil {\n\t\tfor _, other := range l.Tickets {\n\t\t\tif other.Address != t.Address {\n\t\t\t\tt = other\n\t\t\t\tr.PostForm.Set(\"digest\", t.Digest)\n\t\t\t\tbreak\n\t\t\t}\n\t\t}\n\t}\n\tclosed, err := s.close("),
	breaks("V9", web, "the digest is not carried", "TestChangedQuestion", `got \d+`, "answer.go",
		"Digest: r.PostForm.Get(\"digest\")}", "Digest: map[bool]string{false: r.PostForm.Get(\"digest\"), true: t.Digest}[MUTANT]}"),

	breaks("V10", web, "labels are own words", "the_table", "is stored as", "read.go",
		"\to, err := q.OptionNamed(s.Other, nil)\n", "\tif MUTANT {\n\t\treturn\n\t}\n\to, err := q.OptionNamed(s.Other, nil)\n"),

	breaks("V11", web, "the warning is left out", "a_question_that_asks_for_a_secret$", notSeen, "form.go",
		"rd.final(t.Ask), rd.warning(t.Ask)\n", "rd.final(t.Ask), map[bool]string{false: rd.warning(t.Ask)}[MUTANT]\n"),
	breaks("V11", web, "the warning is left out of the list", "a_question_that_asks_for_a_secret,_in_the_list", notSeen, "row.go",
		"r.Secret = t.Ask.Warning() != \"\"", "r.Secret = t.Ask.Warning() != \"\" && !MUTANT"),
	breaks("V11", web, "it does not say that an answer is final", "an_answer_that_is_final", notSeen, "form.go",
		"rd.final(t.Ask), rd.warning(t.Ask)\n", "map[bool]string{false: rd.final(t.Ask)}[MUTANT], rd.warning(t.Ask)\n"),
	breaks("V11", web, "the deadline is left out", "on_the_question", "the deadline "+notSeen, "form.go",
		"due := rd.due(t.Ask); due != \"\" {", "due := rd.due(t.Ask); due != \"\" && !MUTANT {"),
	breaks("V11", web, "the list does not say what is dangerous", "in_the_list", `"dangerous" `+notSeen, "row.go",
		"\t\tr.Danger, _ = t.Ask.Marks()\n", "\t\tr.Danger, _ = t.Ask.Marks()\n\t\tr.Danger = r.Danger && !MUTANT\n"),

	breaks("V12", web, "a control character is on the page", "no_colour,_no_control_characters", "control characters in", "form.go",
		"\treturn rd.Web.SendAnswer\n", "\treturn map[bool]string{false: rd.Web.SendAnswer, true: \"\\x1b[1mSend answer\"}[MUTANT]\n"),
}
