package cli_test

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// talk is a process that is spoken to line by line.
type talk struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (m *machine) talk(args ...string) *talk {
	m.t.Helper()
	cmd := m.command(args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	c := &talk{m.t, cmd, in, bufio.NewReader(out)}
	m.t.Cleanup(c.kill)
	return c
}

func (c *talk) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// hear returns the next line. If none comes, the test runs into its time limit.
func (c *talk) hear() string {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatalf("%s: %v", line, err)
	}
	return strings.TrimSpace(line)
}

// kill ends the process as a power cut would.
func (c *talk) kill() {
	if c.cmd.ProcessState == nil {
		c.cmd.Process.Kill()
		c.cmd.Wait()
	}
}

// end hangs up; the process must end by itself, and well.
func (c *talk) end() {
	c.t.Helper()
	c.in.Close()
	if err := c.cmd.Wait(); err != nil {
		c.t.Error(err)
	}
}

// TestRPC is a process at each end, and a hub that is killed between question and
// answer.
func TestRPC(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	agent, ui := m.talk("rpc"), m.talk("rpc", "--attach", "client/ask_user")
	agent.send(`{"jsonrpc":"2.0","id":1,"method":"client/ask_user","params":{"session_id":"s1","question":"Which database?","choices":["PostgreSQL","SQLite"]}}`)
	asked := ui.hear()
	if !strings.Contains(asked, `"method":"client/ask_user","params":{"session_id":"s1","question":"Which database?"`) {
		t.Fatal(asked)
	}
	if !killHub(m.starter.Places.Socket()) {
		t.Fatal("there is no hub")
	}
	ui.send(`{"jsonrpc":"2.0","id":1,"result":{"answer":"SQLite"}}`)
	if got := agent.hear(); got != `{"jsonrpc":"2.0","id":1,"result":{"answer":"SQLite"}}` {
		t.Error(got)
	}
	agent.end()
	ui.end()
}

// TestRPCLate: the agent is killed, and so is the hub; the same call of its
// successor has the answer, and nobody is told it a second time.
func TestRPCLate(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	const ask = `{"type":"ask_user_request","requestId":"req-1","sessionId":"s1","questions":[{"question":"Which database?","options":[{"label":"PostgreSQL"},{"label":"SQLite"}]}]}`
	agent := m.talk("rpc")
	agent.send(ask)
	id := m.tickets(m.client(), 1)["Which database?"].Ask.ID
	agent.kill()
	killHub(m.starter.Places.Socket())
	m.run("answer", id, "SQLite")
	killHub(m.starter.Places.Socket())

	agent = m.talk("rpc")
	agent.send(ask)
	const want = `{"type":"ask_user_response","requestId":"req-1","answered":true,"answers":[{"question":"Which database?","answer":"SQLite","selectedOption":"SQLite","wasCustom":false}]}`
	if got := agent.hear(); got != want {
		t.Error(got)
	}
	agent.send(`{"jsonrpc":"2.0","id":2,"method":"late_answers","params":{"session_id":"s1"}}`)
	if got := agent.hear(); got != `{"jsonrpc":"2.0","id":2,"result":{"late":[],"open":0}}` {
		t.Error(got)
	}
	agent.end()
}
