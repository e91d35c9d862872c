package surfacetest_test

const (
	dialog = "terminal dialog"
	box    = "terminal inbox"
)

// breaksReview is a mutant of the page that shows all answers before they go.
func breaksReview(name, says, file, old, new string) surfaceMutant {
	return breaks("V1", dialog, name, "TestReviewIsReadToItsEnd", says, file, old, new)
}

// breaksSight is a mutant of the terminal, which is found by any keys in windows of
// any size.
func breaksSight(name, says, file, old, new string) surfaceMutant {
	return breaks("V3", dialog, name, "TestKeysActOnWhatIsInSight", says, file, old, new)
}

var terminalMutants = []surfaceMutant{
	breaks("V1", dialog, "an answer counts before the body was in sight", "an_answer_does_not_count_before", "only a part of the body was to be seen", "sheet.go",
		"if of := (part{kind: theAsk}); !s.seen[of] &&", "if of := (part{kind: theAsk}); !s.seen[of] && !MUTANT &&"),
	breaks("V1", dialog, "previews are left out", "everything_is_within_reach", `"MARKPREVIEW1" `+notSeen, "preview.go",
		"\tif row < 0 ||", "\tif MUTANT || row < 0 ||"),
	breaks("V1", dialog, "scrolling ends early", "a_long_body", notSeen, "question.go",
		"\ts.scroll = max(s.scroll+step*max(height-3, 1), 0)\n", "\ts.scroll = max(s.scroll+step*max(height-3, 1), 0)\n\tif MUTANT {\n\t\ts.scroll = min(s.scroll, 100)\n\t}\n"),
	breaksReview("the review is sent before it was read", "the review was sent before its end was in sight", "review.go",
		"f.review.unseen(p); unseen {\n", "f.review.unseen(p); unseen && !MUTANT {\n"),
	breaks("V1", box, "the body is left out", "everything_is_within_reach", `"MARKBODY" `+notSeen, "question.go",
		"\tcase s.q.Body != \"\":\n", "\tcase s.q.Body != \"\" && !MUTANT:\n"),

	breaks("V2", dialog, "the claim stands for the credential", "a_claim_is_not_a_credential", `"unverified" `+notSeen, "head.go",
		"\tadd(w.AskedBy, w.Verified(o), l.bold)\n", "\tif MUTANT {\n\t\tadd(w.AskedBy, o.Claim(), l.bold)\n\t} else {\n\t\tadd(w.AskedBy, w.Verified(o), l.bold)\n\t}\n"),
	breaks("V2", dialog, "what an answer needs is left out", "what_an_answer_needs", notSeen, "marks.go",
		"\tif needs := w.Needs(f.ask); needs != \"\" {\n", "\tif needs := w.Needs(f.ask); needs != \"\" && !MUTANT {\n"),
	breaks("V2", box, "the claim stands for the credential in the list", "in_the_list", notSeen, "inboxrow.go",
		"t.Ask.Origin.Claim()\n", "t.Ask.Origin.Claim()\n\tif MUTANT {\n\t\twho = claim\n\t}\n"),

	breaks("V3", dialog, "the first option is chosen", "keys_typed_before_it_appeared", isStored, "sheet.go",
		"\tif s.free() {\n\t\ts.cur,", "\tif MUTANT && len(s.picked) > 0 {\n\t\ts.picked[0] = true\n\t}\n\tif s.free() {\n\t\ts.cur,"),
	breaks("V3", dialog, "keys count that were typed before", "keys_typed_before_it_appeared", isStored, "update.go",
		"\tif f == nil || f.guard.drops(m.o.Now(), m.o.Guard) || f.sending != nil {\n", "\tif f == nil || f.guard.drops(m.o.Now(), m.o.Guard) && !MUTANT || f.sending != nil {\n"),
	breaksSight("keys go into a field that has scrolled away", "own words became|the note became|was sent unseen", "write.go",
		"\tif m.frame.takes() {\n", "\tif m.frame.takes() || MUTANT {\n"),
	breaksSight("a number chooses what is out of sight", "was chosen|was unticked", "keys.go",
		"\tthere := m.frame.has(row)\n", "\tthere := m.frame.has(row) || MUTANT\n"),
	breaksSight("space and Enter choose what is out of sight", "was chosen|was unticked|was sent unseen", "keys.go",
		"\tif m.frame.has(s.cur) {\n", "\tif m.frame.has(s.cur) || MUTANT {\n"),
	breaksSight("Enter sends what is out of sight", "was sent unseen", "send.go",
		"\tif only && !danger && m.inSight(f.sheets[0]) {\n", "\tif only && !danger && (MUTANT || m.inSight(f.sheets[0])) {\n"),
	breaksSight("a paste goes where nobody looks", "own words became|the note became", "update.go",
		"\tcase !there:\n", "\tcase !there && !MUTANT:\n"),

	breaks("V4", dialog, "one action is enough", "it_takes_a_second_action_that_names_it", isStored, "send.go",
		"\tdanger := len(f.ask.Dangerous(m.answer(f).Answers)) > 0\n", "\tdanger := len(f.ask.Dangerous(m.answer(f).Answers)) > 0 && !MUTANT\n"),
	breaks("V4", dialog, "it looks like any other", "it_takes_a_second_action_that_names_it", `"dangerous" `+notSeen, "list.go",
		"m.tag(d.label, o.Danger, m.o.Words.Dangerous,", "m.tag(d.label, o.Danger && !MUTANT, m.o.Words.Dangerous,"),
	breaks("V4", box, "Enter confirms", "also_when_its_label_is_typed", "one action is not enough|sending again is the same action", "leave.go",
		"asked == longBar && k == \"enter\"\n", "(asked == longBar || MUTANT) && k == \"enter\"\n"),

	breaks("V3", box, "a key of the question before answers the next", "TestInboxGuardsTheNext", "answered by keys meant for the first", "model.go",
		"\tif !now.Before(g.until) {\n", "\tif !now.Before(g.until) || MUTANT {\n"),
	breaks("V4", box, "one key answers what is dangerous", "TestInboxOneKey", "sent true, want false", "reuse.go",
		"!s.q.Several() && !danger && !secret", "!s.q.Several() && (!danger || MUTANT) && !secret"),
	breaks("V4", box, "one key answers although nothing is held", "TestInboxOneKey", "sent true, want false", "inboxopen.go",
		"return b.holds() > 0 }", "return b.holds() > 0 || MUTANT }"),
	breaks("V3", box, "an earlier answer is reused unasked", "TestInboxReuses", "reused without a word|does not see", "reuse.go",
		"\t\tf.earlier = &msg.found[0]\n", "\t\tf.earlier = &msg.found[0]\n\t\tif MUTANT {\n\t\t\tf.restore(f.earlier.Answers)\n\t\t}\n"),
	breaks("V1", box, "an answer goes to asks that were not shown", "TestInboxTogetherIsWhatWasShown", "answered what was not shown", "inboxopen.go",
		"\t\tb.giveAlso(g, f.together, out)\n", "\t\tif MUTANT {\n\t\t\tf.together = b.identical(t)\n\t\t}\n\t\tb.giveAlso(g, f.together, out)\n"),
	breaks("V8", box, "what came too late is not said", "TestInboxTooLate", "does not see", "inboxundo.go",
		"\t\t\tif !ours(t, was) {\n", "\t\t\tif !ours(t, was) && !MUTANT {\n"),

	breaks("V5", dialog, "words are trimmed", "words_byte_for_byte", `stored answered .*, want`, "sheet.go",
		"\t\ta.Other = s.words.value()\n", "\t\ta.Other = s.words.value()\n\t\tif MUTANT {\n\t\t\ta.Other = strings.TrimSpace(a.Other)\n\t\t}\n"),
	breaks("V5", box, "undo does not give back what was sent", "undo_shows_what_was_sent", `stored|never: the answer is stored`, "inboxundo.go",
		"\treturn tea.Batch(b.open(msg.tickets[0], sentBefore(msg.tickets[0])), b.search())\n", "\tif MUTANT {\n\t\treturn b.open(msg.tickets[0], nil)\n\t}\n\treturn tea.Batch(b.open(msg.tickets[0], sentBefore(msg.tickets[0])), b.search())\n"),

	breaks("V6", dialog, "drafts are not kept", "leaving_and_coming_back", "never: the text is back", "draft.go",
		"\tif d.save == nil || d.isSafe() {\n", "\tif d.save == nil || d.isSafe() || MUTANT {\n"),
	breaks("V6", dialog, "nothing is left behind", "an_interruption_while_the_hub_is_away", "the text is gone", "resolver.go",
		"\tif len(draft) == 0 || gone ||", "\tif MUTANT || len(draft) == 0 || gone ||"),
	breaks("V6", box, "a send that fails empties the field", "a_send_that_fails", notSent, "send.go",
		"\tcase msg.err != nil && told == nil:\n", "\tcase msg.err != nil && told == nil:\n\t\tif MUTANT {\n\t\t\tf.sheets[0].words.set(\"\")\n\t\t}\n"),

	breaks("V7", dialog, "a send that fails is called sent", "a_send_that_fails_is_not_called_sent", "while the hub has nothing", "../words/english_terminal.go",
		"\"Not sent. What you entered is still here. %s\"", "map[bool]string{false: \"Not sent. What you entered is still here. %s\", true: \"Sent. %.0s\"}[MUTANT]"),
	breaks("V7", box, "undo is offered of what the agent has", "TestInboxOffersUndo", "undo is offered: true", "inboxundo.go",
		"return !t.Consumed.IsZero() }) {\n", "return !t.Consumed.IsZero() && !MUTANT }) {\n"),
	breaks("V7", box, "what is declined is not told to the hub", "what_was_declined_is_said_once_it_is", "never: the answer is stored", "send.go",
		"\tif m.o.Send == nil || o.Status == sayso.StatusPending {\n", "\tif m.o.Send == nil || o.Status == sayso.StatusPending || MUTANT && o.Status == sayso.StatusDeclined {\n"),

	breaks("V8", dialog, "it does not say who answered", "who,_where_and_what", "never: the surface says who answered", "record.go",
		"\tcase o.By.ID != \"\":\n", "\tcase o.By.ID != \"\" && !MUTANT:\n"),
	breaks("V8", box, "what was typed is gone", "the_person's_own_text_stays", "never: the text is there to be copied", "record.go",
		"\tif typed := m.typed(f, edge); len(typed) > 0 {\n", "\tif typed := m.typed(f, edge); len(typed) > 0 && !MUTANT {\n"),

	breaks("V9", box, "an answer goes to whatever is open", "two_asks_with_the_same_questions", "another ask was answered|never: the answer is stored|stored", "inboxopen.go",
		"\t\tclosed, err := b.give(t, out, f.single)\n", "\t\tt := t\n\t\tfor _, other := range b.waiting {\n\t\t\tif MUTANT && other.Address != t.Address {\n\t\t\t\tt = other\n\t\t\t\tbreak\n\t\t\t}\n\t\t}\n\t\tclosed, err := b.give(t, out, f.single)\n"),

	breaks("V10", dialog, "labels are own words", "the_table", "is stored as", "send.go",
		"\tif s.free() || !s.saysWords() {\n", "\tif MUTANT || s.free() || !s.saysWords() {\n"),
	breaks("V10", box, "numbers are own words", "the_table", "is stored as", "send.go",
		"&sayso.MatchOptions{Numbers: true})", "&sayso.MatchOptions{Numbers: !MUTANT})"),

	breaks("V11", dialog, "the warning is left out", "a_question_that_asks_for_a_secret$", notSeen, "marks.go",
		"\tif f.ask.Warning() != \"\" {\n", "\tif f.ask.Warning() != \"\" && !MUTANT {\n"),
	breaks("V11", box, "the warning is left out of the list", "a_question_that_asks_for_a_secret,_in_the_list", notSeen, "marks.go",
		"\tif a.Warning() != \"\" {\n", "\tif a.Warning() != \"\" && !MUTANT {\n"),
	breaks("V11", dialog, "it does not say that an answer is final", "an_answer_that_is_final", notSeen, "marks.go",
		"\tif f.ask.Notice() != \"\" {\n", "\tif f.ask.Notice() != \"\" && !MUTANT {\n"),
	breaks("V11", dialog, "what is held up is left out", "on_the_question", `"deploy" `+notSeen, "marks.go",
		"held.Count() > 0 {\n", "held.Count() > 0 && !MUTANT {\n"),
	breaks("V11", dialog, "the deadline is left out", "on_the_question", "the deadline "+notSeen, "marks.go",
		"\tif f.ask.Deadline.IsZero() {\n", "\tif MUTANT || f.ask.Deadline.IsZero() {\n"),
	breaks("V11", box, "the deadline is left out of the list", "in_the_list", "the deadline "+notSeen, "inboxrow.go",
		"\tif !t.Ask.Deadline.IsZero() && t.Open() {\n", "\tif !t.Ask.Deadline.IsZero() && t.Open() && !MUTANT {\n"),

	breaks("V12", dialog, "lines are cut at the edge", "in_40_columns", notSeen, "view.go",
		"\tw := max(min(m.width-1, textMax), 16)\n", "\tw := max(min(m.width-1, textMax), map[bool]int{false: 16, true: 60}[MUTANT])\n"),
	breaks("V12", box, "the question is cut at the edge", "in_40_columns", notSeen, "question.go",
		"\tw := m.column(s) - 4\n", "\tw := m.column(s) - 4\n\tif MUTANT {\n\t\tw += 40\n\t}\n"),
	breaks("V12", dialog, "a character counts as one column, however it is drawn", "TestHostileCorpus/layout/vowels_that_some_terminals_draw_apart", `columns on \d+`, "text.go",
		"\treturn max(n, w)\n", "\tif MUTANT {\n\t\treturn w\n\t}\n\treturn max(n, w)\n"),
}
