package cli_test

import (
	"bytes"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/app/tmuxtest"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// person is somebody at the machine, with the hub that the agent finds or starts.
type person struct {
	*home
	socket string
}

func newPerson(t *testing.T, script modeltest.Script) *person {
	t.Helper()
	h := newHome(t, script)
	h.configure(func(c map[string]any) { delete(c, "hub") })
	run, err := os.MkdirTemp("", "sayso") // a socket needs a short path
	if err != nil {
		t.Fatal(err)
	}
	h.env["XDG_RUNTIME_DIR"] = run
	p := &person{h, filepath.Join(run, "sayso", "hub.sock")}
	t.Cleanup(func() {
		if pid := p.hub(); pid != 0 {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		os.RemoveAll(run)
	})
	return p
}

// hub is the process of the hub; 0: there is none.
func (p *person) hub() (pid int) {
	conn, err := net.Dial("unix", p.socket)
	if err != nil {
		return 0
	}
	defer conn.Close()
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return 0
	}
	raw.Control(func(fd uintptr) {
		if cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			pid = int(cred.Pid)
		}
	})
	return pid
}

func (p *person) environ() []string {
	env := []string{"SAYSO_AGENT_RUN=1", "PATH=" + os.Getenv("PATH"), "SAYSO_MUTANT=" + os.Getenv("SAYSO_MUTANT")}
	for k, v := range p.env {
		env = append(env, k+"="+v)
	}
	return env
}

// process runs sayso-agent as a process of its own.
func (p *person) process(args ...string) ran {
	p.t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(p.t.Context(), os.Args[0], args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.dir, p.environ(), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return ran{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// inbox is what "sayso inbox" shows.
func (p *person) inbox() (hub.Inbox, []*hub.Ticket) {
	p.t.Helper()
	c, err := client.New(p.socket, &client.Options{Surface: "test", Patience: -1})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(c.Close)
	page, err := c.Inbox().List(p.t.Context(), nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return c.Inbox(), page.Tickets
}

// answer waits for the one question in the inbox that is not before, and answers it.
func (p *person) answer(before string, option string) (id string) {
	p.t.Helper()
	for end := time.Now().Add(patience); ; <-time.After(50 * time.Millisecond) {
		if in, all := p.inbox(); len(all) == 1 && all[0].Ask.ID != before {
			o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: all[0].Ask.Questions[0].ID, Selected: []string{option}}}}
			if _, err := in.Close(p.t.Context(), all[0], o); err != nil {
				p.t.Fatal(err)
			}
			return all[0].Ask.ID
		}
		if time.Now().After(end) {
			p.t.Fatal("waited in vain for a question in the inbox")
		}
	}
}

// TestOwnHub: without any setting, questions are in the person's own inbox, and the
// hub is started for them.
func TestOwnHub(t *testing.T) {
	t.Parallel()
	p := newPerson(t, service())
	if r := p.process("-p", "Set up a service"); r.code != 75 {
		t.Fatalf("%+v", r)
	}
	p.answer("", "o2")
	if r := p.process("-p", "-c"); r.code != 0 || r.out != "done\n" {
		t.Errorf("%+v", r)
	}
	p.model.WantResults(t, `{"answers":{"Which database?":"SQLite"}}`)
}

// TestOwnHubOff: with --hub none, or where no hub can be started, questions wait
// beside the conversations. Only the second is told.
func TestOwnHubOff(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		args []string
		env  map[string]string
		says string
	}{
		{"off", []string{"--hub", "none"}, nil, ""},
		{"off by the settings of sayso", nil, map[string]string{"SAYSO_HUB": "none"}, ""},
		{"no hub can be started", nil, map[string]string{"XDG_RUNTIME_DIR": "/proc/nowhere"}, "sayso-agent: cannot use your hub: "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t, service())
			for k, v := range tc.env {
				p.env[k] = v
			}
			r := p.process(append(tc.args, "-p", "Set up a service")...)
			if r.code != 75 || tc.says == "" && strings.Contains(r.err, "hub") || !strings.Contains(r.err, tc.says) {
				t.Errorf("%+v", r)
			}
			if tc.says != "" && !strings.Contains(r.err, "\n  Its questions are asked here only, and not in your inbox. To turn the hub off: --hub none\n") {
				t.Errorf("no next command: %s", r.err)
			}
			if p.hub() != 0 {
				t.Error("a hub was started")
			}
			if r := p.process(append(tc.args, "-p", "--answers", `["SQLite","x"]`)...); r.code != 0 || r.out != "done\n" {
				t.Errorf("%+v", r)
			}
		})
	}
}

