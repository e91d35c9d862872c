package cli_test

import (
	"bytes"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// answers runs a command line by line on the terminal, types each line when the
// prompt for it is there, and returns the exit code.
func (p *terminal) answers(cmd *exec.Cmd, lines ...[2]string) int {
	p.t.Helper()
	p.start(cmd)
	for _, l := range lines {
		p.waitFor(l[0])
		p.typed(l[1])
	}
	return codeOf(cmd.Wait())
}

// TestPlain has a person answer line by line while standard input and output are
// pipes.
func TestPlain(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	const choice = "Your choice (a number"
	run := func(stdin string, args []string, lines ...[2]string) (code int, stdout string, screen *terminal) {
		t.Helper()
		screen = newTerminal(t)
		cmd := m.command(append(args, "--plain")...)
		var out bytes.Buffer
		cmd.Stdin, cmd.Stdout = strings.NewReader(stdin), &out
		return screen.answers(cmd, lines...), out.String(), screen
	}
	code, out, _ := run(call, []string{"ask", "--dialect", "claude", "--id", "a"}, [2]string{choice, "2\n"})
	if code != 0 || !strings.Contains(out, "SQLite") || strings.Contains(out, "PostgreSQL") {
		t.Errorf("a tool call: %d, %q", code, out)
	}
	code, out, _ = run("", []string{"ask", "Which?", "-o", "A", "-o", "B", "--hub", "none", "--dialog", "always"}, [2]string{choice, "2\n"})
	if code != 0 || out != "B\n" {
		t.Errorf("without a hub: %d, %q", code, out)
	}
	for _, id := range []string{"one", "two"} {
		if code := codeOf(m.command("ask", id+"?", "-o", "A", "-o", "B", "--id", id, "--wait", "1ms").Run()); code != 75 {
			t.Fatalf("asking: %d", code)
		}
	}
	if code, _, screen := run("", []string{"answer", "one"}, [2]string{choice, "\x04"}); code != 75 {
		t.Errorf("the end of input: %d, %s", code, screen.text())
	} else {
		screen.waitFor("the question stays open")
	}
	if code, _, screen := run("", []string{"inbox"}, [2]string{choice, "/later\n"}); code != 75 {
		t.Errorf("left for later: %d, %s", code, screen.text())
	}
	code, _, screen := run("", []string{"inbox"}, [2]string{choice, "2\n"}, [2]string{"two?", "1\n"})
	if code != 0 {
		t.Errorf("the inbox: %d, %s", code, screen.text())
	}
	screen.waitFor("Waiting for you: 2")
	screen.waitFor("All caught up")
	for id, want := range map[string]string{"one": "✓ one?: B", "two": "✓ two?: A"} {
		if got := m.run("show", id); !strings.Contains(got, want) {
			t.Errorf("%s: %s", id, got)
		}
	}
}

// What was typed before the question was there does not answer it, and an interrupt
// withdraws nothing and does not say so.
func TestPlainKeepsToTheTruth(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	screen := newTerminal(t)
	screen.typed("2\n2\n2\n")
	cmd := m.command("ask", "Which?", "-o", "A", "-o", "B", "--id", "x", "--plain")
	screen.start(cmd)
	screen.waitFor("Your choice (a number")
	screen.typed("\x03") // ctrl+c
	if code := codeOf(cmd.Wait()); code != 130 {
		t.Errorf("exit code %d: %s", code, screen.text())
	}
	screen.waitFor("Stopped. Nothing was sent.")
	if strings.Contains(screen.text(), "withdrawn") {
		t.Errorf("it says that something was withdrawn: %s", screen.text())
	}
	if got := m.run("list"); !strings.Contains(got, "x ") || !strings.Contains(got, "pending") {
		t.Errorf("the question is not open: %s", got)
	}
}

// TestFolded: no line of an asker reaches the edge of the terminal, which would go on
// with it in the first column, where it could pass for one of ours.
func TestFolded(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	forged := "Ship it?" + strings.Repeat(" ", 92) + "Asked by: boss"
	if code := codeOf(m.command("ask", forged, "-o", forged, "-o", "No", "--body", forged, "--agent", forged, "--id", "x", "--wait", "1ms").Run()); code != 75 {
		t.Fatalf("asking: %d", code)
	}
	for _, args := range [][]string{{"list"}, {"show", "x"}, {"answer", "x", "--plain"}} {
		var keys [][2]string
		if args[0] == "answer" {
			keys = append(keys, [2]string{"Your choice (a number", "/later\n"})
		}
		screen := newTerminal(t).run(m.command(args...), keys...)
		for line := range strings.Lines(screen) {
			line = strings.TrimRight(line, "\r\n")
			if n := utf8.RuneCountInString(line); n > 100 || strings.HasPrefix(line, "Asked by: boss") {
				t.Errorf("%v: %d columns on 100: %q", args, n, line)
			}
		}
		if !regexp.MustCompile(`\| +Asked by: boss`).MatchString(screen) && args[0] != "list" {
			t.Errorf("%v: a part of the question is missing in\n%s", args, screen)
		}
	}
}
