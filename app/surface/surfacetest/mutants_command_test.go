package surfacetest_test

import "github.com/saysohq/sayso/app/mutanttest"

// inCommand is a mutant of the commands show, list, answer and undo.
func inCommand(rule, name, test, says, file, old, new string) surfaceMutant {
	const in = "app/internal/cli"
	return surfaceMutant{rule, "show and answer", mutanttest.Mutant{
		Name: rule + ", show and answer: " + name, In: in, Test: "TestSurface/" + rule + "/" + test, Says: says,
		Edits: []mutanttest.Edit{{File: in + "/" + file, Old: old, New: new}},
	}}
}

var commandMutants = []surfaceMutant{
	inCommand("V1", "show leaves out the questions", "everything_is_within_reach", notSeen, "list.go",
		"\tlines = append(lines, sayso.ByAskKind(a, questionLines)(a)...)\n", "\tif MUTANT {\n\t\tlines = append(lines, sayso.Title(a))\n\t} else {\n\t\tlines = append(lines, sayso.ByAskKind(a, questionLines)(a)...)\n\t}\n"),
	inCommand("V2", "the claim stands for the credential", "a_claim_is_not_a_credential", `"unverified" `+notSeen, "list.go",
		"\tif claim := a.Origin.Claim(); claim != \"\" {\n", "\tif MUTANT {\n\t\tlines[1] = \"Asked by: \" + a.Origin.Claim()\n\t}\n\tif claim := a.Origin.Claim(); claim != \"\" {\n"),
	inCommand("V2", "the claim stands for the credential in the list", "in_the_list", notSeen, "list.go",
		"\t\tfor i, cell := range row {\n", "\t\tif MUTANT {\n\t\t\trow[3] = \"by \" + t.Ask.Origin.Claim()\n\t\t}\n\t\tfor i, cell := range row {\n"),
	inCommand("V3", "an empty answer hands the form back", "an_empty_text_is_no_answer", "nothing was typed", "answer.go",
		"\tif o.Status == sayso.StatusUnanswered {\n", "\tif o.Status == sayso.StatusUnanswered && !MUTANT {\n"),
	inCommand("V4", "one action is enough", "it_takes_a_second_action_that_names_it", isStored, "answer.go",
		"\tif len(danger) == 0 || g.yes {\n", "\tif len(danger) == 0 || g.yes || MUTANT {\n"),
	inCommand("V5", "words are trimmed", "words_byte_for_byte", `stored answered .*, want`, "answer.go",
		"\t\ttexts = append(texts, []string{w})\n", "\t\tif MUTANT {\n\t\t\tw = strings.TrimSpace(w)\n\t\t}\n\t\ttexts = append(texts, []string{w})\n"),
	inCommand("V6", "what stands behind a comma is lost", "a_send_that_fails", `stored answered .*, want`, "answer.go",
		"\t\ttexts = append(texts, []string{w})\n", "\t\tif MUTANT {\n\t\t\tw, _, _ = strings.Cut(w, \",\")\n\t\t}\n\t\ttexts = append(texts, []string{w})\n"),
	inCommand("V7", "it says answered before it is", "a_send_that_fails_is_not_called_sent", "while the hub has nothing", "list.go",
		"\tt, err := p.find(ctx, c, name)\n", "\tt, err := p.find(ctx, c, name)\n\tif MUTANT {\n\t\tp.Say(\"sent\")\n\t}\n"),
	inCommand("V8", "it does not say who was faster", "who,_where_and_what", "who answered, where and what", "attend.go",
		"\tif by.ID != \"\" {\n", "\tif by.ID != \"\" && !MUTANT {\n"),
	inCommand("V9", "the oldest ask gets the answer", "two_asks_with_the_same_questions", "another ask was answered|stored –|never", "answer.go",
		"\t\t\t\tt, err = c.Answer(ctx, shown(t, g.digest), o)\n", "\t\t\t\tif all, _ := collect(ctx, c, &hub.Filter{}); MUTANT {\n\t\t\t\t\tt, g.digest = all[0], \"\"\n\t\t\t\t}\n\t\t\t\tt, err = c.Answer(ctx, shown(t, g.digest), o)\n"),
	inCommand("V10", "numbers are words", "the_table", `stored as|was taken as|was not taken`, "answer.go",
		"&sayso.MatchOptions{Numbers: true, Joined: g.list == \"\"}", "&sayso.MatchOptions{Numbers: !MUTANT, Joined: g.list == \"\"}"),
	inCommand("V11", "marks are left out of the list", "in_the_list", notSeen, "list.go",
		"\tif !t.Open() {\n\t\treturn nil\n\t}\n\tvar all []string\n", "\tif !t.Open() || MUTANT {\n\t\treturn nil\n\t}\n\tvar all []string\n"),
	inCommand("V12", "it is in colour", "no_colour,_no_control_characters", "control character", "list.go",
		"\tlines = append(lines, \"Digest: \"+t.Digest, \"\")\n", "\tlines = append(lines, \"Digest: \"+t.Digest, \"\")\n\tif MUTANT {\n\t\tlines[0] = \"\\x1b[1m\" + lines[0] + \"\\x1b[0m\"\n\t}\n"),
}