func (p *person) demo(args ...string) *tmuxtest.Terminal {
	p.t.Helper()
	p.env["TERM"], p.env["LANG"] = "tmux-256color", "C.UTF-8"
	return tmuxtest.Start(p.t, &tmuxtest.Options{Env: p.environ(), Dir: p.dir, Columns: 80, Rows: 24}, os.Args[0], append([]string{"--demo"}, args...)...)
}

func shows(text string) func(string) bool {
	return func(screen string) bool { return strings.Contains(screen, text) }
}

// TestDemo plays the demo in a terminal, without any settings: one question is
// answered there, the others in the inbox, and in between the process is killed.
func TestDemo(t *testing.T) {
	t.Parallel()
	p := newPerson(t, nil)
	os.Remove(filepath.Join(p.env["XDG_CONFIG_HOME"], "sayso", "agent.json"))
	tm := p.demo()
	tm.Await("Which database")
	for _, want := range []string{"no API key", "sayso inbox"} {
		if !strings.Contains(tm.Screen(), want) {
			t.Errorf("%q is not on the first screen:\n%s", want, tm.Screen())
		}
	}
	tm.Press("2", shows("● SQLite"))
	tm.Press("Enter", shows(`use?"="SQLite". You can now continue with these answers in mind.`))
	tm.Await("Which features")
	tm.Kill()
	_, left := p.inbox()
	if len(left) != 1 {
		t.Fatalf("%d questions wait after the kill", len(left))
	}
	tm = p.demo()
	tm.Await("Which features")
	if _, all := p.inbox(); len(all) != 1 || all[0].Ask.ID != left[0].Ask.ID {
		t.Errorf("the question is asked anew: %d", len(all))
	}
	id := p.answer("", "o1")
	tm.Await(`have?"="Sign-in"`)
	p.answer(id, "o1")
	tm.Await("Deployed.")
	tm.Await("sayso-agent --provider")
	tm.AwaitEnd() // so that the next one finds the folder free
	if _, all := p.inbox(); len(all) > 0 {
		t.Errorf("%d questions are left", len(all))
	}
	tm = p.demo() // and nothing of the first is left
	tm.Await("Which database")
	tm.Press("C-c", shows("interrupted"))
	if _, all := p.inbox(); len(all) > 0 {
		t.Errorf("%d questions are left after Ctrl+C", len(all))
	}
}

// TestDemoNeeds: without a terminal the demo says what to do.
func TestDemoNeeds(t *testing.T) {
	t.Parallel()
	p := newPerson(t, nil)
	r := p.process("--demo")
	if r.code != 2 || r.err != "sayso-agent: the demo needs a terminal and this process has none\n  Run it in a terminal window: sayso-agent --demo\n" {
		t.Errorf("%+v", r)
	}
}

// TestFigure_DEMO measures how long it takes from the start of the demo in a fresh
// home, where no hub runs, until the model has received the first answer.
func TestFigure_DEMO(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	worst := 0.0
	for range 5 {
		p := newPerson(t, nil)
		begin := time.Now()
		tm := p.demo()
		tm.Await("Which database")
		tm.Press("1", shows("● PostgreSQL"))
		tm.Press("Enter", shows(`use?"="PostgreSQL`))
		worst = max(worst, time.Since(begin).Seconds())
		tm.Await("Which features")
		tm.Press("C-c", shows("interrupted"))
	}
	t.Logf("FIGURE DEMO-agent %.1f s", worst)
	if worst > 15 {
		t.Errorf("%.1f s until the first answer, want at most 15", worst)
	}
}
