package attacktest

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// message is a message of JSON-RPC.
type message = map[string]any

// pipe is a program of ours that an attacker started, at the other end of its
// standard streams.
type pipe struct {
	t     *testing.T
	in    io.Writer
	lines chan message
	bad   *output
}

// pipe starts the program with more of its environment. It ends with the test.
func (w *world) pipe(env []string, args ...string) *pipe {
	w.t.Helper()
	cmd := w.command(args...)
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], env...)
	return speak(w.t, cmd)
}

func speak(t *testing.T, cmd *exec.Cmd) *pipe {
	t.Helper()
	p := &pipe{t: t, lines: make(chan message, 1000), bad: &output{}}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr, p.in = p.bad, in
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(p.lines)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			var m message
			if json.Unmarshal(line, &m) == nil {
				p.lines <- m
			}
		}
	}()
	t.Cleanup(func() {
		in.Close()
		cmd.Process.Kill()
		for range p.lines {
		}
		<-read
		cmd.Wait()
	})
	return p
}

// send writes a message.
func (p *pipe) send(m message) {
	p.t.Helper()
	m["jsonrpc"] = "2.0"
	data, err := json.Marshal(m)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.in.Write(append(data, '\n')); err != nil {
		p.t.Fatalf("the program ended: %s", p.bad)
	}
}

// next returns the next message that is wanted, and skips others.
func (p *pipe) next(what string, wanted func(message) bool) message {
	p.t.Helper()
	for late := time.After(patience); ; {
		select {
		case m, ok := <-p.lines:
			if !ok {
				p.t.Fatalf("the program ended before %s: %s", what, p.bad)
			}
			if wanted(m) {
				return m
			}
		case <-late:
			p.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// reply returns the reply to a request.
func (p *pipe) reply(id float64) message {
	p.t.Helper()
	return p.next("the reply", func(m message) bool { return m["id"] == id && m["method"] == nil })
}

// request returns the next request or notification by that name, with its
// parameters.
func (p *pipe) request(method string) (m, params message) {
	p.t.Helper()
	m = p.next(method, func(m message) bool { return m["method"] == method })
	params, _ = m["params"].(message)
	return m, params
}

// mcp starts sayso mcp as an agent does, with what its client can do.
func (w *world) mcp(env []string, capabilities message, flags ...string) *pipe {
	w.t.Helper()
	p := w.pipe(env, append([]string{"mcp"}, flags...)...)
	p.initialize(capabilities)
	return p
}

// initialize begins a session of MCP.
func (p *pipe) initialize(capabilities message) {
	p.t.Helper()
	p.send(message{"id": 1, "method": "initialize", "params": message{
		"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": message{"name": "claude-code", "version": "1"},
	}})
	p.reply(1)
	p.send(message{"method": "notifications/initialized"})
}

// tool calls a tool of MCP. The reply has id 2.
func (p *pipe) tool(name string, arguments message) {
	p.t.Helper()
	p.send(message{"id": 2, "method": "tools/call", "params": message{"name": name, "arguments": arguments}})
}

// told is the text that the model reads.
func told(m message) string {
	result, _ := m["result"].(message)
	content, _ := result["content"].([]any)
	var b strings.Builder
	for _, c := range content {
		one, _ := c.(message)
		text, _ := one["text"].(string)
		b.WriteString(text)
	}
	return b.String()
}

// in is the same world in a subtest.
func (w *world) in(t *testing.T) *world {
	sub := *w
	sub.t = t
	return &sub
}

// tickets lists what a key may see, by a query such as "?status=any".
func (w *world) tickets(key, query string) (all []message) {
	w.t.Helper()
	r := w.do("GET", "/v1/asks"+query, key, nil)
	list, ok := r.json["tickets"].([]any)
	if !ok {
		w.t.Fatalf("listing: %d %s", r.status, r.body)
	}
	for _, one := range list {
		all = append(all, one.(message))
	}
	return all
}

// waiting returns the one open ask whose first question has this text, once it is
// there.
func (w *world) waiting(key, text string) (found *reply) {
	w.t.Helper()
	eventually(w.t, "the hub has "+text, func() bool {
		for _, one := range w.tickets(key, "") {
			if first(one)["text"] == text {
				found = &reply{json: one}
			}
		}
		return found != nil
	})
	return found
}

// first is the first question of a ticket.
func first(ticket message) message {
	ask, _ := ticket["ask"].(message)
	questions, _ := ask["questions"].([]any)
	if len(questions) == 0 {
		return message{}
	}
	q, _ := questions[0].(message)
	return q
}

// by says who closed a ticket.
func by(ticket message) message {
	outcome, _ := ticket["outcome"].(message)
	who, _ := outcome["by"].(message)
	return who
}

// askID is the id of an ask as the command line takes it.
func askID(ticket message) string {
	ask, _ := ticket["ask"].(message)
	id, _ := ask["id"].(string)
	return id
}
