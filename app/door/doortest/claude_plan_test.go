package doortest

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/app/tmuxtest"
	"github.com/saysohq/sayso/hub"
)

const (
	firstPlan  = "# First plan\n\n1. touch a\n2. PLAN-END-ONE\n"
	secondPlan = "# Second plan\n\n1. touch b\n2. PLAN-END-TWO\n"
)

// planScript writes a plan and asks to leave plan mode, then a second one, and then
// writes a file.
func planScript(w *World) modeltest.Script {
	exit := modeltest.Use("ExitPlanMode", object{})
	return func(ctx context.Context, r *modeltest.Request) modeltest.Reply {
		write := func(plan string) modeltest.Reply {
			return modeltest.Use("Write", object{"file_path": planFile.FindString(string(r.Body)), "content": plan})
		}
		return modeltest.Steps(
			write(firstPlan), exit, write(secondPlan), exit,
			modeltest.Use("Write", object{"file_path": filepath.Join(w.Project, "built"), "content": "built"}), modeltest.Say("all done"),
		)(ctx, r)
	}
}

// planning starts Claude Code in plan mode and returns when the first plan waits.
func planning(t *testing.T) (*World, *modeltest.Server, *tmuxtest.Terminal) {
	t.Helper()
	w := New(t)
	model := modeltest.New(t, planScript(w))
	env := claudeHome(w, model)
	setup(w)
	return w, model, claudeDefault(w, env, "plan")
}

// opensPlan waits for a plan in the inbox.
func opensPlan(w *World, plan string) *hub.Ticket {
	w.t.Helper()
	asked, whole := w.Opened()
	if p := whole.Approval; p.Kind != sayso.ApprovePlan || p.Tool != "ExitPlanMode" || !strings.Contains(whole.Questions[0].Body, strings.TrimSpace(plan)) {
		w.t.Errorf("asked %s about\n%s", p.Tool, whole.Questions[0].Body)
	}
	return asked
}

// TestClaudePlanInbox revises a plan from the inbox, and approves the next one with a
// mode, in which edits are not asked about. The hub is killed before each decision.
func TestClaudePlanInbox(t *testing.T) {
	t.Parallel()
	var v verdicts
	w, model, tm := planning(t)
	first := opensPlan(w, firstPlan)
	w.KillHub()
	const words = "Do b in place of a."
	w.Decide(first, "deny", words, "")
	second := opensPlan(w, secondPlan)
	if all := model.Results(); len(all) < 2 || !strings.Contains(all[1].Text, words) {
		t.Errorf("the model received %+v", all)
	}
	v.worked("plan: revise")
	w.KillHub()
	w.Decide(second, "mode_acceptEdits", "", "")
	tm.Await("all done")
	if w.InProject("built") != "built" || len(w.All()) != 2 {
		t.Errorf("asked %d times, built %q", len(w.All()), w.InProject("built"))
	}
	v.worked("plan: approve, and choose the mode")
	v.show(t, "hook", "plan: revise", "plan: approve, and choose the mode")
}

// TestClaudePlanDefault approves a plan from the inbox, and is asked about each edit.
func TestClaudePlanDefault(t *testing.T) {
	t.Parallel()
	var v verdicts
	w, _, tm := planning(t)
	w.Decide(opensPlan(w, firstPlan), "mode_default", "", "")
	for {
		asked, whole := w.Opened()
		if whole.Approval.Kind == sayso.ApprovePlan {
			t.Fatal("it is planning still")
		}
		if whole.Approval.Mode != "default" {
			t.Errorf("the mode is %q", whole.Approval.Mode)
		}
		w.Decide(asked, "allow", "", "")
		if strings.Contains(whole.Questions[0].Body, "built") {
			break
		}
	}
	tm.Await("all done")
	v.worked("plan: approve")
	v.show(t, "hook", "plan: approve")
}

// TestClaudePlanDialog approves a plan in Claude Code's own dialog.
func TestClaudePlanDialog(t *testing.T) {
	t.Parallel()
	var v verdicts
	w, _, tm := planning(t)
	asked := opensPlan(w, firstPlan)
	tm.Await("❯ 1. Yes", "❯\u00a01. Yes")
	tm.Press("Enter", func(screen string) bool {
		return !strings.Contains(screen, "PLAN-END-ONE") || strings.Contains(screen, "approved")
	})
	if o := w.Closed(asked); !asked.Ask.Verdict(o).Allowed() || o.By.Surface != "claude-code" {
		t.Errorf("the hub has %+v", o)
	}
	v.worked("decided in Claude Code's own dialog")
	v.show(t, "hook", "decided in Claude Code's own dialog")
}
