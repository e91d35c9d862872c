package acp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Options are the options of [Proxy]. Nil means the defaults.
type Options struct {
	Origin sayso.Origin // of what is asked, where the agent does not say; default: nothing is known

	// NoEditor leaves the editor out: questions and requests for permission go to
	// the hub alone. It is for an editor that is a program with nobody in front of
	// it, and might reply by itself. What nobody decides is denied. Default: the
	// editor is asked as well.
	NoEditor bool

	// Server is an MCP server that every session gets; its tools need no permission.
	// Default: none.
	Server *Server
}

// Proxy hands messages on between an editor and its agent, and has the agent's
// questions answered in both the editor and the hub. It returns when the agent has
// gone, or when ctx ends. When the editor goes, the agent's stream is closed. A read
// that is under way at the end is not waited for.
func Proxy(ctx context.Context, h hub.Asker, editor, agent Stream, opts *Options) error {
	p := &proxy{
		hub: h, editor: newSide(editor), agent: newSide(agent),
		calls: map[string]chan *message{}, asked: map[string]*asked{}, quiet: map[string]bool{}, run: rand.Text(),
	}
	if opts != nil {
		p.opts = *opts
	}
	asking, end := context.WithCancelCause(ctx)
	ends := make(chan error, 2)
	go func() {
		err := p.editor.each(func(line []byte, m *message) error { return p.fromEditor(asking, line, m) })
		end(errEnded) // soon no reply will reach the agent: what it asked stays open
		p.hangUp()
		p.beginNothing()
		p.lastReplies()
		p.agent.out.Close()
		if err != nil {
			ends <- fmt.Errorf("acp: from the editor: %w", err)
		}
	}()
	go func() {
		err := p.agent.each(func(line []byte, m *message) error { return p.fromAgent(asking, line, m) })
		if err != nil {
			err = fmt.Errorf("acp: from the agent: %w", err)
		}
		ends <- err
	}()
	var err error
	select {
	case err = <-ends:
	case <-ctx.Done():
		err = ctx.Err()
	}
	end(errEnded)
	p.beginNothing()
	p.agent.out.Close()
	p.editor.out.Close()
	p.work.Wait()
	return err
}

// proxy is one editor with its agent.
type proxy struct {
	hub           hub.Asker
	opts          Options
	editor, agent *side
	work          sync.WaitGroup // the questions
	sessions      sessions
	run           string // tells this proxy from every other

	mu     sync.Mutex
	ended  bool                     // nothing more is begun
	forms  bool                     // the editor takes forms
	theirs bool                     // a session has a server of our name that is not ours
	host   string                   // the agent's name for itself
	first  raw                      // the id of the request that asks for it
	last   int                      // of our requests to the editor
	calls  map[string]chan *message // by our own id; nil once the editor has gone
	asked  map[string]*asked        // by the agent's id
	quiet  map[string]bool          // sessions for which nothing can be late
}

// fromEditor handles what the editor says. Whatever takes time here holds up what
// comes behind it, so that the order stays.
func (p *proxy) fromEditor(ctx context.Context, line []byte, m *message) error {
	switch {
	case m.response() && p.returned(m):
		return nil
	case m.request() && m.Method == "initialize":
		line = p.initialize(line, m)
	case m.request() && slices.Contains([]string{"session/new", "session/load", "session/resume", "session/set_mode"}, m.Method):
		p.sessions.request(m)
		if m.Method != "session/set_mode" {
			line = p.serve(line, m)
		}
	case m.request() && m.Method == "session/prompt":
		line = p.tellLate(ctx, line, m)
	case m.Method == "session/cancel":
		p.cancelTurn(m)
	}
	return p.agent.pass(line)
}

// fromAgent handles what the agent says.
func (p *proxy) fromAgent(ctx context.Context, line []byte, m *message) error {
	switch {
	case m.request():
		q := readQuestion(m.Method, m.Params)
		if q == nil && m.Method == "session/request_permission" {
			q = p.readApproval(m.Params)
			if q == nil && p.opts.NoEditor {
				return p.refusePermission(m)
			}
		}
		if q != nil && p.allowOurs(m, q) {
			return nil
		}
		if q != nil {
			q.line = line
			p.begin(ctx, q, m)
			return nil
		}
	case m.response():
		p.initialized(m)
		p.sessions.response(m)
	case m.Method == "session/update":
		p.sessions.update(line, m)
	case m.Method == "$/cancel_request" && p.calledOff(m):
		return nil
	}
	return p.editor.pass(line)
}

// initialize tells the agent that forms are taken, as the hub takes them.
func (p *proxy) initialize(line []byte, m *message) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.first = m.ID
	if sayso.CheckJSON(line) != nil {
		return line
	}
	msg, params, caps, elicit := map[string]raw{}, map[string]raw{}, map[string]raw{}, map[string]raw{}
	if json.Unmarshal(line, &msg) != nil || json.Unmarshal(m.Params, &params) != nil {
		return line
	}
	json.Unmarshal(params["clientCapabilities"], &caps)
	json.Unmarshal(caps["elicitation"], &elicit)
	if form := elicit["form"]; form != nil && string(form) != "null" && string(form) != "false" {
		p.forms = true
		return line
	}
	elicit["form"] = raw("{}")
	for _, in := range []struct {
		into map[string]raw
		key  string
		v    map[string]raw
	}{{caps, "elicitation", elicit}, {params, "clientCapabilities", caps}, {msg, "params", params}} {
		b, err := json.Marshal(in.v)
		if err != nil {
			return line
		}
		in.into[in.key] = b
	}
	out, err := json.Marshal(msg)
	if err != nil {
		return line
	}
	return out
}

// initialized learns the agent's name from its reply.
func (p *proxy) initialized(m *message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.first == nil || string(p.first) != string(m.ID) {
		return
	}
	p.first = nil
	var r struct {
		Info struct {
			Name  string `json:"name"`
			Title string `json:"title"`
		} `json:"agentInfo"`
	}
	if json.Unmarshal(m.Result, &r) == nil {
		p.host = r.Info.Name
		if p.host == "" {
			p.host = r.Info.Title
		}
	}
}

// origin says where a question comes from.
func (p *proxy) origin(o sayso.Origin) sayso.Origin {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.opts.Origin
	if o.Conversation != "" {
		own.Conversation = o.Conversation
	}
	if p.host != "" {
		own.Host = sayso.SafeLine(p.host)
	}
	own.ToolCall = o.ToolCall
	return own
}

// beginNothing lets no further question begin.
func (p *proxy) beginNothing() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
}

// lastReplies waits, not for long, until every question is decided: one whose
// answer counts as the agent's must reach it.
func (p *proxy) lastReplies() {
	done := make(chan struct{})
	go func() { defer close(done); p.work.Wait() }()
	select {
	case <-done:
	case <-time.After(hubTime):
	}
}
