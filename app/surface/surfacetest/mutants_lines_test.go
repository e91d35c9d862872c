package surfacetest_test

import "github.com/saysohq/sayso/app/mutanttest"

// inPrompt is a mutant of package prompt.
func inPrompt(rule, name, test, says, file, old, new string) surfaceMutant {
	return surfaceMutant{rule, "prompt", mutanttest.Mutant{
		Name: rule + ", prompt: " + name, Test: "TestPrompt/" + rule + "/" + test, Says: says,
		Edits: []mutanttest.Edit{{File: "prompt/" + file, Old: old, New: new}},
	}}
}

var linesMutants = []surfaceMutant{
	inPrompt("V1", "a question is cut", "200_KB", notSeen, "text.go",
		"\ttext := sayso.RenderQuestion(a, i)\n", "\ttext := sayso.RenderQuestion(a, i)\n\tif MUTANT {\n\t\ttext = first(text, 4000)\n\t}\n"),
	inPrompt("V2", "the claim stands for the credential", "a_claim_is_not_a_credential", `"unverified" `+notSeen, "dialog.go",
		"\terr := d.say(sayso.RenderIntroduction(d.ask))\n", "\tintroduction := sayso.RenderIntroduction(d.ask)\n\tif MUTANT {\n\t\tintroduction = d.ask.Origin.Claim() + \"\\n\"\n\t}\n\terr := d.say(introduction)\n"),
	inPrompt("V3", "Enter alone chooses the first option", "nothing_is_preselected", isStored, "dialog.go",
		"\t\tcase \"blank\":\n", "\t\tcase \"blank\":\n\t\t\tif MUTANT && q.Chooses() {\n\t\t\t\td.answers[i] = sayso.Answer{QuestionID: q.ID, Selected: []string{q.Options[0].ID}}\n\t\t\t\treturn nil\n\t\t\t}\n"),
	inPrompt("V3", "what was typed ahead counts", "keys_typed_before_it_appeared", isStored, "prompt.go",
		"\tif r.Flush != nil {\n", "\tif r.Flush != nil && !MUTANT {\n"),
	inPrompt("V4", "one action is enough", "it_takes_a_second_action_that_names_it", isStored, "dialog.go",
		"\tfor _, o := range d.ask.Dangerous(d.answers) {\n", "\tfor _, o := range d.ask.Dangerous(d.answers) {\n\t\tif MUTANT {\n\t\t\tbreak\n\t\t}\n"),
	inPrompt("V4", "Enter confirms", "also_when_its_label_is_typed", "sending again is the same action", "dialog.go",
		"\t\tfor sayso.Blank(line) { // Enter is a habit too\n\t\t\tvar err error\n\t\t\tif line, err = d.read(ctx, dangerText(o)); err != nil {\n\t\t\t\treturn err\n\t\t\t}\n",
		"\t\tfor sayso.Blank(line) {\n\t\t\tvar err error\n\t\t\tif line, err = d.read(ctx, dangerText(o)); err != nil {\n\t\t\t\treturn err\n\t\t\t}\n\t\t\tif MUTANT && sayso.Blank(line) {\n\t\t\t\tline = \"yes\"\n\t\t\t}\n"),
	inPrompt("V5", "words are trimmed", "words_byte_for_byte", `stored answered .*, want`, "dialog.go",
		"\treturn sayso.Answer{QuestionID: q.ID, Other: line}, problem, err\n", "\tif MUTANT {\n\t\tline = strings.TrimSpace(line)\n\t}\n\treturn sayso.Answer{QuestionID: q.ID, Other: line}, problem, err\n"),
	inPrompt("V6", "an answer is tried once", "a_send_that_fails", notSent, "dialog.go",
		"\t\tif err == nil || ctx.Err() != nil {\n", "\t\tif err == nil || ctx.Err() != nil || MUTANT {\n"),
	inPrompt("V7", "it says sent before it is", "a_send_that_fails_is_not_called_sent", "while the hub has nothing", "dialog.go",
		"\twinner, again, err := d.send(ctx, o)\n", "\tif MUTANT {\n\t\td.tell(said)\n\t}\n\twinner, again, err := d.send(ctx, o)\n"),
	inPrompt("V8", "it does not say who was faster", "who,_where_and_what", "who answered, where and what", "text.go",
		"\t\treturn sayso.RenderClosed(a, superseded.Winner)\n", "\t\tif MUTANT {\n\t\t\treturn \"Closed.\"\n\t\t}\n\t\treturn sayso.RenderClosed(a, superseded.Winner)\n"),
	inPrompt("V9", "the answer is sent for another ask", "two_asks_with_the_same_questions", "another ask was answered|stored –|never", "dialog.go",
		"\t\twinner, err = d.r.Send(ctx, d.ask, o)\n", "\t\tto := d.ask.Clone()\n\t\tif MUTANT {\n\t\t\tto.ID = \"twin\"\n\t\t}\n\t\twinner, err = d.r.Send(ctx, to, o)\n"),
	inPrompt("V10", "numbers are words", "the_table", `stored as|was taken as|was not taken`, "choice.go",
		"\tans, err := q.Match([]string{line}, how)\n", "\tif MUTANT {\n\t\thow.Numbers = false\n\t}\n\tans, err := q.Match([]string{line}, how)\n"),
	inPrompt("V11", "marks are left out", "on_the_question", notSeen, "text.go",
		"\tif a.Questions[i].Secret {\n", "\tif MUTANT {\n\t\ttext = strings.ReplaceAll(text, \"[recommended]\", \"\")\n\t}\n\tif a.Questions[i].Secret {\n"),
	inPrompt("V12", "it is in colour", "no_colour,_no_control_characters", "control character", "text.go",
		"\tif a.Questions[i].Secret {\n", "\tif MUTANT {\n\t\ttext = \"\\x1b[1m\" + text + \"\\x1b[0m\"\n\t}\n\tif a.Questions[i].Secret {\n"),
}
