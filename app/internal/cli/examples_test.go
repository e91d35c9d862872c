package cli_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/internal/cli"
	"github.com/saysohq/sayso/client"
)

// shell runs a line with sh, in the home folder, where sayso is this program.
func (m *machine) shell(line, stdin string) (stdout, stderr string, exit int) {
	m.t.Helper()
	var out, errs bytes.Buffer
	cmd := m.sh(line)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		m.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func (m *machine) sh(line string) *exec.Cmd {
	m.t.Helper()
	self, err := os.Executable()
	if err != nil {
		m.t.Fatal(err)
	}
	bin := filepath.Join(m.dir, ".bin")
	os.Mkdir(bin, 0o700)
	if err := os.Symlink(self, filepath.Join(bin, "sayso")); err != nil && !os.IsExist(err) {
		m.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(m.t.Context(), 2*time.Minute)
	m.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Env = append(append([]string{}, m.env...), "PATH="+bin+":"+os.Getenv("PATH"))
	cmd.Dir = m.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without a terminal
	return cmd
}

// notRun are the examples that this test does not run, and why.
var notRun = map[string]string{
	"sayso web --phone": "it needs a tailnet; testdata/script/phone.txt runs it with a fake one",
	`sayso answer ask_5e6 deny --message "Publish from CI"`: "no command asks for a permission; testdata/script/approval.txt runs it",

	"sayso inbox":            "needs a terminal; TestDialog and others run it there",
	"sayso inbox --grace 0s": "needs a terminal",
	"sayso demo":             "needs a terminal; TestDemo runs it there",
	"sayso demo --browser":   "needs a terminal and opens a browser",
}

// otherExit are the examples that do not exit with 0 in a fresh home, and why.
var otherExit = map[string]struct {
	code int
	why  string
}{
	"sayso health --hub http://127.0.0.1:7777 --timeout 1s": {1, "no hub runs at that address"},
	"sayso keys revoke n7qk2v5xjd3ta":                       {1, "ids of keys are random"},
	"sayso sessions end n7qk2v5xjd3ta":                      {1, "ids of sessions are random"},
	"sayso continue":                                        {1, "no question is in a file"},
	`sayso delegate ask_7f3 bob --comment "You know this database better than I do"`: {1, "one person is on this machine; testdata/script/delegate.txt has two"},
}

// claudeCall has so many questions.
const claudeCall = `{"questions":[` +
	`{"question":"Which database?","header":"DB","multiSelect":false,"options":[{"label":"PostgreSQL","description":"proven"},{"label":"SQLite","description":"one file"}]},` +
	`{"question":"Which parts?","header":"Parts","multiSelect":true,"options":[{"label":"Auth","description":"a"},{"label":"REST API","description":"b"}]},` +
	`{"question":"Which name?","header":"Name","multiSelect":false,"options":[{"label":"orders","description":"a"},{"label":"order-processor","description":"b"}]}]}`

// TestExamples runs every example of the help that begins with $, each in a fresh home
// where the questions that it names are open.
func TestExamples(t *testing.T) {
	t.Parallel()
	lines := cli.HelpExamples()
	if len(lines) < 40 {
		t.Fatalf("there are %d examples", len(lines))
	}
	for _, line := range lines {
		if notRun[line] != "" {
			continue
		}
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			if err := os.WriteFile(filepath.Join(m.dir, "call.json"), []byte(claudeCall), 0o600); err != nil {
				t.Fatal(err)
			}
			m.prepare(line)
			words := strings.Fields(line)
			switch {
			case words[0] == "sayso" && words[1] == "serve":
				m.serves(line)
				return
			case words[0] == "sayso" && (words[1] == "ask" || words[1] == "wait"):
				m.answered(line)
				return
			}
			stdin := ""
			if words[0] == "sayso" && words[1] == "setup" {
				stdin = "y\n"
			}
			want := otherExit[line].code
			if out, text, exit := m.shell(line, stdin); exit != want {
				t.Errorf("exits with %d, want %d; prints %q and says %q", exit, want, out, text)
			}
		})
	}
	for line := range notRun {
		if !strings.Contains(strings.Join(lines, "\n")+"\n", line+"\n") {
			t.Errorf("%q is no longer an example", line)
		}
	}
}

// prepare asks what the example names, and answers it if it is about answers.
func (m *machine) prepare(line string) {
	m.t.Helper()
	for id, ask := range map[string]string{
		"ask_7f3": `sayso ask "Which database?" -o PostgreSQL -o SQLite`,
		"ask_8b1": `sayso ask -f call.json`,
		"ask_9c4": `sayso ask -f call.json`,
		"ask_2d8": `sayso ask "Which database?" -o PostgreSQL -o SQLite`,
	} {
		if strings.Contains(line, id) {
			m.shell(ask+" --wait 1ms --id "+id, "")
		}
	}
	switch {
	case strings.HasPrefix(line, "sayso amend"):
		m.run("answer", "ask_7f3", "2")
	case strings.HasPrefix(line, "sayso undo"), strings.HasPrefix(line, "sayso reask"):
		m.run("answer", "ask_7f3", "1")
	case strings.HasPrefix(line, "sayso restore"), strings.HasPrefix(line, "sayso verify ./backup"):
		m.run("backup", "./backup-1")
	case strings.HasPrefix(line, "sayso audit verify"):
		m.shell("sayso ask 'Ship it?' --id a --wait 1ms; sayso answer a yes", "")
		m.run("audit", "export", "./audit")
	case line == "sayso verify":
		m.run("list")
		m.run("stop")
	case strings.HasPrefix(line, "sayso health"), strings.HasPrefix(line, "sayso restart"):
		m.run("list") // which starts the hub
	}
}

// serves runs a server until it says that it serves.
func (m *machine) serves(line string) {
	m.t.Helper()
	cmd := m.sh("exec " + line)
	said, err := cmd.StderrPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	var text []byte
	buf := make([]byte, 4096)
	for !bytes.Contains(text, []byte("serving on")) {
		n, err := said.Read(buf)
		text = append(text, buf[:n]...)
		if err != nil {
			m.t.Errorf("it does not serve: %s", text)
			break
		}
	}
	cmd.Process.Signal(syscall.SIGTERM)
	for err == nil { // all of it, so that it can end
		_, err = said.Read(buf)
	}
	cmd.Wait()
}

// answered runs a command that waits, and answers as a person does.
func (m *machine) answered(line string) {
	m.t.Helper()
	var out, errs bytes.Buffer
	cmd := m.sh(line)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	c, err := client.New(m.starter.Places.Socket(), &client.Options{Patience: -1})
	if err != nil {
		m.t.Fatal(err)
	}
	defer c.Close()
	for end := time.Now().Add(time.Minute); ; <-time.After(20 * time.Millisecond) {
		if page, err := c.List(m.t.Context(), nil); err == nil && len(page.Tickets) == 1 {
			m.run("answer", page.Tickets[0].Ask.ID, "1")
			break
		}
		if time.Now().After(end) {
			m.t.Fatal("nothing was asked")
		}
	}
	if err := cmd.Wait(); err != nil || out.Len() == 0 {
		m.t.Errorf("%v: prints %q and says %q", err, out.String(), errs.String())
	}
}
