// Package tmuxtest runs programs in a real terminal for tests: a tmux server with
// one window. It presses keys and reads the screen as a person does.
//
// Most tests call [Start], [Terminal.Press] for keys that a dialog may drop while
// it draws, and [Terminal.Await] for what must appear. Waiting ends after two
// minutes and fails the test with the screen. The server ends with the test.
package tmuxtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/testenv"
)

// Terminal is a program in a terminal.
type Terminal struct {
	t      testing.TB
	socket string
}

// Options are the options of [Start]. Nil means the defaults.
type Options struct {
	Env           []string // all of the program's environment. Default: empty
	Dir           string   // its working folder. Default: that of the test
	Columns, Rows int      // default: 130 by 45
}

// Start starts a program in a terminal. The screen stays when it has ended.
func Start(t testing.TB, o *Options, program string, args ...string) *Terminal {
	t.Helper()
	testenv.Tools(t, "tmux")
	if o == nil {
		o = &Options{}
	}
	columns, rows := "130", "45"
	if o.Columns > 0 {
		columns, rows = strconv.Itoa(o.Columns), strconv.Itoa(o.Rows)
	}
	dir, err := os.MkdirTemp("", "tmux") // a socket needs a short path
	if err != nil {
		t.Fatal(err)
	}
	tm := &Terminal{t: t, socket: filepath.Join(dir, "s")}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the screen at the end:\n%s", tm.Screen())
		}
		exec.Command("tmux", "-S", tm.socket, "kill-server").Run()
		os.RemoveAll(dir)
	})
	// tmux joins the words of a command with blanks and gives them to a shell.
	words := []string{"exec", "env", "-i"}
	for _, a := range append(append(append([]string(nil), o.Env...), program), args...) {
		words = append(words, "'"+strings.ReplaceAll(a, "'", `'\''`)+"'")
	}
	start := []string{"-f", "/dev/null", "new-session", "-d", "-s", "s", "-x", columns, "-y", rows}
	if o.Dir != "" {
		start = append(start, "-c", o.Dir)
	}
	tm.tmux(append(start, strings.Join(words, " "), ";", "set", "-g", "remain-on-exit", "on")...)
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
	tm.Fill(text)
	tm.Keys("Enter")
}

// Fill types a text until it is to be seen.
func (tm *Terminal) Fill(text string) {
	tm.t.Helper()
	tm.again(200, "the screen to show "+text, func() { tm.Type(text) }, func(screen string) bool { return strings.Contains(screen, text) })
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
	tm.until("the screen to show "+strings.Join(texts, " or "), func() bool {
		s := tm.Screen()
		for _, text := range texts {
			if strings.Contains(s, text) {
				return true
			}
		}
		return false
	})
}

// AwaitGone waits until the text is no longer to be seen.
func (tm *Terminal) AwaitGone(text string) {
	tm.t.Helper()
	tm.until("the screen not to show "+text, func() bool { return !strings.Contains(tm.Screen(), text) })
}

// Press presses a key until the screen shows that it was taken.
func (tm *Terminal) Press(key string, taken func(screen string) bool) {
	tm.t.Helper()
	tm.again(60, "the screen to show that "+key+" was pressed", func() { tm.Keys(key) }, taken)
}

// again does something until the screen shows it: a program may drop what comes in
// the moment in which it draws. It is done again only after many looks, so that what
// was taken is seen first.
func (tm *Terminal) again(looks int, what string, do func(), taken func(screen string) bool) {
	tm.t.Helper()
	n := 0
	tm.until(what, func() bool {
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

// Kill kills the program, as a power cut would, and returns when it is gone.
func (tm *Terminal) Kill() {
	tm.t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(tm.tmux("display-message", "-p", "-t", "s", "#{pane_pid}")))
	if err != nil {
		tm.t.Fatal(err)
	}
	program, err := os.FindProcess(pid)
	if err == nil {
		err = program.Kill()
	}
	if err != nil {
		tm.t.Fatal(err)
	}
	tm.AwaitEnd()
}

// AwaitEnd waits until the program has ended: its last words may be on the screen before that.
func (tm *Terminal) AwaitEnd() {
	tm.t.Helper()
	tm.until("the program to end", func() bool {
		return strings.TrimSpace(tm.tmux("display-message", "-p", "-t", "s", "#{pane_dead}")) == "1"
	})
}

func (tm *Terminal) until(what string, done func() bool) {
	tm.t.Helper()
	for end := time.Now().Add(2 * time.Minute); !done(); <-time.After(50 * time.Millisecond) {
		if time.Now().After(end) {
			tm.t.Fatalf("waited in vain for %s", what)
		}
	}
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
