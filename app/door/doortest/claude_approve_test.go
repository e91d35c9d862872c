package doortest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/app/tmuxtest"
	"github.com/saysohq/sayso/hub"
)

// fetchAnyway lets Claude Code fetch pages from a server that this test made.
const fetchAnyway = "NODE_TLS_REJECT_UNAUTHORIZED=0"

// approving has Claude Code make every call in its terminal, set up with "sayso setup
// claude" and nothing else. decide gets each of them when it waits.
func approving(t *testing.T, env []string, decide func(w *World, tm *tmuxtest.Terminal, asked *hub.Ticket, c wanted)) (*World, *modeltest.Server) {
	t.Helper()
	w := New(t)
	calls := claudeCalls(w)
	model := modeltest.New(t, claudeScript(calls))
	env = claudeHome(w, model, append(env, fetchAnyway)...)
	flags := withDB(w)
	setup(w)
	tm := claudeDefault(w, env, "default", flags...)
	left := slices.Clone(calls)
	for len(left) > 0 {
		asked, whole := w.Opened()
		at := slices.IndexFunc(left, func(c wanted) bool { return fits(whole, c) })
		if at < 0 {
			t.Fatalf("nobody called this:\n%s", tail(whole.Questions[0].Body, 30))
		}
		c := left[at]
		left = slices.Delete(left, at, at+1)
		if c.ran() {
			t.Errorf("%s ran before anybody decided", c.name)
		}
		if o := asked.Ask.Origin; o.Host != "claude-code" || o.Workspace != "project" || o.ToolCall == "" {
			t.Errorf("%s is asked by %+v", c.name, o)
		}
		if asked.Ask.Approval.Cwd != w.Project || asked.Ask.Approval.Mode != "default" {
			t.Errorf("%s is asked in %q, mode %q", c.name, asked.Ask.Approval.Cwd, asked.Ask.Approval.Mode)
		}
		decide(w, tm, asked, c)
		until(t, c.name+" to run", c.ran)
	}
	tm.Await("all done")
	return w, model
}

// fits reports whether an approval is the one of a call, and shows all of it.
func fits(whole *sayso.Ask, c wanted) bool {
	p, body := whole.Approval, whole.Questions[0].Body
	if p.Tool != c.tool || p.Kind != c.kind || c.agent != "" && !slices.Equal(whole.Origin.Agents, []string{c.agent}) {
		return false
	}
	return !slices.ContainsFunc(c.shown, func(s string) bool { return !strings.Contains(body, s) })
}

// TestClaudeApproveInbox allows each call from the inbox, while Claude Code shows its
// own dialog, which closes. For a sub-agent in the background, which is where they work
// unless they are told otherwise, it opens the dialog only when the hook has ended.
func TestClaudeApproveInbox(t *testing.T) {
	t.Parallel()
	w, _ := approving(t, nil, func(w *World, tm *tmuxtest.Terminal, asked *hub.Ticket, c wanted) {
		if c.agent == "" {
			tm.Await(permissionDialog)
		}
		w.Decide(asked, "allow", "", "")
	})
	until(t, "every decision to be received", func() bool {
		return !slices.ContainsFunc(w.All(), func(t *hub.Ticket) bool { return t.Consumed.IsZero() })
	})
}

// permissionDialog is a line of Claude Code's own dialog.
const permissionDialog = "Do you want"

// yes presses the first choice of the call's dialog, until the call has run. It is
// pressed again if the dialog stays: one that is just drawn may drop a key.
func yes(t *testing.T, tm *tmuxtest.Terminal, c wanted) {
	var pressed time.Time
	until(t, "Yes in the dialog of "+c.name, func() bool {
		if c.ran() {
			return true
		}
		dialog := tm.Screen() // of a long command it is more than the screen
		if at := strings.LastIndex(dialog, "\n────"); at >= 0 {
			dialog = dialog[at:]
		}
		if strings.Contains(dialog, c.dialog) && strings.Contains(dialog, "1. Yes") && time.Since(pressed) > 3*time.Second {
			tm.Keys("Enter")
			pressed = time.Now()
		}
		return false
	})
}

// TestClaudeApproveDialog allows each call in Claude Code's own dialog. The inbox
// learns of it.
func TestClaudeApproveDialog(t *testing.T) {
	t.Parallel()
	approving(t, []string{"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1"}, func(w *World, tm *tmuxtest.Terminal, asked *hub.Ticket, c wanted) {
		yes(t, tm, c)
		o := w.Closed(asked)
		if v := asked.Ask.Verdict(o); !v.Allowed() || o.By.Surface != "claude-code" || o.By.Kind != sayso.ByProgram {
			t.Errorf("%s: the hub has %+v", c.name, o)
		}
	})
}

// TestClaudeApproveKilled kills the hub while each call waits, and then decides at the
// next one.
func TestClaudeApproveKilled(t *testing.T) {
	t.Parallel()
	approving(t, nil, func(w *World, tm *tmuxtest.Terminal, asked *hub.Ticket, c wanted) {
		if c.agent == "" {
			tm.Await(permissionDialog)
		}
		w.KillHub()
		w.Decide(asked, "allow", "", "")
	})
}

// TestClaudeApproveGone kills the hub for good while the first call waits: Claude
// Code's own dialog decides this one and the others.
func TestClaudeApproveGone(t *testing.T) {
	t.Parallel()
	w := New(t)
	key := strings.TrimSpace(w.Run(w.Env(), w.Sayso, "keys", "create", "--role", "asker", "--for", "claude").Out())
	s := w.Serve()
	calls := claudeCalls(w)
	model := modeltest.New(t, claudeScript(calls))
	env := claudeHome(w, model, "SAYSO_HUB="+s.URL, "SAYSO_KEY="+key, fetchAnyway)
	flags := withDB(w)
	setup(w)
	tm := claudeDefault(w, env, "default", flags...)
	asked, _ := w.Opened()
	s.Kill()
	for _, c := range calls {
		if c.ran() {
			t.Errorf("%s ran before anybody decided", c.name)
		}
		yes(t, tm, c)
	}
	tm.Await("all done")
	s.Start()
	if all := w.All(); len(all) != 1 || all[0].Ask.ID != asked.Ask.ID {
		t.Errorf("the hub has %d asks", len(all))
	}
}

// TestClaudeApproveRefused says No in Claude Code's own dialog: the turn ends, nothing
// runs, and nothing is left in the inbox.
func TestClaudeApproveRefused(t *testing.T) {
	t.Parallel()
	w := New(t)
	model := modeltest.New(t, modeltest.Steps(modeltest.Use("Bash", object{"command": "touch no", "description": "no"}), modeltest.Say("all done")))
	env := claudeHome(w, model)
	setup(w)
	tm := claudeDefault(w, env, "default")
	asked, _ := w.Opened()
	tm.Await(permissionDialog)
	tm.Press("Escape", func(screen string) bool { return !strings.Contains(screen, permissionDialog) })
	o := w.Closed(asked)
	if asked.Ask.Verdict(o) != nil || o.Status != sayso.StatusCancelled || o.By.Kind != sayso.ByAsker {
		t.Errorf("the hub has %+v", o)
	}
	if exists(w, "no") {
		t.Error("it ran")
	}
}
