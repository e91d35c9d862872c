package tty_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestInbox runs the terminal inbox in a window of tmux, looks at another window, and
// wants to hear the bell when a question comes, and only then. The title is what it was
// before when the inbox is left.
func TestInbox(t *testing.T) {
	m := startTmux(t)
	dir := t.TempDir()
	program := filepath.Join(dir, "sayso")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/saysohq/sayso/app/cmd/sayso").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	env := []string{"HOME=" + dir, "PATH=/usr/local/bin:/usr/bin:/bin", "TERM=tmux-256color", "LANG=C.UTF-8", "TMUX=" + m.socket + ",1,0"}
	sayso := func(args ...string) {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Env, cmd.Dir = env, dir
		out, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState.ExitCode() != 75 { // it is left open
			t.Errorf("sayso %q: %v: %s", args, err, out)
		}
	}
	t.Cleanup(func() { m.tmux("respawn-pane", "-k", "-t", "inbox", "sleep 600"); sayso("stop") })
	ask := func(question string) {
		t.Helper()
		sayso("ask", "--dialog", "never", "--wait", "1ms", question, "-o", "Yes", "-o", "No")
	}
	shows := func(text string) {
		t.Helper()
		eventually(t, "the inbox shows "+text, func() bool { return strings.Contains(m.tmux("capture-pane", "-p", "-t", "inbox"), text) })
	}
	title := func() string {
		return strings.TrimSpace(m.tmux("display-message", "-p", "-t", "inbox", "#{pane_title}"))
	}
	titled := func(text string) {
		t.Helper()
		eventually(t, "the title "+text, func() bool { return title() == text })
	}

	m.tmux("set", "-g", "focus-events", "on", ";", "set", "-g", "remain-on-exit", "on")
	m.tmux("new-window", "-n", "inbox", "sleep 600")
	before := title()
	m.tmux("respawn-pane", "-k", "-t", "inbox", "exec env -i '"+strings.Join(env, "' '")+"' "+program+" inbox")
	shows("All caught up")
	ask("First?")
	shows("First?")
	titled("sayso: 1 waiting")
	if n := strings.Count(m.out.String(), "\a"); n != 0 {
		t.Errorf("it rang %d times while somebody looked", n)
	}

	m.tmux("select-window", "-t", ":0")
	n := 1
	eventually(t, "the bell from the window behind", func() bool { // once the inbox has heard that it is behind
		n++
		ask(fmt.Sprint("Number ", n, "?")) // another one: an equal question would be the same
		titled(fmt.Sprintf("sayso: %d waiting", n))
		return strings.Contains(m.out.String(), "\a")
	})
	m.tmux("select-window", "-t", "inbox")
	m.tmux("send-keys", "-t", "inbox", "q")
	eventually(t, "the inbox has ended", func() bool {
		return strings.TrimSpace(m.tmux("display-message", "-p", "-t", "inbox", "#{pane_dead}")) == "1"
	})
	if now := title(); now != before {
		t.Errorf("the title is %q, and was %q", now, before)
	}
}
