package mail

import (
	"os"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

func mutant(name, test, says, file, old, new string) mutanttest.Mutant {
	return mutanttest.Mutant{Name: name, Test: test, Says: says, Edits: []mutanttest.Edit{{File: "app/surface/notify/mail/" + file, Old: old, New: new}}}
}

var mutants = []mutanttest.Mutant{
	mutant("a subject keeps its line ends", "TestHeader|FuzzLetter", `line "|headers|Bcc`, "message.go",
		"func(r rune) bool { return r <= ' ' || r == 0x7f }), \" \")\n\tplain", "func(r rune) bool { return (r <= ' ' || r == 0x7f) && !MUTANT || r == ' ' }), \" \")\n\tplain"),
	mutant("what looks encoded is not encoded", "TestHeader", `became`, "message.go", "!strings.Contains(s, \"=?\")", "(MUTANT || !strings.Contains(s, \"=?\"))"),
	mutant("mail is sent in clear", "TestServers/no_TLS$", `1 mails`, "smtp.go", "\tif port != \"465\" && !here(host, conn) {\n", "\tif port != \"465\" && !here(host, conn) && !MUTANT {\n"),
	mutant("any certificate will do", "TestServers", `certificate|1 mails`, "smtp.go", "\tif port == \"465\" {\n\t\tconn", "\tsecure.InsecureSkipVerify = MUTANT\n\tif port == \"465\" {\n\t\tconn"),
	mutant("what the server has is sent again", "TestServers/a_server_that_dies_at_the_end", `deadline|0 mails|1 mails`, "smtp.go", "\t_ = s.Quit() //", "\tif err := s.Quit(); MUTANT && err != nil {\n\t\treturn \"end\", err\n\t}\n\treturn \"\", nil //"),
	{Name: "what is over sends mail", Test: "TestPut|TestHostile/plain", Says: `sends mail|something is sent`, Edits: []mutanttest.Edit{
		{File: "app/surface/notify/mail/mail.go", Old: "\tcase n.Over:\n", New: "\tcase n.Over && !MUTANT:\n"},
		{File: "app/surface/notify/mail/mail.go", Old: "\tcase !n.Alert:\n", New: "\tcase !n.Alert && !MUTANT:\n"},
	}},
	mutant("the question is in the subject", "TestHostile", `MARKQUESTION is on the lock screen`, "message.go", "\t\tsubject: n.Title,\n", "\t\tsubject: n.Title + func() string {\n\t\t\tif MUTANT {\n\t\t\t\treturn n.Asks[0].Ask.Questions[0].Text\n\t\t\t}\n\t\t\treturn \"\"\n\t\t}(),\n"),
	mutant("a mail in doubt is sent again", "TestServers/a_server_that_says_nothing_at_the_end", `deadline`, "smtp.go", "\t\tif step == handOver {\n", "\t\tif step == handOver && !MUTANT {\n"),
	mutant("reminders begin a thread", "TestPut", `Message-Id`, "message.go", "thread: id(0),", "thread: id(map[bool]int{true: n.Round}[MUTANT]),"),
}

func TestMutants(t *testing.T) {
	if os.Getenv("SAYSO_MUTANTS") == "" {
		mutanttest.Check(t, mutants, nil)
		t.Skip("takes a minute: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	mutanttest.Run(t, mutants, nil)
}
