package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/client"
)

// mayRun is the script command mayrun ID DIR COMMAND…: an agent asks whether it may
// run a command. It prints what became of that at once: open, or who decided what.
func mayRun(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 3 {
		ts.Fatalf("usage: mayrun ID DIR COMMAND")
	}
	input, err := json.Marshal(map[string]string{"command": strings.Join(args[2:], " ")})
	ts.Check(err)
	p := sayso.NewApproval(sayso.ApproveShell, "Bash", input, &sayso.ApprovalOptions{Command: "command"})
	p.Cwd = args[1]
	p.Offers = []sayso.Offer{{ID: "once", Act: sayso.ActAllow}, {ID: "deny", Act: sayso.ActDeny, Message: true}}
	a := &sayso.Ask{
		Approval: p, Dialect: "permission",
		Origin: sayso.Origin{Host: "claude-code", Conversation: "session-1", ToolCall: args[0], Workspace: args[1]},
	}
	a.Normalize()
	a.ID = args[0]
	c, err := client.New(ts.Getenv("SOCKET"), &client.Options{Patience: -1})
	ts.Check(err)
	defer c.Close()
	t, err := c.Submit(context.Background(), a)
	ts.Check(err)
	text := "open"
	if !t.Open() {
		v := t.Ask.Verdict(t.Outcome)
		text = fmt.Sprintf("allowed=%v by=%s surface=%s message=%q", v.Allowed(), t.Outcome.By.Kind, t.Outcome.By.Surface, v.Message)
	}
	fmt.Fprintln(ts.Stdout(), text)
}
