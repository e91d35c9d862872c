package surfacetest_test

const (
	rpcQuestion = "JSON-RPC, client/ask_user"
	rpcForm     = "JSON-RPC, ask_user_request"
	mcpForm     = "MCP form"
)

const (
	notSeen  = `is not to be seen in`
	isStored = `stored ✓|stored answered|stored –`
	notSent  = `is not to be seen in|never: the answer is stored`
)

var protocolMutants = []surfaceMutant{
	breaks("V1", rpcQuestion, "the options are left out", "twenty_options", notSeen, "question.go",
		"\t\tm.Choices = append(m.Choices, o.Label)\n", "\t\tif MUTANT {\n\t\t\tbreak\n\t\t}\n\t\tm.Choices = append(m.Choices, o.Label)\n"),
	breaks("V1", rpcForm, "the body is left out", "everything_is_within_reach", `"MARKBODY" `+notSeen, "form.go",
		"\tmsg.Error = problem\n", "\tmsg.Error = problem\n\tfor i := range msg.Questions {\n\t\tif MUTANT {\n\t\t\tmsg.Questions[i].Question, msg.Questions[i].Body = a.Questions[i].Text, \"\"\n\t\t}\n\t}\n"),
	breaks("V1", mcpForm, "the body is left out", "everything_is_within_reach", `"MARKBODY" `+notSeen, "form.go",
		"\tif q := &a.Questions[i]; version < titled", "\tif MUTANT {\n\t\ttext = a.Questions[i].Text\n\t}\n\tif q := &a.Questions[i]; version < titled"),
	breaks("V1", mcpForm, "what is too long is cut", "200_KB", notSeen, "turn.go",
		"\t\tif length(form) <= maxForm {\n", "\t\tif MUTANT {\n\t\t\tform.Message = cut(form.Message, 4000)\n\t\t}\n\t\tif length(form) <= maxForm {\n"),

	breaks("V2", rpcQuestion, "the claim stands for the credential", "a_claim_is_not_a_credential", `"unverified" `+notSeen, "question.go",
		"Asker: form.Asker", "Asker: map[bool]string{false: form.Asker, true: form.Claim}[MUTANT]"),
	breaks("V2", rpcForm, "the claim stands for the credential", "a_claim_is_not_a_credential", `"unverified" `+notSeen, "form.go",
		"\tmsg := formOf(x.id, a)\n", "\tmsg := formOf(x.id, a)\n\tif MUTANT {\n\t\tmsg.Asker = msg.Claim\n\t}\n"),
	breaks("V2", mcpForm, "it does not say who asks", "a_credential_is_named", notSeen, "form.go",
		"\tmessage = append(message, strings.TrimSpace(sayso.RenderIntroduction(a)))\n", "\tif !MUTANT {\n\t\tmessage = append(message, strings.TrimSpace(sayso.RenderIntroduction(a)))\n\t}\n"),

	breaks("V3", rpcQuestion, "a blank answer chooses the first option", "nothing_is_preselected", isStored, "question.go",
		"\t\t\tans = one.Answers[0]\n", "\t\t\tans = one.Answers[0]\n\t\t\tif MUTANT && !ans.Answered() && q.Chooses() {\n\t\t\t\tans = sayso.Answer{QuestionID: q.ID, Selected: []string{q.Options[0].ID}}\n\t\t\t}\n"),
	breaks("V3", rpcForm, "a blank form is stored", "nothing_is_preselected", `stored ✗`, "dialog.go",
		"\tif o.Status == sayso.StatusUnanswered {\n", "\tif o.Status == sayso.StatusUnanswered && !MUTANT {\n"),
	breaks("V3", mcpForm, "a blank form is stored", "nothing_is_preselected", `stored ✗`, "turn.go",
		"\tcase !o.HasAnswer():\n", "\tcase !o.HasAnswer() && !MUTANT:\n"),

	breaks("V4", rpcQuestion, "one action is enough", "it_takes_a_second_action_that_names_it", isStored, "dialog.go",
		"c != nil && o.Status == sayso.StatusAnswered {", "c != nil && o.Status == sayso.StatusAnswered && !MUTANT {"),
	breaks("V4", rpcForm, "the same answer again confirms it", "also_when_its_label_is_typed", "sending again is the same action", "dialog.go",
		"\t\t\tcase yes:\n", "\t\t\tcase yes || MUTANT:\n"),
	breaks("V4", mcpForm, "one action is enough", "it_takes_a_second_action_that_names_it", isStored, "turn.go",
		"\tcase len(a.Dangerous(o.Answers)) > 0:\n", "\tcase len(a.Dangerous(o.Answers)) > 0 && !MUTANT:\n"),
	breaks("V4", mcpForm, "the same answer again confirms it", "also_when_its_label_is_typed", "sending again is the same action", "turn.go",
		"\t\treturn nil, &turn{at.unsure, saidNeither}\n", "\t\tif MUTANT {\n\t\t\treturn at.unsure, nil\n\t\t}\n\t\treturn nil, &turn{at.unsure, saidNeither}\n"),

	breaks("V5", rpcQuestion, "words are trimmed", "words_byte_for_byte", `stored answered .*, want`, "question.go",
		"\t\t\tkept[q.ID] = ans\n", "\t\t\tif MUTANT {\n\t\t\t\tans.Other = strings.TrimSpace(ans.Other)\n\t\t\t}\n\t\t\tkept[q.ID] = ans\n"),
	breaks("V5", rpcForm, "words are changed", "words_byte_for_byte", `stored answered .*, want`, "surface.go",
		"\tfor {\n\t\t_, err := f.session.hub.Relay(", "\tif MUTANT && len(o.Answers) > 0 && o.Answers[0].Other != \"\" {\n\t\to.Answers[0].Other += \" \"\n\t}\n\tfor {\n\t\t_, err := f.session.hub.Relay("),
	breaks("V5", mcpForm, "words are changed", "words_byte_for_byte", `stored answered .*, want`, "readform.go",
		"\t\tans.Other = r.text(fieldName(i))\n", "\t\tans.Other = r.text(fieldName(i)) + map[bool]string{true: \" \"}[MUTANT]\n"),

	breaks("V6", rpcQuestion, "an answer is tried once", "a_send_that_fails", notSent, "surface.go",
		"\t\tcase !mayComeBack(err):\n", "\t\tcase !mayComeBack(err) || MUTANT:\n"),
	breaks("V6", rpcForm, "an answer is tried once", "a_send_that_fails", notSent, "surface.go",
		"\t\tcase !f.pause(context.WithoutCancel(ctx)):\n", "\t\tcase MUTANT || !f.pause(context.WithoutCancel(ctx)):\n"),
	breaks("V6", mcpForm, "an answer is tried once", "a_send_that_fails", notSent, "elicit.go",
		"errors.Is(err, hub.ErrBroken) {\n", "errors.Is(err, hub.ErrBroken) || MUTANT {\n"),

	breaks("V7", rpcQuestion, "an answer is told before it is stored", "a_send_that_fails_is_not_called_sent", "while the hub has nothing", "dialog.go",
		"\t\t\terr = give(o)\n", "\t\t\tif MUTANT {\n\t\t\t\tx.withdrawn(ctx, x.method, x.id, x.a, &sayso.SupersededError{Winner: o})\n\t\t\t}\n\t\t\terr = give(o)\n"),
	breaks("V7", rpcForm, "an answer is told before it is stored", "a_send_that_fails_is_not_called_sent", "while the hub has nothing", "surface.go",
		"\t\trefused = f.relay(ctx, t, o)\n", "\t\tif MUTANT {\n\t\t\tp.notify(ctx, \"ui/sent\", map[string]string{\"reason\": \"your answer was sent\"})\n\t\t}\n\t\trefused = f.relay(ctx, t, o)\n"),
	breaks("V7", mcpForm, "an answer is told before it is stored", "a_send_that_fails_is_not_called_sent", "while the hub has nothing", "elicit.go",
		"\town := *o\n", "\town := *o\n\tif MUTANT {\n\t\tc.sign(ctx, \"the answer was sent\")\n\t}\n"),

	breaks("V8", rpcQuestion, "it does not say what was answered", "who,_where_and_what", "never: the surface says who answered", "dialog.go",
		"\"answer\": sayso.RenderResult(a, o)}", "\"answer\": map[bool]string{false: sayso.RenderResult(a, o)}[MUTANT]}"),
	breaks("V8", rpcForm, "it does not say who answered", "who,_where_and_what", "never: the surface says who answered", "dialog.go",
		"\"by\": o.By.ID,", "\"by\": map[bool]string{false: o.By.ID}[MUTANT],"),
	breaks("V8", mcpForm, "a form is called back without a word", "who,_where_and_what", "never: the surface says who answered", "elicit.go",
		"{ return context.Cause(c.Context) }", "{\n\tif MUTANT {\n\t\treturn c.Context.Err()\n\t}\n\treturn context.Cause(c.Context)\n}"),
	breaks("V8", mcpForm, "who comes late is told nothing", "who,_where_and_what", "never: the surface says who answered", "input.go",
		"\t\tc.sign(ctx, sayso.RenderClosed(t.Ask, t.Outcome))\n", "\t\tif !MUTANT {\n\t\t\tc.sign(ctx, sayso.RenderClosed(t.Ask, t.Outcome))\n\t\t}\n"),

	breaks("V9", rpcQuestion, "an answer goes to whatever is open", "two_asks_with_the_same_questions", "another ask was answered|never: the answer is stored|stored", "surface.go",
		"\t\t_, err := f.session.hub.Relay(", "\t\tfor id := range f.dialogs {\n\t\t\tif other, err := f.session.hub.Get(ctx, id); MUTANT && err == nil && id != t.Handle {\n\t\t\t\tt = other\n\t\t\t\tbreak\n\t\t\t}\n\t\t}\n\t\t_, err := f.session.hub.Relay("),
	breaks("V9", rpcForm, "an answer goes to whatever is open", "two_asks_with_the_same_questions", "another ask was answered|never: the answer is stored|stored", "form.go",
		"\tr := &reply{data: data,", "\tfor other := range p.waiting {\n\t\tif MUTANT && other != id {\n\t\t\tid = other\n\t\t\tbreak\n\t\t}\n\t}\n\tr := &reply{data: data,"),
	breaks("V9", mcpForm, "an answer goes to whatever is open", "two_asks_with_the_same_questions", "another ask was answered|never: the answer is stored|stored", "elicit.go",
		"\tdefer c.ticking(ctx, \"the answer is kept until the hub has it\")()\n\terr = patiently(ctx, func() error { got,", "\tif page, err := c.hub.List(ctx, nil); MUTANT && err == nil {\n\t\tfor _, other := range page.Tickets {\n\t\t\tif other.Handle != t.Handle {\n\t\t\t\tt = other\n\t\t\t\tbreak\n\t\t\t}\n\t\t}\n\t}\n\tdefer c.ticking(ctx, \"the answer is kept until the hub has it\")()\n\terr = patiently(ctx, func() error { got,"),

	breaks("V10", rpcQuestion, "labels are own words", "the_table", "is stored as", "read.go",
		"[]sayso.Question{*q}}, form)", "[]sayso.Question{func() sayso.Question {\n\t\tc := *q\n\t\tif MUTANT {\n\t\t\tc.Options = nil\n\t\t}\n\t\treturn c\n\t}()}}, form)"),
	breaks("V10", rpcForm, "labels are own words", "the_table", "is stored as", "form.go",
		"\t\treturn dialect.ReadPiForm(a, x.last.data)\n", "\t\tif MUTANT {\n\t\t\ta = a.Clone()\n\t\t\ta.Questions[0].Options = nil\n\t\t}\n\t\treturn dialect.ReadPiForm(a, x.last.data)\n"),
	breaks("V10", mcpForm, "labels are own words", "the_table", "is stored as", "readform.go",
		"\tfor _, id := range said.Selected {\n", "\tif MUTANT {\n\t\tsaid.Selected, said.Other = nil, r.text(customName(i))\n\t}\n\tfor _, id := range said.Selected {\n"),

	breaks("V11", rpcQuestion, "the warning is left out", "a_question_that_asks_for_a_secret$", notSeen, "question.go",
		"Warning: a.Warning(),", "Warning: map[bool]string{false: a.Warning()}[MUTANT],"),
	breaks("V11", rpcForm, "the warning is left out", "a_question_that_asks_for_a_secret$", notSeen, "form.go",
		"Warning: a.Warning()}", "Warning: map[bool]string{false: a.Warning()}[MUTANT]}"),
	breaks("V11", mcpForm, "the warning is left out", "a_question_that_asks_for_a_secret$", notSeen, "form.go",
		"strings.TrimSpace(sayso.RenderIntroduction(a))", "strings.ReplaceAll(strings.TrimSpace(sayso.RenderIntroduction(a)), map[bool]string{true: sayso.SecretWarning}[MUTANT], \"\")"),
	breaks("V11", rpcQuestion, "it does not say that an answer is final", "an_answer_that_is_final", notSeen, "question.go",
		"Notice: a.Notice(),", "Notice: map[bool]string{false: a.Notice()}[MUTANT],"),
	breaks("V11", rpcForm, "it does not say that an answer is final", "an_answer_that_is_final", notSeen, "form.go",
		"Notice: a.Notice(),", "Notice: map[bool]string{false: a.Notice()}[MUTANT],"),
	breaks("V11", rpcQuestion, "what is held up is left out", "on_the_question", `"deploy" `+notSeen, "question.go",
		"HeldUp: a.HeldUp().String(),", "HeldUp: map[bool]string{false: a.HeldUp().String()}[MUTANT],"),
	breaks("V11", rpcForm, "the deadline is left out", "on_the_question", "the deadline "+notSeen, "form.go",
		"\treturn &form{RequestID: id,", "\tif MUTANT {\n\t\ta = a.Clone()\n\t\ta.Deadline = (&sayso.Ask{}).Deadline\n\t}\n\treturn &form{RequestID: id,"),
	breaks("V11", mcpForm, "the deadline is left out", "on_the_question", "the deadline "+notSeen, "form.go",
		"\tschema := &jsonschema.Schema{", "\tif MUTANT {\n\t\ta = a.Clone()\n\t\ta.Deadline = (&sayso.Ask{}).Deadline\n\t}\n\tschema := &jsonschema.Schema{"),
}
