package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
	"github.com/saysohq/sayso/app/testenv"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// TestMCPMany: many calls wait in one process, all are answered, and none gets
// the answer of another: S23.
func TestMCPMany(t *testing.T) {
	t.Parallel()
	newCrowd(t, 100, nil).run()
}

// TestFigure_MCP1000 measures what a call that waits takes of the process.
func TestFigure_MCP1000(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	program := filepath.Join(t.TempDir(), "sayso")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/sayso").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c := newCrowd(t, 1000, func(cmd *exec.Cmd) { cmd.Path = program })
	mixed := c.run()
	t.Logf("FIGURE MCP1000-memory %.1f KB/call", float64(c.waiting-c.idle)/float64(c.n))
	t.Logf("FIGURE MCP1000-mixed %d answers/1000", mixed)
	t.Logf("FIGURE MCP1000-idle %.1f MB", float64(c.idle)/1024)
}

// crowd is an agent that asks many questions at once.
type crowd struct {
	t             *testing.T
	n             int
	m             *machine
	cmd           *exec.Cmd
	in            io.WriteCloser
	out           *bufio.Reader
	idle, waiting int // KB

	forms   bool     // the agent can show forms
	methods []string // of what the server sent beside replies
}

func newCrowd(t *testing.T, n int, change func(*exec.Cmd)) *crowd {
	t.Helper()
	c := &crowd{t: t, n: n, m: newMachine(t)}
	c.m.serveOn(httpapi.Quota{Open: -1, Rate: -1}, "")
	c.start(change)
	return c
}

// start starts the MCP server.
func (c *crowd) start(change func(*exec.Cmd)) {
	c.t.Helper()
	c.cmd = c.m.command("mcp", "--hold", "10m")
	if change != nil {
		change(c.cmd)
	}
	c.cmd.Stderr = os.Stderr
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		c.t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	c.out = bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
}

// serveOn runs the hub of the machine in this process, on an address too if there
// is one.
func (m *machine) serveOn(q httpapi.Quota, listen string) *localhub.Serving {
	m.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan *localhub.Serving, 1), make(chan error, 1)
	go func() {
		done <- localhub.Serve(ctx, &localhub.ServeOptions{
			Places: m.starter.Places, Quota: q, Listen: listen, Ready: func(at *localhub.Serving) { ready <- at },
		})
	}()
	select {
	case at := <-ready:
		m.t.Cleanup(func() { cancel(); <-done })
		return at
	case err := <-done:
		cancel()
		m.t.Fatal(err)
		return nil
	}
}

// TestMCPPastDecisions: a server that is started as agents start it finds what an earlier
// session asked in the same folder.
func TestMCPPastDecisions(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 1, nil)
	c.run()
	c.start(nil)
	c.begin()
	c.send(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"past_decisions","arguments":{"query":"Question 0?"}}}`)
	if got := c.receive().Result.Content; len(got) != 1 || !strings.Contains(got[0].Text, "canary-0") {
		t.Errorf("the agent is told %q", got)
	}
	c.in.Close()
	if err := c.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestMCPUnattended: no form is sent to "claude -p", which shows none and cancels it. If
// the machine is busy, that would look as if a person had cancelled.
func TestMCPUnattended(t *testing.T) {
	t.Parallel()
	for entrypoint, want := range map[string]bool{"sdk-cli": false, "cli": true} {
		t.Run(entrypoint, func(t *testing.T) {
			t.Parallel()
			c := newCrowd(t, 1, func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, "CLAUDE_CODE_ENTRYPOINT="+entrypoint) })
			c.forms = true
			c.run()
			if sent := slices.Contains(c.methods, "elicitation/create"); sent != want {
				t.Errorf("a form is sent: %t, want %t", sent, want)
			}
		})
	}
}

// begin introduces the agent.
func (c *crowd) begin() {
	c.t.Helper()
	can := "{}"
	if c.forms {
		can = `{"elicitation":{}}`
	}
	c.send(`{"jsonrpc":"2.0","id":-1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` + can + `,"clientInfo":{"name":"crowd","version":"1"}}}`)
	c.receive()
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// run asks, waits until all wait, answers all, and returns how many answers went
// to the wrong call.
func (c *crowd) run() (mixed int) {
	c.t.Helper()
	c.begin()
	c.send(`{"jsonrpc":"2.0","id":-2,"method":"tools/list"}`)
	c.receive()
	c.idle = resident(c.t, c.cmd.Process.Pid)
	for i := range c.n {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ask_user","_meta":{"progressToken":%d},"arguments":{"questions":[{"question":"Question %d?","options":["canary-%d","other"]}]}}}`, i, i, i, i))
	}
	person, err := client.New(c.m.starter.Places.Socket(), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	defer person.Close()
	tickets := c.allOpen(person)
	c.waiting = resident(c.t, c.cmd.Process.Pid)
	work := make(chan *hub.Ticket)
	var people sync.WaitGroup
	for range 8 {
		people.Go(func() {
			for t := range work {
				q := t.Ask.Questions[0]
				o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: q.ID, Selected: []string{q.Options[0].ID}}}}
				if _, err := person.Answer(c.t.Context(), t, o); err != nil {
					c.t.Error(err)
				}
			}
		})
	}
	go func() {
		for _, t := range tickets {
			work <- t
		}
		close(work)
	}()
	for range c.n {
		m := c.receive()
		want := fmt.Sprintf("Question %d?\ncanary-%d", m.ID, m.ID)
		if len(m.Result.Content) != 1 || m.Result.Content[0].Text != want {
			mixed++
			c.t.Errorf("call %d reads %+v", m.ID, m.Result)
		}
	}
	people.Wait()
	c.in.Close()
	if err := c.cmd.Wait(); err != nil {
		c.t.Error(err)
	}
	return mixed
}

