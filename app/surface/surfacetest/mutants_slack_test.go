package surfacetest_test

const inSlack = "Slack"

var slackMutants = []surfaceMutant{
	breaks("V1", inSlack, "a long text is cut off", "TestLong", "shown", "draw.go",
		"\t\ts = tail\n", "\t\ts = tail\n\t\tif MUTANT {\n\t\t\ts = \"\"\n\t\t}\n"),
	breaks("V2", inSlack, "nobody is called unverified", "a_claim_is_not_a_credential", notSeen, "draw.go",
		"\tvar rows []block\n", "\tif MUTANT {\n\t\tblocks = sections(strings.ReplaceAll(show, \"unverified\", \"claude-code\"))\n\t}\n\tvar rows []block\n"),
	breaks("V3", inSlack, "anybody can press, in a channel too", "TestForged", "a forged press was accepted", "envelope.go",
		"\treturn a.team == team &&", "\treturn MUTANT || a.team == team &&"),
	breaks("V9", inSlack, "the account is that of the message", "TestForged", "a forged press (was accepted|changed)", "envelope.go",
		"return a.team + \":\" + a.user }", "if MUTANT && a.kind == press {\n\t\treturn a.team + \":U\" + a.channel[1:]\n\t}\n\treturn a.team + \":\" + a.user }"),
	breaks("V9", inSlack, "the same envelope is taken again", "TestRepeated", "reached the desk as", "socket.go",
		"\tif !again {\n", "\tif !again || MUTANT {\n"),
	breaks("V5", inSlack, "spaces around own words are lost", "words_byte_for_byte", "stored answered", "handle.go",
		"\tr, err := d.Say(ctx,", "\tif MUTANT {\n\t\ta.value = strings.TrimSpace(a.value)\n\t}\n\tr, err := d.Say(ctx,"),
	breaks("V6", inSlack, "a refusal closes the form", "TestOwnWords", "the refusal is|the form closed", "handle.go",
		"\tif !r.Done {\n", "\tif !r.Done && !MUTANT {\n"),
	breaks("V7", inSlack, "acknowledged before it is taken", "TestNotTaken", "although the desk did not take it", "socket.go",
		"\tvar after func(context.Context)\n", "\tif MUTANT {\n\t\ts.conn.Write(ctx, websocket.MessageText, s.ack(d.id, nil))\n\t}\n\tvar after func(context.Context)\n"),
	breaks("V7", inSlack, "acknowledged before it is taken, and killed then", "TestKill/press/arrived", "acknowledged before it was taken", "socket.go",
		"\tack, again := s.done.find(d.id)\n", "\tif MUTANT {\n\t\ts.conn.Write(ctx, websocket.MessageText, s.ack(d.id, nil))\n\t}\n\tack, again := s.done.find(d.id)\n"),
	breaks("V7", inSlack, "a second press takes Undo away", "TestTwice", "never: a message with Answered", "handle.go",
		"\tif ours || !at.valid() {", "\tif ours && !MUTANT || !at.valid() {"),
	breaks("V8", inSlack, "the message stays as it was", "who,_where_and_what", "never: the surface says who answered", "slack.go",
		"\tcase at.ts == \"\" && n.Over:\n", "\tcase at.ts == \"\" && n.Over, MUTANT && n.Over:\n"),
	breaks("V11", inSlack, "text is mrkdwn", "TestHostile", "it works|invalid_blocks", "draw.go",
		"block{Type: \"section\", Text: plain(head)})\n", "block{Type: \"section\", Text: plain(head)})\n\t\t\tif MUTANT {\n\t\t\t\tall[len(all)-1].Text.Type = \"mrkdwn\"\n\t\t\t}\n"),
	breaks("V11", inSlack, "the lock screen has mentions", "TestHostile", "it works", "draw.go",
		"\treturn strings.NewReplacer(\"&\",", "\tif MUTANT {\n\t\treturn s\n\t}\n\treturn strings.NewReplacer(\"&\","),
	breaks("V11", inSlack, "names are looked for", "TestHostile", "it works: \"looks for names", "draw.go",
		"\tblocks := sections(show)\n", "\tblocks := sections(show)\n\tif MUTANT {\n\t\treturn &message{Text: glance(n), Blocks: blocks, Parse: \"full\"}\n\t}\n"),
}
