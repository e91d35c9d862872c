package slack_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/surface/notify/slacktest"
)

// process is a child.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
}

func start(t *testing.T, o spec) *process {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, cmd: exec.Command(os.Args[0]), lines: make(chan string, 100)}
	p.cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(p.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			p.lines <- s.Text()
		}
	}()
	t.Cleanup(func() {
		p.kill()
		for range p.lines {
		}
		<-done
	})
	return p
}

// kill is kill -9.
func (p *process) kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

// wait waits for a line that begins so, and returns the rest of it.
func (p *process) wait(prefix string) string {
	p.t.Helper()
	late := time.After(2 * time.Minute)
	for {
		select {
		case line, ok := <-p.lines:
			if !ok || strings.HasPrefix(line, "failed") {
				p.t.Fatalf("the child ended: %s", line)
			}
			if rest, ok := strings.CutPrefix(line, prefix); ok {
				return strings.TrimSpace(rest)
			}
		case <-late:
			p.t.Fatalf("the child never said %q", prefix)
		}
	}
}

func (p *process) state() (s state) {
	p.t.Helper()
	fmt.Fprintln(p.in)
	if err := json.Unmarshal([]byte(p.wait("state ")), &s); err != nil {
		p.t.Fatal(err)
	}
	return s
}

// asked waits for a message with buttons to answer with.
func asked(t *testing.T, s *slacktest.Server) (m slacktest.Message) {
	t.Helper()
	eventually(t, "the question is shown", func() bool {
		for _, m = range s.Messages(slacktest.Ann) {
			if _, ok := m.Button("SQLite"); ok {
				return true
			}
		}
		return false
	})
	return m
}

// TestKill kills the process with kill -9 between any two steps of a press, of own words
// and of linking, and of sending a message, and starts another one. Nothing that the
// person did is lost, and nothing is done twice.
func TestKill(t *testing.T) {
	for _, step := range []string{"arrived", "taken", "acking", "acked"} {
		t.Run("press/"+step, func(t *testing.T) {
			s, o := slacktest.New(t), spec{Dir: t.TempDir(), Stop: step, Times: 1}
			o.API = s.URL()
			one := start(t, o)
			m := asked(t, s)
			press := s.Press(slacktest.Ann, m, "SQLite")
			one.wait("at " + step)
			one.kill()
			eventually(t, "all that it sent is read", func() bool { return s.Connections() == 0 })
			if step != "acked" && press.Acked() {
				t.Error("acknowledged before it was taken")
			}
			o.Stop = ""
			two := start(t, o)
			two.wait("ready")
			press.Wait()
			first := answered(t, two, "o2")
			for range 2 { // the same press and its envelope again
				s.Press(slacktest.Ann, m, "SQLite").Wait()
				s.PressAs(slacktest.Press{User: slacktest.Ann, Message: m, Button: m.Buttons[1], Envelope: press.ID}).Wait()
			}
			if again := two.state(); again != first {
				t.Errorf("it was done twice: %+v, and then %+v", first, again)
			}
			defer func() {
				if t.Failed() {
					t.Logf("in the end there is %+v", s.Messages(slacktest.Ann))
				}
			}()
			eventually(t, "the message says so", func() bool {
				all := s.Messages(slacktest.Ann)
				return len(all) == 1 && len(all[0].Buttons) < 3 && strings.Contains(all[0].Shown, "SQLite")
			})
		})
		t.Run("words/"+step, func(t *testing.T) {
			s, o := slacktest.New(t), spec{Dir: t.TempDir(), Stop: step, Times: 2} // the press on “Own words” is the first
			o.API = s.URL()
			one := start(t, o)
			s.Press(slacktest.Ann, asked(t, s), "Own words").Wait()
			sent := s.Submit(slacktest.Ann, "DuckDB & co")
			one.wait("at " + step)
			one.kill()
			o.Stop = ""
			two := start(t, o)
			two.wait("ready")
			if reply := sent.Wait(); len(reply) > 0 {
				t.Errorf("the form stays open: %s", reply)
			}
			first := answered(t, two, "DuckDB & co")
			s.SubmitAs(slacktest.Ann, slacktest.Team, "", "something else").Wait()
			if again := two.state(); again != first {
				t.Errorf("it was done twice: %+v, and then %+v", first, again)
			}
		})
		t.Run("link/"+step, func(t *testing.T) {
			s, o := slacktest.New(t), spec{Dir: t.TempDir(), Stop: step, Times: 1, Link: true}
			o.API = s.URL()
			one := start(t, o)
			sent := s.Slash(slacktest.Ann, one.wait("code "))
			one.wait("at " + step)
			one.kill()
			o.Stop = ""
			two := start(t, o)
			two.wait("ready")
			sent.Wait()
			if told := s.Told(slacktest.Ann); !strings.HasPrefix(told[len(told)-1], "Linked.") {
				t.Errorf("told %q", told)
			}
			if now := two.state(); now.Contacts != 1 {
				t.Errorf("%d contacts", now.Contacts)
			}
			s.Press(slacktest.Ann, asked(t, s), "SQLite").Wait()
			answered(t, two, "o2")
		})
	}
	// Killed before the message was sent, or after that and before it was written down:
	// the person sees one message, at the latest with the reminder, and can answer it.
	for step, left := range map[string]int{"posting": 0, "posted": 1} {
		t.Run("send/"+step, func(t *testing.T) {
			s, o := slacktest.New(t), spec{Dir: t.TempDir(), Stop: step, Times: 1}
			o.API = s.URL()
			one := start(t, o)
			one.wait("at " + step)
			one.kill()
			if n := len(s.LockScreen(slacktest.Ann)); n != left {
				t.Fatalf("%d messages were sent", n)
			}
			o.Stop = ""
			if left == 0 {
				o.Later = 11 * time.Minute
			}
			two := start(t, o)
			two.wait("ready")
			s.Press(slacktest.Ann, asked(t, s), "SQLite").Wait()
			answered(t, two, "o2")
			eventually(t, "the message says so", func() bool {
				all := s.Messages(slacktest.Ann)
				return len(all) == 1 && len(all[0].Buttons) < 3 && strings.Contains(all[0].Shown, "SQLite")
			})
			if n := len(s.LockScreen(slacktest.Ann)); n != 1 {
				t.Errorf("the phone rang %d times", n)
			}
		})
	}
}

// answered waits until the answer is stored, and returns the state.
func answered(t *testing.T, p *process, want string) state {
	t.Helper()
	now := p.state()
	if now.Open || now.Answer != want || now.Surface != "slack" || now.Contacts != 1 {
		t.Fatalf("the press is lost: %+v", now)
	}
	return now
}
