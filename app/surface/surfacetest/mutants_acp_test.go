package surfacetest_test

const (
	acpForm       = "ACP form"
	acpPermission = "ACP permission"
)

// breaksProxy is a mutant of permission requests that is found where an agent asks.
func breaksProxy(rule, name, test, says, file, old, new string) surfaceMutant {
	m := breaks(rule, acpPermission, name, "TestSurfaceProxy/"+rule+"/"+test, says, file, old, new)
	m.Name = rule + ", TestSurfaceProxy: " + name
	return m
}

var acpMutants = []surfaceMutant{
	breaks("V1", acpForm, "the body is left out", "everything_is_within_reach", `"MARKBODY" is not to be seen`, "formask.go",
		"\t\ttext = questionText(&a.Questions[0])\n", "\t\ttext = questionText(&a.Questions[0])\n\t\tif MUTANT {\n\t\t\ttext = a.Questions[0].Text\n\t\t}\n"),
	breaks("V1", acpForm, "previews are left out", "everything_is_within_reach", `"MARKPREVIEW1" is not to be seen`, "shown.go",
		"o.Description + \"\\n\" + o.Preview", "o.Description + \"\\n\" + map[bool]string{false: o.Preview}[MUTANT]"),
	breaks("V1", acpPermission, "only the options are shown", "everything_is_within_reach", `is not to be seen`, "permission.go",
		"sayso.RenderQuestion(a, i))", "map[bool]string{false: sayso.RenderQuestion(a, i)}[MUTANT])"),
	breaksProxy("V1", "what is too long waits without a word", "200_KB", "does not say where to answer", "dialog.go",
		"\t\tr.say(leftOut(a, why))\n", "\t\tif !MUTANT {\n\t\t\tr.say(leftOut(a, why))\n\t\t}\n"),

	breaks("V2", acpForm, "it does not say who asks", "a_credential_is_named", "is not to be seen", "formask.go",
		"paragraphs(wrong, sayso.RenderIntroduction(a), text)", "paragraphs(wrong, map[bool]string{false: sayso.RenderIntroduction(a)}[MUTANT], text)"),
	breaks("V2", acpPermission, "the claim stands for the credential", "a_claim_is_not_a_credential", `"unverified" is not to be seen`, "permission.go",
		"paragraphs(wrong, sayso.RenderIntroduction(a),", "paragraphs(wrong, map[bool]string{false: sayso.RenderIntroduction(a), true: \"Asked by: \" + a.Origin.Claim()}[MUTANT],"),
	breaksProxy("V2", "what the agent says is shown, not what the hub has", "a_credential_is_named", "is not to be seen", "race.go",
		"\t\treturn t.Ask\n", "\t\tif MUTANT {\n\t\t\treturn r.ask\n\t\t}\n\t\treturn t.Ask\n"),
	breaks("V2", acpPermission, "what needs a sign-in is asked in an editor", "what_an_answer_needs", "is not to be seen|stored", "shown.go",
		"\tcase a.MinAssurance > sayso.AssuranceLocal:\n", "\tcase a.MinAssurance > sayso.AssuranceLocal && MUTANT:\n\t\ta.MinAssurance = sayso.AssuranceLocal\n\t\treturn \"\"\n\tcase a.MinAssurance > sayso.AssuranceLocal:\n"),

	breaks("V3", acpForm, "a blank form is stored", "nothing_is_preselected", "stored ✗", "dialog.go",
		"\t\tcase err == nil && o.Status == sayso.StatusUnanswered:\n", "\t\tcase err == nil && o.Status == sayso.StatusUnanswered && !MUTANT:\n"),
	breaks("V3", acpPermission, "blank words are a refusal", "an_empty_text_is_no_answer", "stored ✗", "permission.go",
		"\t\treturn nil, errNoWords\n", "\t\tif MUTANT {\n\t\t\treturn &sayso.Outcome{Status: sayso.StatusDeclined}, nil\n\t\t}\n\t\treturn nil, errNoWords\n"),

	breaks("V4", acpForm, "one action is enough", "it_takes_a_second_action_that_names_it", "stored ✓", "dialog.go",
		"\t\tif c == nil {\n", "\t\tif c == nil || MUTANT {\n"),
	breaks("V4", acpPermission, "own words name it without a second action", "also_when_its_label_is_typed", "stored ✓", "dialog.go",
		"\t\tc := a.Confirmation(o.Answers)\n", "\t\tc := a.Confirmation(o.Answers)\n\t\tif MUTANT {\n\t\t\treturn o, nil\n\t\t}\n"),

	breaks("V5", acpForm, "words are made one line", "words_byte_for_byte", `stored answered .*, want`, "permission.go",
		"\ta, err := q.Match([]string{words}, how)\n", "\tif MUTANT {\n\t\twords = sayso.SafeLine(words)\n\t}\n\ta, err := q.Match([]string{words}, how)\n"),
	breaks("V1", acpPermission, "a reply is checked as a question only", "TestUnseenAsksAgain", "does not say why", "dialog.go",
		"\t\tif err == nil && a.Approval != nil {\n", "\t\tif err == nil && a.Approval != nil && !MUTANT {\n"),
	breaks("V5", acpPermission, "words are changed on the way", "words_byte_for_byte", `stored answered .*, want`, "settle.go",
		"\tout.By.Surface = where\n", "\tout.By.Surface = where\n\tif MUTANT && len(out.Answers) > 0 && out.Answers[0].Other != \"\" {\n\t\tout.Answers[0].Other += \" \"\n\t}\n"),

	breaks("V6", acpForm, "an answer is tried once", "a_send_that_fails", "is not to be seen|never: the answer is stored", "settle.go",
		"\t\tcase errors.Is(err, sayso.ErrUnreachable):\n", "\t\tcase errors.Is(err, sayso.ErrUnreachable) && !MUTANT:\n"),
	breaks("V7", acpForm, "an answer is told before it is stored", "a_send_that_fails_is_not_called_sent", "while the hub has nothing", "race.go",
		"\t\t\t\tresult, err := r.settle(ctx, e)\n", "\t\t\t\tif MUTANT {\n\t\t\t\t\tr.say(\"Your answer was sent.\")\n\t\t\t\t}\n\t\t\t\tresult, err := r.settle(ctx, e)\n"),
	breaks("V8", acpPermission, "a dialog closes without a word", "who,_where_and_what", "never: the surface says who answered", "race.go",
		"\t\t\t\t\tr.say(r.closedElsewhere(h.ticket.Outcome))\n", "\t\t\t\t\tif !MUTANT {\n\t\t\t\t\t\tr.say(r.closedElsewhere(h.ticket.Outcome))\n\t\t\t\t\t}\n"),
	breaks("V9", acpPermission, "an answer goes to whatever is open", "two_asks_with_the_same_questions", "another ask was answered|never: the answer is stored|stored", "settle.go",
		"\treturn r.hub.Relay(ctx, t, inSurface(e.outcome, surface))\n", "\tif page, err := r.hub.List(ctx, nil); MUTANT && err == nil {\n\t\tfor _, other := range page.Tickets {\n\t\t\tif other.Handle != t.Handle {\n\t\t\t\tt = other\n\t\t\t\tbreak\n\t\t\t}\n\t\t}\n\t}\n\treturn r.hub.Relay(ctx, t, inSurface(e.outcome, surface))\n"),

	breaks("V10", acpForm, "labels are own words", "the_table", "is stored as", "permission.go",
		"\tfor _, id := range a.Selected {\n\t\tif !slices.Contains(selected, id)", "\tif MUTANT {\n\t\ta.Selected, a.Other = nil, words\n\t}\n\tfor _, id := range a.Selected {\n\t\tif !slices.Contains(selected, id)"),
	breaks("V10", acpPermission, "numbers are shown and not taken", "the_table", "is stored as", "dialog.go",
		"&sayso.MatchOptions{Numbers: true}", "&sayso.MatchOptions{Numbers: !MUTANT}"),

	breaks("V11", acpForm, "the warning is left out", "a_question_that_asks_for_a_secret$", `is not to be seen`, "formask.go",
		"paragraphs(wrong, sayso.RenderIntroduction(a), text)", "paragraphs(wrong, sayso.RenderIntroduction(map[bool]*sayso.Ask{false: a, true: {Origin: a.Origin}}[MUTANT]), text)"),
	breaks("V11", acpForm, "the marks are left out", "on_the_question", `"recommended" is not to be seen`, "formask.go",
		"{\"title\", opt.LabelMarked()}", "{\"title\", map[bool]string{false: opt.LabelMarked(), true: opt.Label}[MUTANT]}"),
	breaks("V11", acpPermission, "the deadline is left out", "on_the_question", "the deadline is not to be seen", "permission.go",
		"\ttitle := q.Header\n", "\tif MUTANT {\n\t\ta = a.Clone()\n\t\ta.Deadline = (&sayso.Ask{}).Deadline\n\t}\n\ttitle := q.Header\n"),
}
