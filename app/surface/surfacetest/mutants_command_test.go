package surfacetest_test

const command = "show and answer"

var commandMutants = []surfaceMutant{
	breaks("V1", command, "show leaves out the questions", "everything_is_within_reach", notSeen, "list.go",
		"\tlines = append(lines, sayso.ByAskKind(a, questionLines)(a)...)\n", "\tif MUTANT {\n\t\tlines = append(lines, sayso.Title(a))\n\t} else {\n\t\tlines = append(lines, sayso.ByAskKind(a, questionLines)(a)...)\n\t}\n"),
	breaks("V2", command, "the claim stands for the credential", "a_claim_is_not_a_credential", `"unverified" `+notSeen, "list.go",
		"\tif claim := a.Origin.Claim(); claim != \"\" {\n", "\tif MUTANT {\n\t\tlines[1] = \"Asked by: \" + a.Origin.Claim()\n\t}\n\tif claim := a.Origin.Claim(); claim != \"\" {\n"),
	breaks("V2", command, "the claim stands for the credential in the list", "in_the_list", notSeen, "list.go",
		"\t\tfor i, cell := range row {\n", "\t\tif MUTANT {\n\t\t\trow[3] = \"by \" + t.Ask.Origin.Claim()\n\t\t}\n\t\tfor i, cell := range row {\n"),
	breaks("V2", command, "a long line goes on in the first column", "TestFolded", `columns on 100`, "list.go",
		"\treturn p.Show(describe(t, time.Now()))\n", "\treturn map[bool]func(string) error{false: p.Show, true: p.Print}[MUTANT](describe(t, time.Now()))\n"),

	breaks("V3", command, "an empty answer hands the form back", "an_empty_text_is_no_answer", "nothing was typed", "answer.go",
		"\tif o.Status == sayso.StatusUnanswered {\n", "\tif o.Status == sayso.StatusUnanswered && !MUTANT {\n"),
	breaks("V4", command, "one action is enough", "it_takes_a_second_action_that_names_it", isStored, "answer.go",
		"\tif len(danger) == 0 || g.yes {\n", "\tif len(danger) == 0 || g.yes || MUTANT {\n"),
	breaks("V5", command, "words are trimmed", "words_byte_for_byte", `stored answered .*, want`, "answer.go",
		"\t\ttexts = append(texts, []string{w})\n", "\t\tif MUTANT {\n\t\t\tw = strings.TrimSpace(w)\n\t\t}\n\t\ttexts = append(texts, []string{w})\n"),
	breaks("V6", command, "what stands behind a comma is lost", "a_send_that_fails", `stored answered .*, want`, "answer.go",
		"\t\ttexts = append(texts, []string{w})\n", "\t\tif MUTANT {\n\t\t\tw, _, _ = strings.Cut(w, \",\")\n\t\t}\n\t\ttexts = append(texts, []string{w})\n"),
	breaks("V7", command, "it says answered before it is", "a_send_that_fails_is_not_called_sent", "while the hub has nothing", "list.go",
		"\tt, err := p.find(ctx, c, name)\n", "\tt, err := p.find(ctx, c, name)\n\tif MUTANT {\n\t\tp.Say(\"sent\")\n\t}\n"),
	breaks("V8", command, "it does not say who was faster", "who,_where_and_what", "who answered, where and what", "attend.go",
		"\tif by.ID != \"\" {\n", "\tif by.ID != \"\" && !MUTANT {\n"),
	breaks("V9", command, "the oldest ask gets the answer", "two_asks_with_the_same_questions", "another ask was answered|stored –|never", "answer.go",
		"\t\t\t\tt, err = c.Answer(ctx, shown(t, g.digest), o)\n", "\t\t\t\tif all, _ := collect(ctx, c, &hub.Filter{}); MUTANT {\n\t\t\t\t\tt, g.digest = all[0], \"\"\n\t\t\t\t}\n\t\t\t\tt, err = c.Answer(ctx, shown(t, g.digest), o)\n"),
	breaks("V10", command, "numbers are words", "the_table", `stored as|was taken as|was not taken`, "answer.go",
		"&sayso.MatchOptions{Numbers: true, Joined: g.list == \"\"}", "&sayso.MatchOptions{Numbers: !MUTANT, Joined: g.list == \"\"}"),
	breaks("V11", command, "marks are left out of the list", "in_the_list", notSeen, "list.go",
		"\tif !t.Open() {\n\t\treturn nil\n\t}\n\tvar all []string\n", "\tif !t.Open() || MUTANT {\n\t\treturn nil\n\t}\n\tvar all []string\n"),
	breaks("V11", command, "the warning is left out", "a_question_that_asks_for_a_secret$", notSeen, "list.go",
		"\t\tif note != \"\" {\n", "\t\tif note != \"\" && !MUTANT {\n"),
	breaks("V11", command, "the warning is left out of the list", "a_question_that_asks_for_a_secret,_in_the_list", notSeen, "list.go",
		"\tif t.Ask.Warning() != \"\" {\n", "\tif t.Ask.Warning() != \"\" && !MUTANT {\n"),
	breaks("V12", command, "it is in colour", "no_colour,_no_control_characters", "control character", "list.go",
		"\tlines = append(lines, \"Digest: \"+t.Digest, \"\")\n", "\tlines = append(lines, \"Digest: \"+t.Digest, \"\")\n\tif MUTANT {\n\t\tlines[0] = \"\\x1b[1m\" + lines[0] + \"\\x1b[0m\"\n\t}\n"),
}
