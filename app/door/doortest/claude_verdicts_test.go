package doortest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/hub"
)

// verdicts is the table of what can be decided, and where it was seen to work. The rows
// are those of the documents.
type verdicts struct{ ran map[string]bool }

var verdictRows = []string{
	"allow once", "allow for the session", "always allow, .claude/settings.local.json", "always allow, .claude/settings.json", "always allow, ~/.claude/settings.json",
	"allow a changed input", "deny with a message", "deny, the turn goes on", "deny and stop", "plan: approve", "plan: approve, and choose the mode", "plan: revise", "decided in Claude Code's own dialog",
}

func (v *verdicts) worked(row string) {
	if v.ran == nil {
		v.ran = map[string]bool{}
	}
	v.ran[row] = true
}

// show logs the table, and fails for what should have been there.
func (v *verdicts) show(t *testing.T, name string, want ...string) {
	t.Helper()
	for _, row := range want {
		if !slices.Contains(verdictRows, row) || !v.ran[row] {
			t.Errorf("%s: %q was not shown to work", name, row)
		}
	}
	for _, row := range verdictRows {
		if v.ran[row] {
			t.Logf("| %s | %s | yes |", row, name)
		}
	}
}

func bashCall(command string) modeltest.Reply {
	return modeltest.Use("Bash", object{"command": command, "description": "a step"})
}

// places are where Claude Code keeps a rule: the end of the offer's id, the row, and
// the file, which for the session is none.
func places(w *World) []struct{ id, row, file string } {
	return []struct{ id, row, file string }{
		{"session", "allow for the session", ""},
		{"local", "always allow, .claude/settings.local.json", filepath.Join(w.Project, ".claude/settings.local.json")},
		{"project", "always allow, .claude/settings.json", filepath.Join(w.Project, ".claude/settings.json")},
		{"user", "always allow, ~/.claude/settings.json", filepath.Join(w.Home, ".claude/settings.json")},
	}
}

// TestClaudeVerdicts carries out every decision that the hook offers, in a terminal.
func TestClaudeVerdicts(t *testing.T) {
	t.Parallel()
	w := New(t)
	var v verdicts
	steps := []modeltest.Reply{bashCall("echo x >> once"), bashCall("echo x >> once")}
	// For a program that it does not know, Claude Code suggests a rule.
	if err := os.WriteFile(filepath.Join(w.Project, "step"), []byte("#!/bin/sh\ntouch \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, p := range places(w) {
		steps = append(steps, bashCall("./step "+p.id+"1"), bashCall("./step "+p.id+"1 "+p.id+"2"))
	}
	steps = append(steps, bashCall("echo asked > changed"), bashCall("touch denied"), bashCall("touch denied2"), bashCall("touch stopped"), modeltest.Say("went on"))
	model := modeltest.New(t, modeltest.Steps(steps...))
	env := claudeHome(w, model)
	setup(w)
	tm := claudeDefault(w, env, "default")

	for i := range 2 { // once is not twice
		asked, _ := w.Opened()
		w.Decide(asked, "allow", "", "")
		until(t, "it to run", func() bool { return w.InProject("once") == strings.Repeat("x\n", i+1) })
	}
	v.worked("allow once")
	for _, p := range places(w) {
		asked, _ := w.Opened()
		offer := asked.Ask.Approval.Offer("rule1_" + p.id)
		if offer == nil {
			t.Fatalf("%s is not offered, but %q", p.id, Offers(asked))
		}
		rule := "Bash(./step " + p.id + "1 *)"
		if offer.Rule != rule || p.file != "" && !strings.HasSuffix(p.file, strings.TrimPrefix(offer.Where, "~")) {
			t.Errorf("%s offers %q in %q", p.id, offer.Rule, offer.Where)
		}
		before := len(w.All())
		w.Decide(asked, offer.ID, "", "")
		until(t, "the next call to run unasked", func() bool { return exists(w, p.id+"2") })
		// The ask of the call after it may be there already.
		if n := slices.IndexFunc(w.All(), func(other *hub.Ticket) bool {
			return strings.Contains(other.Ask.Questions[0].Text, p.id+"2")
		}); n >= 0 || before == 0 {
			t.Errorf("%s: the next call was asked about", p.id)
		}
		if p.file != "" {
			if b, err := os.ReadFile(p.file); err != nil || !strings.Contains(string(b), fmt.Sprintf("%q", rule)) {
				t.Errorf("%s has %s, %v", p.file, b, err)
			}
		}
		v.worked(p.row)
	}

	asked, _ := w.Opened()
	w.Decide(asked, "allow", "", `{"command":"echo edited > changed","description":"a step"}`)
	until(t, "the changed input to run", func() bool { return w.InProject("changed") == "edited\n" })
	v.worked("allow a changed input")

	const words = "Not this one; use git clean -n \"first\"."
	asked, _ = w.Opened()
	w.Decide(asked, "deny", words, "")
	second, _ := w.Opened() // so the turn went on
	if got := lastResult(model); got.Text != words || !got.IsError {
		t.Errorf("the model received %+v", got)
	}
	v.worked("deny with a message")
	w.Decide(second, "deny", "", "")
	third, _ := w.Opened()
	v.worked("deny, the turn goes on")
	requests := len(model.Requests())
	w.Decide(third, "stop", "", "")
	tm.Await("Interrupted", "interrupted", "What should Claude do instead")
	if exists(w, "denied") || exists(w, "denied2") || exists(w, "stopped") {
		t.Error("something ran that was denied")
	}
	// A turn that goes on after the next prompt has not gone on before.
	tm.Prompt("more")
	tm.Await("went on")
	for _, r := range model.Requests()[requests:] {
		if len(r.Tools) > 0 && !strings.Contains(r.Last, "more") {
			t.Errorf("the turn went on: %q", r.Last)
		}
	}
	v.worked("deny and stop")
	v.show(t, "hook", verdictRows[:9]...)
}

// lastResult is the last tool result that the model received.
func lastResult(model *modeltest.Server) modeltest.Result {
	all := model.Results()
	if len(all) == 0 {
		return modeltest.Result{}
	}
	return all[len(all)-1]
}

// TestClaudeVerdictMode allows an edit and switches the mode: the next edit is not
// asked about.
func TestClaudeVerdictMode(t *testing.T) {
	t.Parallel()
	w := New(t)
	write := func(name string) modeltest.Reply {
		return modeltest.Use("Write", object{"file_path": filepath.Join(w.Project, name), "content": name})
	}
	model := modeltest.New(t, modeltest.Steps(write("first"), write("second"), modeltest.Say("all done")))
	env := claudeHome(w, model)
	setup(w)
	tm := claudeDefault(w, env, "default")
	asked, _ := w.Opened()
	at := slices.IndexFunc(asked.Ask.Approval.Offers, func(o sayso.Offer) bool { return o.Mode == "acceptEdits" })
	if at < 0 {
		t.Fatalf("offered %q", Offers(asked))
	}
	w.Decide(asked, asked.Ask.Approval.Offers[at].ID, "", "")
	tm.Await("all done")
	if w.InProject("first") != "first" || w.InProject("second") != "second" || len(w.All()) != 1 {
		t.Errorf("asked %d times", len(w.All()))
	}
}
