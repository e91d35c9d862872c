package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// acpAgent is a small ACP agent. To the prompt "ask" it asks, and tells the reply;
// to any other it tells what it was prompted with.
func acpAgent() {
	in := bufio.NewScanner(os.Stdin)
	next := func() (m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			Prompt []struct{ Text string }
		}
		Result json.RawMessage
	}) {
		if !in.Scan() {
			os.Exit(0)
		}
		json.Unmarshal(in.Bytes(), &m)
		return m
	}
	tell := func(id json.RawMessage, v any) {
		b, _ := json.Marshal(v)
		fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", id, b)
	}
	for {
		m := next()
		switch {
		case m.Method == "initialize":
			tell(m.ID, map[string]any{"protocolVersion": 1, "agentInfo": map[string]string{"name": "small-agent"}})
		case m.Method == "session/prompt" && m.Params.Prompt[0].Text == "exit":
			os.Exit(7)
		case m.Method == "session/prompt" && m.Params.Prompt[0].Text == "ask":
			fmt.Println(`{"jsonrpc":"2.0","id":77,"method":"elicitation/create","params":{"mode":"form","sessionId":"ses_1","toolCallId":"toolu_1","message":"Which database?","requestedSchema":{"type":"object","properties":{"question_0":{"type":"string","oneOf":[{"const":"PostgreSQL","title":"PostgreSQL"},{"const":"SQLite","title":"SQLite"}]},"question_0_custom":{"type":"string"}}}}}`)
			tell(m.ID, next().Result)
		case m.Method == "session/prompt":
			var texts []string
			for _, p := range m.Params.Prompt {
				texts = append(texts, p.Text)
			}
			tell(m.ID, texts)
		}
	}
}

// acp runs the agent for an editor that takes forms.
func (m *machine) acp() *talk {
	m.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		m.t.Fatal(err)
	}
	link := m.dir + "/acp-agent"
	if err := os.Symlink(exe, link); err != nil && !os.IsExist(err) {
		m.t.Fatal(err)
	}
	editor := m.talk("acp", "--", link)
	editor.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"elicitation":{"form":{}}}}}`)
	if got := editor.hear(); !strings.Contains(got, "small-agent") {
		m.t.Fatal(got)
	}
	return editor
}

func prompt(id int, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"ses_1","prompt":[{"type":"text","text":%q}]}}`, id, text)
}

// TestACP: the hub is killed between question and answer, and the person answers
// from another process. The editor's dialog is withdrawn.
func TestACP(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	editor := m.acp()
	editor.send(prompt(1, "ask"))
	if got := editor.hear(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":"sayso-1","method":"elicitation/create"`) {
		t.Fatal(got)
	}
	ticket := m.tickets(m.client(), 1)["Which database?"]
	if ticket.Ask.Origin.Host != "small-agent" || ticket.Ask.Origin.Conversation != "ses_1" {
		t.Errorf("the hub has %+v", ticket.Ask.Origin)
	}
	if !killHub(m.starter.Places.Socket()) {
		t.Fatal("there is no hub")
	}
	m.run("answer", ticket.Ask.ID, "SQLite")
	want := map[string]bool{
		`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"sayso-1"}}`:          true,
		`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"question_0":"SQLite"}}}`: true,
	}
	for range 3 {
		got := editor.hear()
		told := strings.Contains(got, `"method":"session/update"`) && strings.Contains(got, "Closed elsewhere") && strings.Contains(got, "SQLite")
		if !want[got] && !told {
			t.Error(got)
		}
	}
	editor.send(prompt(2, "exit"))
	if err := editor.cmd.Wait(); err == nil || editor.cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("the agent's exit code became %v", err)
	}
}

// TestACPLate: proxy, agent and hub are killed, and the person answers after that.
// The next prompt of the session tells the agent, and only that.
func TestACPLate(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	editor := m.acp()
	editor.send(prompt(1, "ask"))
	editor.hear()
	id := m.tickets(m.client(), 1)["Which database?"].Ask.ID
	editor.kill()
	killHub(m.starter.Places.Socket())
	m.run("answer", id, "SQLite")
	killHub(m.starter.Places.Socket())

	editor = m.acp()
	const late = `The user has responded to a question that you asked earlier`
	n, told := 1, ""
	for end := time.Now().Add(30 * time.Second); told == ""; n++ { // an answer is left to a live call for two seconds
		if time.Now().After(end) {
			t.Fatal("the agent was not told")
		}
		editor.send(prompt(n, "go on"))
		if got := editor.hear(); strings.Contains(got, late) {
			told = got
		}
	}
	if !strings.Contains(told, `User was asked \"Which database?\" and chose SQLite.`) || !strings.HasSuffix(told, `"go on"]}`) {
		t.Error(told)
	}
	editor.send(prompt(n, "and on"))
	if got := editor.hear(); !strings.HasSuffix(got, `"result":["and on"]}`) {
		t.Error(got)
	}
	editor.end()
}

// TestACPStart: an agent that cannot be started is a fault, and said.
func TestACPStart(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	cmd := m.command("acp", "--", m.dir+"/no-such-agent", "--flag")
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "cannot start the agent") {
		t.Errorf("%v: %s", err, out)
	}
}
