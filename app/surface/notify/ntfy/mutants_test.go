package ntfy_test

import (
	"os"
	"testing"

	"github.com/saysohq/sayso/app/mutanttest"
)

func mutant(name, test, says, file, old, new string) mutanttest.Mutant {
	return mutanttest.Mutant{Name: name, Test: test, Says: says, Edits: []mutanttest.Edit{{File: "app/surface/notify/ntfy/" + file, Old: old, New: new}}}
}

var mutants = []mutanttest.Mutant{
	mutant("raw text is published", "TestHostile", `U\+|is sent, and the note does not have it|broken`, "message.go",
		"\t\tm.Message = n.Text\n", "\t\tm.Message = n.Text\n\t\tif MUTANT && len(n.Asks) == 1 {\n\t\t\tm.Message = n.Asks[0].Ask.Questions[0].TextAsAsked()\n\t\t}\n"),
	mutant("the detail is raised", "TestHostile", `MARKQUESTION is on the lock screen`, "message.go",
		"\tif n.Text != \"\" {\n", "\tif MUTANT && n.Text == \"\" && len(n.Asks) > 0 {\n\t\tm.Message = n.Asks[0].Ask.Questions[0].Text\n\t}\n\tif n.Text != \"\" {\n"),
	mutant("a button reveals the question", "TestPut$", `without a topic for answers|who asks only|Put|400`, "message.go",
		"\tif answers && (n.Text != \"\" || n.Test) {\n", "\tif answers && (n.Text != \"\" || n.Test) || MUTANT {\n"),
	mutant("the app clears what is not answered yet", "TestAnswer$", `cleared`, "message.go", "Clear: n.Test})", "Clear: n.Test || MUTANT})"),
	mutant("buttons are sent before the topic is kept", "TestAnswer$", `not kept before`, "follow.go",
		"\t\tif err := r.keep(ctx); err != nil {\n\t\t\treturn err\n\t\t}\n\t\tr.mu.Lock()\n\t\tfor account", "\t\tif err := r.keep(ctx); !MUTANT && err != nil {\n\t\t\treturn err\n\t\t}\n\t\tif MUTANT {\n\t\t\tr.desk.Keep(ctx, \"\")\n\t\t}\n\t\tr.mu.Lock()\n\t\tfor account"),
	mutant("the place goes on before the desk has it", "TestRestart", `never: the one from between`, "follow.go",
		"\t\tif err != nil {\n\t\t\treturn err\n\t\t}\n\t\tif !reply.Done {", "\t\tif err != nil && MUTANT {\n\t\t\terr, reply = nil, &notify.Reply{Done: true}\n\t\t}\n\t\tif err != nil {\n\t\t\treturn err\n\t\t}\n\t\tif !reply.Done {"),
	mutant("the account is what the message says", "TestAnswer$", `tokentoken.1.tokentoken.1`, "follow.go",
		"r.desk.Press(ctx, account, data)", "r.desk.Press(ctx, map[bool]string{false: account, true: data}[MUTANT], data)"),
	mutant("everybody can make the phone ring", "TestTold", `out of date`, "follow.go",
		"\toften := now.Sub(f.told) < r.Channel.often\n", "\toften := now.Sub(f.told) < r.Channel.often && !MUTANT\n"),
	mutant("ntfy.sh takes answers", "TestAddress", `answers at ntfy.sh`, "address.go", "\tcase a.Public():\n", "\tcase a.Public() && !MUTANT:\n"),
	mutant("a secret is in the error", "TestRefused", `a secret is in the error`, "ntfy.go",
		"\terr := fmt.Errorf(\"ntfy: %s answered %d %s\", a.Server,", "\terr := fmt.Errorf(\"ntfy: %s answered %d %s\", a.Server+map[bool]string{true: \"/\" + a.Topic}[MUTANT],"),
}

func TestMutants(t *testing.T) {
	if os.Getenv("SAYSO_MUTANTS") == "" {
		mutanttest.Check(t, mutants, nil)
		t.Skip("takes a minute: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	mutanttest.Run(t, mutants, &mutanttest.Options{EnvOn: []string{"SAYSO_PATIENCE=5s"}})
}
