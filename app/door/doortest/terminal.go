package doortest

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Terminal is a program in a real terminal: a tmux server with one window of
// 130 by 45 cells.
type Terminal struct {
	t      testing.TB
	socket string
}

// Terminal starts a program in a terminal, in the project's folder.
func (w *World) Terminal(env []string, program string, args ...string) *Terminal {
	w.t.Helper()
	tm := &Terminal{t: w.t, socket: filepath.Join(w.dir, "tmux")}
	// tmux joins the words of a command with blanks and gives them to a shell.
	words := []string{"exec", "env", "-i"}
	for _, a := range append(append(append([]string(nil), env...), program), args...) {
		words = append(words, "'"+strings.ReplaceAll(a, "'", `'\''`)+"'")
	}
	tm.tmux("-f", "/dev/null", "new-session", "-d", "-s", "s", "-x", "130", "-y", "45", "-c", w.Project, strings.Join(words, " "),
		";", "set", "-g", "remain-on-exit", "on")
	w.t.Cleanup(func() {
		if w.t.Failed() {
			w.t.Logf("the screen at the end:\n%s", tm.Screen())
		}
		exec.Command("tmux", "-S", tm.socket, "kill-server").Run()
	})
	return tm
}

// Keys presses keys, named as tmux names them: Enter, Escape, Down, C-c.
func (tm *Terminal) Keys(keys ...string) {
	tm.t.Helper()
	tm.tmux(append([]string{"send-keys", "-t", "s"}, keys...)...)
}

// Type types a text as it is.
func (tm *Terminal) Type(text string) {
	tm.t.Helper()
	tm.tmux("send-keys", "-t", "s", "-l", text)
}

// Prompt types a text and presses Enter once the text is to be seen.
func (tm *Terminal) Prompt(text string) {
	tm.t.Helper()
	tm.again(100, "the screen to show "+text, func() { tm.Type(text) }, func(screen string) bool { return strings.Contains(screen, text) })
	tm.Keys("Enter")
}

// Screen returns what is to be seen, without empty lines.
func (tm *Terminal) Screen() string {
	tm.t.Helper()
	var lines []string
	for _, l := range strings.Split(tm.tmux("capture-pane", "-p", "-t", "s"), "\n") {
		if l = strings.TrimRight(l, " \u00a0\t"); l != "" {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "\n")
}

// Await waits until one of the texts is to be seen.
func (tm *Terminal) Await(texts ...string) {
	tm.t.Helper()
	until(tm.t, "the screen to show "+strings.Join(texts, " or "), func() bool {
		s := tm.Screen()
		for _, text := range texts {
			if strings.Contains(s, text) {
				return true
			}
		}
		return false
	})
}

// Press presses a key until the screen shows that it was taken.
func (tm *Terminal) Press(key string, taken func(screen string) bool) {
	tm.t.Helper()
	tm.again(30, "the screen to show that "+key+" was pressed", func() { tm.Keys(key) }, taken)
}

// again does something until the screen shows it: a program may drop what comes in the moment in which it draws. It is
// done again only after many looks, so that what was taken is seen first.
func (tm *Terminal) again(looks int, what string, do func(), taken func(screen string) bool) {
	tm.t.Helper()
	n := 0
	until(tm.t, what, func() bool {
		if n > 0 && taken(tm.Screen()) {
			return true
		}
		if n%looks == 0 {
			do()
		}
		n++
		return false
	})
}

// AwaitGone waits until the text is no longer to be seen.
func (tm *Terminal) AwaitGone(text string) {
	tm.t.Helper()
	until(tm.t, "the screen not to show "+text, func() bool { return !strings.Contains(tm.Screen(), text) })
}

func (tm *Terminal) tmux(args ...string) string {
	tm.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-u", "-S", tm.socket}, args...)...)
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "TERM=xterm-256color"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		tm.t.Errorf("tmux %s: %v\n%s", args, err, out)
	}
	return string(out)
}
