package doortest

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// Peer speaks JSON-RPC with a process, one message on a line, as ACP and the
// server of Codex do.
type Peer struct {
	*Process
	// version is sent as "jsonrpc"; Codex wants none.
	version string

	mu      sync.Mutex
	lastID  int
	waiting map[int]chan Message
	log     []Message
	changed chan struct{}
}

// Message is one line of either direction.
type Message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// Peer makes a peer of the process. Version is "2.0", or nothing.
func (p *Process) Peer(version string) *Peer {
	peer := &Peer{Process: p, version: version, waiting: map[int]chan Message{}, changed: make(chan struct{})}
	go peer.read()
	return peer
}

func (p *Peer) read() {
	for at := 0; ; {
		line, next, ok := p.out.line(at)
		if !ok {
			return
		}
		at = next
		var m Message
		if json.Unmarshal([]byte(line), &m) != nil {
			continue // a program may chat before it speaks
		}
		p.mu.Lock()
		var id int
		if m.Method == "" && json.Unmarshal(m.ID, &id) == nil && p.waiting[id] != nil {
			p.waiting[id] <- m
			delete(p.waiting, id)
		}
		p.log = append(p.log, m)
		close(p.changed)
		p.changed = make(chan struct{})
		p.mu.Unlock()
	}
}

// Call makes a request and returns a function that waits for its result.
func (p *Peer) Call(method string, params any) (result func() json.RawMessage) {
	p.t.Helper()
	p.mu.Lock()
	p.lastID++
	id, reply := p.lastID, make(chan Message, 1)
	p.waiting[id] = reply
	p.mu.Unlock()
	p.send(map[string]any{"id": id, "method": method, "params": params})
	return func() json.RawMessage {
		p.t.Helper()
		select {
		case m := <-reply:
			if m.Error != nil {
				p.t.Fatalf("%s: %s", method, m.Error)
			}
			return m.Result
		case <-p.exited:
			p.t.Fatalf("%s: the program ended", method)
		case <-time.After(Patience):
			p.t.Fatalf("%s: no reply within %v", method, Patience)
		}
		return nil
	}
}

// Notify sends a notification.
func (p *Peer) Notify(method string, params any) {
	p.t.Helper()
	p.send(map[string]any{"method": method, "params": params})
}

// Reply answers a request.
func (p *Peer) Reply(m Message, result any) {
	p.t.Helper()
	p.send(map[string]any{"id": m.ID, "result": result})
}

// Await waits for the nth (from 1) request or notification of the method.
func (p *Peer) Await(method string, nth int) Message {
	p.t.Helper()
	limit := time.After(Patience)
	for {
		p.mu.Lock()
		n, changed := 0, p.changed
		for _, m := range p.log {
			if m.Method == method {
				if n++; n == nth {
					p.mu.Unlock()
					return m
				}
			}
		}
		p.mu.Unlock()
		select {
		case <-changed:
		case <-p.exited:
			p.t.Fatalf("waiting for %s: the program ended", method)
		case <-limit:
			p.t.Fatalf("waited %v for %s", Patience, method)
		}
	}
}

func (p *Peer) send(m map[string]any) {
	p.t.Helper()
	if p.version != "" {
		m["jsonrpc"] = p.version
	}
	b, err := json.Marshal(m)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(p.Stdin, "%s\n", b); err != nil {
		p.t.Fatalf("sending to %s: %v", p.name, err)
	}
}