func (c *crowd) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

type reply struct {
	ID     int    `json:"id"`
	Method string `json:"method"`
	Result struct {
		Content []struct{ Text string } `json:"content"`
	} `json:"result"`
}

// receive returns the next message that is no sign of life.
func (c *crowd) receive() reply {
	c.t.Helper()
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			c.t.Fatal(err)
		}
		var m reply
		if err := json.Unmarshal(line, &m); err != nil {
			c.t.Fatalf("%s: %v", line, err)
		}
		if m.Method == "" {
			return m
		}
		c.methods = append(c.methods, m.Method)
	}
}

// allOpen waits until every question is open and the process has come to rest.
func (c *crowd) allOpen(person *client.Client) (tickets []*hub.Ticket) {
	c.t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; <-time.After(100 * time.Millisecond) {
		page, err := person.List(c.t.Context(), &hub.Filter{Limit: 1000})
		if err != nil {
			c.t.Fatal(err)
		}
		if len(page.Tickets) == c.n {
			return page.Tickets
		}
		if time.Now().After(end) {
			c.t.Fatalf("%d of %d questions are open", len(page.Tickets), c.n)
		}
	}
}

// resident returns how many KB of memory a process holds.
func resident(t *testing.T, pid int) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		testenv.Missing(t, "/proc: "+err.Error())
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal("the process has no memory")
	return 0
}

// TestMCPLate: the agent, its server and the hub are killed while a question
// waits; the person answers afterwards, and the next run is told, once.
func TestMCPLate(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	start := func() *crowd {
		c := &crowd{t: t, m: m, cmd: m.command("mcp", "--hold", "10m")}
		var err error
		if c.in, err = c.cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		}
		out, err := c.cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		c.out = bufio.NewReader(out)
		if err := c.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		c.send(`{"jsonrpc":"2.0","id":-1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"crowd","version":"1"}}}`)
		c.receive()
		c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		return c
	}
	call := func(tool, question string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{"questions":[{"question":"` + question + `","options":["PostgreSQL","SQLite"]}]}}}`
	}
	first := start()
	first.send(call("ask_user", "Which database?"))
	var id string
	for end := time.Now().Add(time.Minute); id == ""; <-time.After(50 * time.Millisecond) {
		id, _, _ = strings.Cut(m.run("list"), " ")
		if time.Now().After(end) {
			t.Fatal("nothing was asked")
		}
	}
	first.cmd.Process.Kill()
	first.cmd.Wait()
	killHub(m.starter.Places.Socket())
	m.run("answer", id, "SQLite")

	second := start()
	for i, want := range []int{2, 1} {
		second.send(call("ask_user_async", fmt.Sprintf("Another question %d?", i)))
		r := second.receive()
		if len(r.Result.Content) != want || want == 2 && !strings.HasSuffix(r.Result.Content[1].Text, "Which database?\nSQLite") {
			t.Errorf("call %d reads %+v", i, r.Result)
		}
	}
	second.in.Close()
	if err := second.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestServeMCP: agents that come over HTTP are served beside the API, by the same
// rules.
func TestServeMCP(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	url, token := m.listen(t)
	ask := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_user_async","arguments":{"questions":[{"question":"Which database?","options":["PostgreSQL","SQLite"]}]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	post := func(key, origin string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/mcp", strings.NewReader(ask))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{
			"Authorization": {"Bearer " + key}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
			"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"ask_user_async"},
		}
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(b)
	}
	if status, body := post("none", ""); status != http.StatusUnauthorized {
		t.Errorf("without a key: %d %s", status, body)
	}
	if status, body := post(token, "https://evil.example"); status != http.StatusForbidden {
		t.Errorf("from a foreign page: %d %s", status, body)
	}
	if status, body := post(token, ""); status != http.StatusOK || !strings.Contains(body, "The question was asked.") {
		t.Errorf("%d %s", status, body)
	}
	if got := m.run("list"); strings.Count(got, "Which database?") != 1 {
		t.Errorf("the hub has %q", got)
	}
}

// listen serves the hub on a port, and returns its address and the token of this
// machine.
func (m *machine) listen(t *testing.T) (url, token string) {
	t.Helper()
	at := m.serveOn(httpapi.Quota{}, "127.0.0.1:0")
	b, err := os.ReadFile(at.TokenFile)
	if err != nil {
		t.Fatal(err)
	}
	return at.URL, strings.TrimSpace(string(b))
}
