package doortest

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
)

// eachACP runs a case with every agent.
func eachACP(t *testing.T, test func(t *testing.T, a *acpAgent)) {
	someACP(t, func(*acpAgent) bool { return true }, test)
}

// someACP runs a case with those agents for which it is one.
func someACP(t *testing.T, is func(a *acpAgent) bool, test func(t *testing.T, a *acpAgent)) {
	for i := range acpAgents {
		if !is(&acpAgents[i]) {
			continue
		}
		t.Run(acpAgents[i].name, func(t *testing.T) {
			t.Parallel()
			test(t, &acpAgents[i])
		})
	}
}

// TestACPApprovals: allowed in the inbox, allowed in the editor, the agent's own
// "always" chosen in the inbox, after which it does not ask, and denied in the inbox.
func TestACPApprovals(t *testing.T) {
	eachACP(t, func(t *testing.T, a *acpAgent) {
		w := New(t)
		model := modeltest.New(t, modeltest.Steps(
			a.run("touch one"), a.run("touch two"), a.run("git init three"), a.run("git init three four"), a.run("rm -r three"), modeltest.Say("done")))
		e := a.open(w, model)
		end := e.prompt("go")

		e.card()
		asked := w.Asked()
		if p := asked.Ask.Approval; p == nil || p.Kind != sayso.ApproveShell || p.Tool != a.tool || p.Shown[0].Text != "touch one" || p.Cwd != w.Project {
			t.Fatalf("the inbox has %+v", p)
		}
		if w.exists("one") {
			t.Error("it ran before anybody allowed it")
		}
		w.Answer(asked, a.once)
		until(t, "the first command", func() bool { return w.exists("one") })
		e.Await("$/cancel_request", 1)

		card, options := e.card()
		asked = w.Asked()
		e.choose(card, options, a.once)
		until(t, "the second command", func() bool { return w.exists("two") })
		if o := w.Closed(asked); o.By.Surface != "editor" || asked.Ask.Verdict(o).Offer.Label != a.once {
			t.Errorf("decided in the editor, and the inbox says %+v", o)
		}

		e.card()
		always := a.always
		if a.rule != "" {
			always = fmt.Sprintf(a.always, a.rule)
		}
		asked = w.Asked()
		w.Answer(asked, always)
		until(t, "the third command", func() bool { return w.exists("three") })

		e.card() // the fourth did not ask
		asked = w.Asked()
		if got := asked.Ask.Approval.Shown[0].Text; got != "rm -r three" {
			t.Errorf("after %q the agent asks for %q", always, got)
		}
		if a.stored != "" {
			path := filepath.Join(w.Project, a.stored)
			if name, ok := strings.CutPrefix(a.stored, "~/"); ok {
				path = filepath.Join(w.Home, name)
			}
			b, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(b), "git") {
				t.Errorf("no rule is stored: %v, %s", err, b)
			}
		}
		w.Answer(asked, a.deny)
		stop := end()
		if want := cmp.Or(a.stopReason, "end_turn"); stop != want {
			t.Errorf("denied, the turn ended with %q, want %q", stop, want)
		}
		if !w.exists("three") {
			t.Error("what was denied ran")
		}
		if n := len(model.Results()); n != map[bool]int{true: 4, false: 5}[a.stops] {
			t.Errorf("denied, the model got %d results", n)
		}
	})
}

// TestACPInputs: the change of a file as a diff, allowed for the session, after which
// the agent does not ask about the next; and a tool of an MCP server with its
// arguments, which codex-acp tells apart from the request.
func TestACPInputs(t *testing.T) {
	eachACP(t, func(t *testing.T, a *acpAgent) {
		w := New(t)
		file := filepath.Join(w.Project, "a.txt")
		write := func(text string) {
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		has := func(text string) bool {
			b, err := os.ReadFile(file)
			return err == nil && string(b) == text
		}
		write("one\ntwo\nthree\n")
		model := modeltest.New(t, modeltest.Steps(slices.Concat(a.edit(file, "two", "TWO"), a.edit(file, "one", "ONE"), a.finds,
			[]modeltest.Reply{modeltest.Use(a.mcp, object{"table": "users"}), modeltest.Say("done")})...))
		e := a.open(w, model)
		end := e.prompt("go")

		asked := w.Asked()
		p := asked.Ask.Approval
		if p == nil || p.Kind != sayso.ApproveEdit || len(p.Files) != 1 || p.Files[0].Path != file || p.Files[0].Op != sayso.FileUpdate ||
			!strings.Contains(p.Shown[0].Text, "-two") || !strings.Contains(p.Shown[0].Text, "+TWO") {
			t.Fatalf("the inbox has %+v", p)
		}
		if whole := strings.Contains(p.Shown[0].Text, " three"); whole != a.whole || whole == (len(p.Missing) > 0) {
			t.Errorf("the diff is %q, and the inbox says that %q is missing", p.Shown[0].Text, p.Missing)
		}
		w.Answer(asked, a.edits)
		until(t, "both edits", func() bool { return has("ONE\nTWO\nthree\n") })

		asked = w.Asked()
		if p = asked.Ask.Approval; p == nil || p.Kind != sayso.ApproveMCP || !strings.Contains(p.Input.Text, "users") || !strings.Contains(p.Tool, "drop_table") {
			t.Fatalf("after the edits the inbox has %+v", p)
		}
		if w.exists("dropped-users") {
			t.Error("the tool ran before anybody allowed it")
		}
		w.Answer(asked, asked.Ask.Approval.Allows()[0].Label)
		until(t, "the tool", func() bool { return w.exists("dropped-users") })
		end()
	})
}

// TestACPPlan: a plan is rejected, which ends the turn, and the next one approved, with
// which the mode changes.
func TestACPPlan(t *testing.T) {
	someACP(t, func(a *acpAgent) bool { return a.plan != nil }, func(t *testing.T, a *acpAgent) {
		w := New(t)
		model := modeltest.New(t, a.plan)
		e := a.open(w, model)
		e.setMode("plan")
		end := e.prompt("make a plan")
		asked := w.Asked()
		p := asked.Ask.Approval
		if p == nil || p.Kind != sayso.ApprovePlan || p.Shown[len(p.Shown)-1].Text != thePlan || p.Mode != "plan" {
			t.Fatalf("the inbox has %+v", p)
		}
		no := p.Denies()[0]
		if !no.Stops {
			t.Error("the inbox does not say that the turn ends")
		}
		w.Answer(asked, no.Label)
		end()
		end = e.prompt("make another plan")
		asked = w.Asked()
		w.Answer(asked, a.approve)
		end()
		until(t, "the next mode", func() bool { return strings.Contains(e.Out(), `"currentModeId":"`+a.mode+`"`) })
	})
}
