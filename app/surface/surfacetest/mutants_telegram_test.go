package surfacetest_test

import "github.com/saysohq/sayso/app/mutanttest"

const inTelegram = "Telegram"

var telegramMutants = []surfaceMutant{
	breaks("V1", inTelegram, "only the beginning is shown", "everything_is_within_reach", notSeen, "put.go",
		"\ttext := wording(n)\n", "\ttext := wording(n)\n\tif MUTANT {\n\t\ttext = cut(text, 150)\n\t}\n"),
	behindChat("V1", "what was never shown can be answered", "TestForged", "a forged press was accepted",
		mutanttest.Edit{File: "app/surface/notify/desk.go", Old: "\tif !d.shownWhole(c, s, seen) {\n", New: "\tif !d.shownWhole(c, s, seen) && !MUTANT {\n"}),
	behindChat("V1", "a press allows", "TestSurface/V1/approval,_nothing_is_allowed_here", "nothing is allowed here",
		mutanttest.Edit{File: "app/surface/notify/approval.go", Old: "o == nil || o.Act != sayso.ActDeny {", New: "(o == nil || o.Act != sayso.ActDeny) && !MUTANT {"}),
	behindChat("V5", "words allow", "TestSurface/V5/approval,_words_deny", `decided|never`,
		mutanttest.Edit{File: "app/surface/notify/desk.go", Old: "\ta.QuestionID = q.ID\n\treturn d.answer(ctx, c, s, t, \"say\", a)\n", New: "\ta.QuestionID = q.ID\n\tif MUTANT && t.Ask.Approval != nil {\n\t\ta = sayso.Answer{QuestionID: q.ID, Selected: []string{t.Ask.Approval.Allows()[0].ID}}\n\t}\n\treturn d.answer(ctx, c, s, t, \"say\", a)\n"}),
	breaks("V2", inTelegram, "nobody is called unverified", "a_claim_is_not_a_credential", notSeen, "put.go",
		"\trows, width := [][]button{}, 0\n", "\trows, width := [][]button{}, 0\n\tif MUTANT {\n\t\ttext = strings.ReplaceAll(text, \"unverified\", \"claude-code\")\n\t}\n"),
	breaks("V3", inTelegram, "who wants to see the question answers it", "nothing_is_preselected", "nothing was chosen", "handle.go",
		"\t\th.took(account, r)\n\t}\n\tif w := h.reply.Words; w != nil {\n", "\t\th.took(account, r)\n\t}\n\tif MUTANT && strings.HasSuffix(q.Data, \".s\") {\n\t\th.d.Press(ctx, account, strings.TrimSuffix(q.Data, \"s\")+\"0\")\n\t}\n\tif w := h.reply.Words; w != nil {\n"),
	behindChat("V4", "a button for the dangerous option", "TestSurface/V4/it_takes_a_second_action_that_names_it", "one action is not enough",
		mutanttest.Edit{File: "app/surface/notify/compose.go", Old: "\t\tif o.Danger {\n", New: "\t\tif o.Danger && !MUTANT {\n"},
		mutanttest.Edit{File: "app/surface/notify/desk.go", Old: "\tif len(seen.Ask.Dangerous(o.Answers)) > 0 {\n", New: "\tif len(seen.Ask.Dangerous(o.Answers)) > 0 && !MUTANT {\n"}),
	breaks("V5", inTelegram, "words are trimmed", "words_byte_for_byte", `stored answered .*, want`, "handle.go",
		"notify.Place{Where: place(m.Chat.ID, m.ReplyTo.ID)}, m.Text)", "notify.Place{Where: place(m.Chat.ID, m.ReplyTo.ID)}, map[bool]string{false: m.Text, true: strings.TrimSpace(m.Text)}[MUTANT])"),
	breaks("V6", inTelegram, "what stands behind a comma is lost", "a_send_that_fails", `stored answered .*, want`, "handle.go",
		"\taccount, ok := account(m.From, m)\n", "\tif MUTANT {\n\t\tm.Text, _, _ = strings.Cut(m.Text, \",\")\n\t}\n\taccount, ok := account(m.From, m)\n"),
	breaks("V6", inTelegram, "an update is confirmed before it is handled", "TestKill", "never: ", "replies.go",
		"\t\th := &handling{c: c, d: d}\n", "\t\th := &handling{c: c, d: d}\n\t\tif MUTANT {\n\t\t\toffset = u.ID + 1\n\t\t\tkeep()\n\t\t}\n"),
	breaks("V7", inTelegram, "it says sent before it is", "TestConfirm", "the desk has nothing", "handle.go",
		"\t\tr, err := h.d.Press(ctx, account, q.Data)\n", "\t\tif MUTANT {\n\t\t\th.reply = &notify.Reply{Text: \"Sent.\", Done: true}\n\t\t\th.answer(ctx, q.ID)\n\t\t\th.reply = nil\n\t\t}\n\t\tr, err := h.d.Press(ctx, account, q.Data)\n"),
	breaks("V8", inTelegram, "a message that is over stays as it is", "who,_where_and_what", "who answered, where and what", "put.go",
		"\tif n.Over && !there {\n", "\tif n.Over && (!there || MUTANT) {\n"),
	breaks("V9", inTelegram, "anybody in the chat can press", "TestReplies/a_press_by_another_one_in_that_chat", "the desk was told", "handle.go",
		" || m.Chat.ID != from.ID {\n", " || m.Chat.ID != from.ID && !MUTANT {\n"),
	behindChat("V9", "nobody looks whose account it is", "TestForged", "a forged press was accepted",
		mutanttest.Edit{File: "app/surface/notify/desklink.go", Old: "\tif found == nil {\n",
			New: "\tfor _, c := range d.n.linked(d.kind) {\n\t\tif MUTANT && found == nil {\n\t\t\tfound, account = c, c.Account\n\t\t}\n\t}\n\tif found == nil {\n"}),
	behindChat("V9", "a press reaches what the message shows now", "TestBound", "answered the second",
		mutanttest.Edit{File: "app/surface/notify/slot.go", Old: "\tif s.Subject != \"\" && s.Subject != subject {\n", New: "\tif s.Subject != \"\" && s.Subject != subject && !MUTANT {\n"}),
	behindChat("V10", "numbers are words", "TestSurface/V10/the_table", `stored as|was taken as|was not taken`,
		mutanttest.Edit{File: "app/surface/notify/desk.go", Old: "&sayso.MatchOptions{Numbers: true}", New: "&sayso.MatchOptions{Numbers: !MUTANT}"}),
	breaks("V11", inTelegram, "marks are left out", "on_the_question", notSeen, "put.go",
		"\t\twhole, keys := draw(text, n.Buttons, links)\n", "\t\twhole, keys := draw(text, n.Buttons, links)\n\t\tif MUTANT {\n\t\t\twhole = strings.NewReplacer(\"Recommended\", \"\", \"recommended\", \"\", \"dangerous\", \"\").Replace(whole)\n\t\t\tfor _, row := range keys.Rows {\n\t\t\t\trow[0].Text = strings.NewReplacer(\"Recommended\", \"\", \"recommended\", \"\", \"dangerous\", \"\").Replace(row[0].Text)\n\t\t\t}\n\t\t}\n"),
	breaks("V12", inTelegram, "it is in colour", "no_colour,_no_control_characters", "control character", "put.go",
		"\t\treturn clean(n.Text)\n", "\t\treturn map[bool]string{true: \"\\x1b[1m\"}[MUTANT] + clean(n.Text)\n"),
}

// behindChat is a mutant of what all chats have in common.
func behindChat(rule, name, test, says string, edits ...mutanttest.Edit) surfaceMutant {
	return surfaceMutant{rule, inTelegram, mutanttest.Mutant{
		Name: rule + ", " + inTelegram + ": " + name, In: "app/surface/notify/telegram", Test: test, Says: says, Edits: edits,
	}}
}
