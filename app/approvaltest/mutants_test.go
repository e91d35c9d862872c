package approvaltest

import (
	"os"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/mutanttest"
)

const allowed = `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`

func mutant(name, says, file, old, new string, flags ...string) mutanttest.Mutant {
	return mutanttest.Mutant{Name: name, Test: "TestKills", Flags: append([]string{"-calls=60"}, flags...), Says: says, Edits: []mutanttest.Edit{{File: file, Old: old, New: new}}}
}

// The mutants. Each breaks one promise, of the program or of the played agent.
var mutants = []mutanttest.Mutant{
	mutant("a hook allows what it could not ask about", `the hook said allow, and nobody else did`, "app/internal/cli/hook.go",
		"\tif err != nil {\n\t\treturn info.Nothing, errors.Join(err, hook.Unreached(e, o))\n\t}\n\tdefer c.Close()\n",
		"\tif err != nil && MUTANT {\n\t\treturn []byte(`"+allowed+"`), nil\n\t}\n\tif err != nil {\n\t\treturn info.Nothing, errors.Join(err, hook.Unreached(e, o))\n\t}\n\tdefer c.Close()\n",
		"-calls=200"), // for one of 13 there is no hub
	mutant("a denial is passed on as an allow", `recorded as denied, and it ran|the hook said allow, and nobody else did`, "app/door/claudecall/decide.go",
		"\t\tif o.Act != sayso.ActAllow {\n", "\t\tif o.Act != sayso.ActAllow && !MUTANT {\n"),
	mutant("an allow is passed on as a denial", `the hook said deny, and nobody else did`, "app/door/claudecall/decide.go",
		"\t\tif o.Act != sayso.ActAllow {\n", "\t\tif o.Act != sayso.ActAllow || MUTANT {\n"),
	mutant("a tool runs twice", `it ran 2 times`, "app/approvaltest/agent_test.go",
		"\tvar says bytes.Buffer\n\tpost :=", "\tif MUTANT {\n\t\tp.write(id, ran, \"\")\n\t}\n\tvar says bytes.Buffer\n\tpost :="),
	mutant("the hub is not told of the agent's own dialog", `the hub was told that it ran, and still asks|with no word of what had allowed it|recorded as not received, and it ran`, "app/door/hook/ran.go",
		"func (d *Door) allowedThere(ctx context.Context, handle string) error {\n", "func (d *Door) allowedThere(ctx context.Context, handle string) error {\n\tif MUTANT {\n\t\treturn nil\n\t}\n",
		"-calls=600", "-unsure=0"), // one of 67 shows it
}

// TestMutants wants the check to find every one of these.
func TestMutants(t *testing.T) {
	if os.Getenv("SAYSO_MUTANTS") == "" {
		mutanttest.Check(t, mutants, nil)
		t.Skip("takes two minutes: set SAYSO_MUTANTS=1, or run .ci/run surfaces")
	}
	mutanttest.Run(t, mutants, &mutanttest.Options{None: map[string]string{"": "TestKills"}, Timeout: 10 * time.Minute})
}
