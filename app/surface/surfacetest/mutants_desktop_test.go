package surfacetest_test

import "github.com/saysohq/sayso/app/mutanttest"

const onDesktop = "desktop notification"

var desktopMutants = []surfaceMutant{
	breaks("V1", onDesktop, "only the beginning is shown", "everything_is_within_reach", notSeen, "show.go",
		"\ts.actions = b.actions(s, whole)\n", "\ts.actions = b.actions(s, whole)\n\tif MUTANT {\n\t\tbody = body[:min(len(body), 150)]\n\t}\n"),
	breaks("V1", onDesktop, "buttons without the text", "TestShow/no_body", "shown", "show.go",
		"case button.Answer && (!whole || button.Danger):", "case button.Answer && (!whole && !MUTANT || button.Danger):"),
	{"V1", onDesktop, mutanttest.Mutant{
		Name: "V1, desktop: a button that allows", In: "app/surface/notify/desktop",
		Test: "TestSurface/V1/approval,_nothing_is_allowed_here", Says: "nothing is allowed here",
		Edits: []mutanttest.Edit{
			{File: "app/surface/notify/approval.go", Old: "\t\tdeny, i := denial(t)\n", New: "\t\tdeny, i := denial(t)\n\t\tif MUTANT {\n\t\t\tdeny, i = &t.Ask.Questions[0].Options[0], 0\n\t\t}\n"},
			{File: "app/surface/notify/approval.go", Old: "o == nil || o.Act != sayso.ActDeny {", New: "(o == nil || o.Act != sayso.ActDeny) && !MUTANT {"},
		},
	}},
	breaks("V2", onDesktop, "nobody is called unverified", "a_claim_is_not_a_credential", notSeen+"|never: a notification", "show.go",
		"\tkeys := []string{}\n", "\tkeys := []string{}\n\tif MUTANT {\n\t\tbody = strings.ReplaceAll(body, sayso.Unverified, \"claude-code\")\n\t}\n"),
	breaks("V3", onDesktop, "a notification presses its own button", "nothing_is_preselected", "nothing was chosen|never: a notification", "channel.go",
		"\tc.shown[at] = s\n", "\tc.shown[at] = s\n\tif MUTANT && len(s.actions) > 1 {\n\t\tc.presses <- press{at, s.puts, s.account, n, s.actions[1]}\n\t}\n"),
	{"V4", onDesktop, mutanttest.Mutant{
		Name: "V4, desktop: a button for the dangerous option", In: "app/surface/notify/desktop",
		Test: "TestSurface/V4/it_takes_a_second_action_that_names_it", Says: "one action is not enough",
		Edits: []mutanttest.Edit{
			{File: "app/surface/notify/compose.go", Old: "\t\tif o.Danger {\n", New: "\t\tif o.Danger && !MUTANT {\n"},
			{File: "app/surface/notify/desk.go", Old: "\tif len(seen.Ask.Dangerous(o.Answers)) > 0 {\n", New: "\tif len(seen.Ask.Dangerous(o.Answers)) > 0 && !MUTANT {\n"},
		},
	}},
	breaks("V7", onDesktop, "it says sent before it is", "a_send_that_fails_is_not_called_sent", "while the hub has nothing", "replies.go",
		"\tr, err := d.Press(ctx, p.account, p.action.Data)\n", "\tif MUTANT {\n\t\tc.say(ctx, p, false, \"\", \"Sent.\")\n\t}\n\tr, err := d.Press(ctx, p.account, p.action.Data)\n"),
	breaks("V9", onDesktop, "the press is for another notification", "two_asks_with_the_same_questions", "never|another ask was answered", "replies.go",
		"\tat, s := c.find(b, id)\n", "\tat, s := c.find(b, id)\n\tfor other, o := range c.shown {\n\t\tif MUTANT && o != s {\n\t\t\tat, s = other, o\n\t\t\tbreak\n\t\t}\n\t}\n"),
	breaks("V9", onDesktop, "any program can press", "TestForged", "taken:", "bus.go",
		"\tif b.owner == \"\" || s.Sender != b.owner {\n", "\tif b.owner == \"\" || s.Sender != b.owner && !MUTANT {\n"),
	breaks("V9", onDesktop, "what has the number of another service is closed", "TestServiceRestarts", "on the screen", "show.go",
		"\tif s.id == 0 || s.guid != b.guid || s.owner != b.owner {\n", "\tif s.id == 0 || !MUTANT && (s.guid != b.guid || s.owner != b.owner) {\n"),
	breaks("V11", onDesktop, "the deadline is left out", "on_the_question", "the deadline is not to be seen|never: a notification", "show.go",
		"\tvar id uint32\n", "\tif MUTANT {\n\t\tbody = strings.ReplaceAll(body, \"before \", \"\")\n\t}\n\tvar id uint32\n"),
	breaks("V11", onDesktop, "text is markup", "TestHostile/with_room_for_everything", "is markup", "show.go",
		"\tif b.can(\"body-markup\") {\n", "\tif b.can(\"body-markup\") && !MUTANT {\n"),
}
