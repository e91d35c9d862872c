package cli_test

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// until types keys into the dialog until the command has ended. Those typed while
// it looks away, just after it appeared, are dropped.
func (p *terminal) until(cmd *exec.Cmd, keys ...string) error {
	p.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for i := 0; ; i = (i + 1) % len(keys) {
		select {
		case err := <-ended:
			return err
		case <-time.After(500 * time.Millisecond):
			p.typed(keys[i])
		}
	}
}

func codeOf(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		return -1
	}
	return 0
}

const call = `{"questions":[{"question":"Which database?","header":"Database","multiSelect":false,"options":[
	{"label":"PostgreSQL","description":"Battle-tested"},{"label":"SQLite","description":"One file"}]}]}`

// TestDialog has a person sit at the terminal while standard input and output are
// pipes: the dialog is on the terminal, the result in the pipe.
func TestDialog(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for _, tc := range []struct {
		name string
		args []string
		keys []string
		code int
		want string // on standard output
		says string // on the terminal
	}{
		{"chosen", []string{"ask", "--dialect", "claude"}, []string{"2", "\r"}, 0, "SQLite", "SQLite"},
		{"left for later", []string{"ask", "--dialect", "opal", "--id", "later"}, []string{"\x1b"}, 75, "", "sayso wait later"},
		{"without a hub", []string{"ask", "--dialect", "claude", "--hub", "none"}, []string{"1", "\r"}, 0, "PostgreSQL", "PostgreSQL"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			screen := newTerminal(t)
			cmd := m.command(tc.args...)
			var out bytes.Buffer
			cmd.Stdin, cmd.Stdout = strings.NewReader(call), &out
			screen.start(cmd)
			screen.waitFor("Which database?")
			if code := codeOf(screen.until(cmd, tc.keys...)); code != tc.code {
				t.Errorf("exit code %d, want %d: %s", code, tc.code, screen.text())
			}
			if got := out.String(); !strings.Contains(got, tc.want) || strings.Contains(got, "\x1b") {
				t.Errorf("standard output is %q", got)
			}
			screen.waitFor(tc.says)
		})
	}
}

// TestDialogFolds answers elsewhere while the dialog is on the screen.
func TestDialogFolds(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	screen := newTerminal(t)
	cmd := m.command("ask", "Which database?", "-o", "PostgreSQL", "-o", "SQLite", "--id", "db")
	var out bytes.Buffer
	cmd.Stdout = &out
	screen.start(cmd)
	screen.waitFor("Which database?")
	m.run("answer", "db", "SQLite")
	if err := cmd.Wait(); err != nil || out.String() != "SQLite\n" {
		t.Errorf("%v, %q, %s", err, &out, screen.text())
	}
}

// TestInboxOutlivesItsHub kills the hub while it holds an answer that was given in the
// inbox. The inbox stays, the answer counts once, and the next one counts as well.
func TestInboxOutlivesItsHub(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	screen := newTerminal(t)
	inbox := m.command("inbox", "--grace", "3s")
	screen.start(inbox)
	screen.waitFor("All caught up")
	ask := func(id, text string) (*exec.Cmd, *bytes.Buffer) {
		cmd, out := m.command("ask", text, "-o", "PostgreSQL", "-o", "SQLite", "--id", id), new(bytes.Buffer)
		if cmd.Stdout = out; cmd.Start() != nil {
			t.Fatal("not started")
		}
		screen.waitFor(text)
		return cmd, out
	}
	first, got := ask("db", "Which database?")
	held := func() string { return m.run("show", "db", "--json") }
	screen.typed("\r")
	screen.waitFor("Answer in your own words")
	for end := time.Now().Add(time.Minute); !strings.Contains(screen.text(), "Sends in"); <-time.After(200 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("nothing is held: %s", screen.text())
		}
		screen.typed("2")
	}
	if !killHub(m.starter.Places.Socket()) {
		t.Fatal("no hub was killed")
	}
	if err := first.Wait(); err != nil || got.String() != "SQLite\n" {
		t.Errorf("%v, %q, %s", err, got, screen.text())
	}
	if n := strings.Count(held(), `"status":"answered"`); n != 2 { // of the ticket, and of its one outcome
		t.Errorf("answered %d times: %s", n, held())
	}
	second, got := ask("log", "Which logs?")
	if err := screen.until(second, "\r", "1"); err != nil || got.String() != "PostgreSQL\n" {
		t.Errorf("%v, %q, %s", err, got, screen.text())
	}
	if err := screen.until(inbox, "q", "\x1b"); err != nil {
		t.Errorf("the inbox ended with %v", err)
	}
}

// TestInbox has an ask arrive while the inbox is open.
func TestInbox(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	screen := newTerminal(t)
	inbox := m.command("inbox")
	screen.start(inbox)
	screen.waitFor("All caught up")
	ask := m.command("ask", "Which database?", "-o", "PostgreSQL", "-o", "SQLite", "--id", "db")
	var out bytes.Buffer
	ask.Stdout = &out
	if err := ask.Start(); err != nil {
		t.Fatal(err)
	}
	screen.waitFor("Which database?")
	if err := screen.until(ask, "\r", "2", "\r"); err != nil || out.String() != "SQLite\n" {
		t.Errorf("%v, %q, %s", err, &out, screen.text())
	}
	if err := screen.until(inbox, "q", "\x1b"); err != nil {
		t.Errorf("the inbox ended with %v", err)
	}
}
