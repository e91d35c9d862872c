// Package mcptools makes the tools of MCP servers available to a host.
//
// Connect reaches all servers of a configuration; Set.Tools goes into
// [agent.Options]. A server whose connection was lost is reached again with the
// next call.
//
// Every call carries its key as "sayso.dev/key" in its metadata, by which a server
// can tell a call that is made again after a crash from a new one. A server that
// does so is marked as Keyed. Of other servers, only tools that say of themselves
// that they read only, or that calling them twice is calling them once, are called
// again.
package mcptools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso/agent"
)

// inherited are the variables that a command gets from the host.
var inherited = []string{"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "SYSTEMROOT", "TEMP", "TERM", "TMPDIR", "USER"}

// MetaKey is where a call carries its key.
const MetaKey = "sayso.dev/key"

// Server says how to reach an MCP server: by a command that speaks on its standard
// streams, or by an address.
type Server struct {
	Name    string            `json:"name"` // its tools are called NAME__TOOL
	Command []string          `json:"command,omitempty"`
	Env     map[string]string `json:"env,omitempty"` // beside the few variables that a server needs; the host's keys are none of its business
	Dir     string            `json:"dir,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Only    []string          `json:"only,omitempty"`  // the tools to offer; default: all
	Keyed   bool              `json:"keyed,omitempty"` // it knows calls by their keys
}

// Set is the tools of several servers.
type Set struct {
	servers []*server
	tools   []agent.Tool
}

// Connect reaches the servers and asks for their tools. Close the set after use.
func Connect(ctx context.Context, servers []Server) (*Set, error) {
	s := &Set{}
	for _, cfg := range servers {
		srv := &server{Server: cfg}
		s.servers = append(s.servers, srv)
		tools, err := srv.list(ctx)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("mcptools: server %s: %w", cfg.Name, err), s.Close())
		}
		s.tools = append(s.tools, tools...)
	}
	return s, nil
}

// Tools returns the tools of all servers.
func (s *Set) Tools() []agent.Tool { return slices.Clone(s.tools) }

// Close ends the connections, and the commands.
func (s *Set) Close() error {
	var errs []error
	for _, srv := range s.servers {
		errs = append(errs, srv.close())
	}
	return errors.Join(errs...)
}

type server struct {
	Server

	mu      sync.Mutex
	session *mcp.ClientSession // nil when there is none
}

// connect returns the session, a new one if there is none.
func (s *server) connect(ctx context.Context) (*mcp.ClientSession, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != nil {
		return s.session, nil
	}
	t, err := s.transport()
	if err != nil {
		return nil, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "sayso-agent", Version: "0"}, nil)
	// The session outlives the call that needed it first.
	session, err := client.Connect(context.WithoutCancel(ctx), t, nil)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	s.session = session
	return session, nil
}

func (s *server) transport() (mcp.Transport, error) {
	switch {
	case len(s.Command) > 0 && s.URL == "":
		cmd := exec.Command(s.Command[0], s.Command[1:]...)
		cmd.Dir = s.Dir
		for _, k := range inherited {
			if v, ok := os.LookupEnv(k); ok {
				cmd.Env = append(cmd.Env, k+"="+v)
			}
		}
		for _, k := range slices.Sorted(maps.Keys(s.Env)) {
			cmd.Env = append(cmd.Env, k+"="+s.Env[k])
		}
		return &mcp.CommandTransport{Command: cmd}, nil
	case len(s.Command) == 0 && s.URL != "":
		return &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: &http.Client{Transport: headers(s.Headers)}}, nil
	}
	return nil, errors.New("it needs a command or an address")
}

// lost forgets a session, so that the next call makes a new one.
func (s *server) lost(session *mcp.ClientSession) {
	s.mu.Lock()
	same := s.session == session
	if same {
		s.session = nil
	}
	s.mu.Unlock()
	if same {
		_ = session.Close() // it is broken
	}
}

func (s *server) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session == nil {
		return nil
	}
	err := s.session.Close()
	s.session = nil
	return err
}

func (s *server) list(ctx context.Context) ([]agent.Tool, error) {
	if s.Name == "" || strings.Contains(s.Name, "__") {
		return nil, fmt.Errorf("%q is not a name for a server", s.Name)
	}
	session, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	var tools []agent.Tool
	for t, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("list its tools: %w", err)
		}
		if len(s.Only) > 0 && !slices.Contains(s.Only, t.Name) {
			continue
		}
		schema, err := json.Marshal(t.InputSchema)
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", t.Name, err)
		}
		tools = append(tools, agent.Tool{
			Name: s.Name + "__" + t.Name, Description: t.Description, Schema: schema,
			Repeat: s.Keyed || t.Annotations != nil && (t.Annotations.ReadOnlyHint || t.Annotations.IdempotentHint),
			Run:    func(ctx context.Context, c agent.Call) (agent.Result, error) { return s.call(ctx, t.Name, c) },
		})
	}
	return tools, nil
}

func (s *server) call(ctx context.Context, name string, c agent.Call) (agent.Result, error) {
	session, err := s.connect(ctx)
	if err != nil {
		return agent.Result{}, err
	}
	r, err := session.CallTool(ctx, &mcp.CallToolParams{Meta: mcp.Meta{MetaKey: c.Key}, Name: name, Arguments: c.Arguments})
	if errors.Is(err, mcp.ErrConnectionClosed) {
		s.lost(session)
	}
	if err != nil {
		return agent.Result{}, err
	}
	return result(r)
}

// result is what the model can read of a result: text, and the names of what is
// not text.
func result(r *mcp.CallToolResult) (agent.Result, error) {
	out := agent.Result{IsError: r.IsError}
	var texts []string
	for _, c := range r.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			texts = append(texts, c.Text)
		case *mcp.ImageContent:
			texts = append(texts, fmt.Sprintf("[an image, %s, %d bytes]", c.MIMEType, len(c.Data)))
		case *mcp.AudioContent:
			texts = append(texts, fmt.Sprintf("[a sound, %s, %d bytes]", c.MIMEType, len(c.Data)))
		case *mcp.ResourceLink:
			texts = append(texts, fmt.Sprintf("[a link: %s]", c.URI))
		case *mcp.EmbeddedResource:
			if c.Resource != nil {
				texts = append(texts, c.Resource.Text)
			}
		}
	}
	if r.StructuredContent != nil {
		b, err := json.Marshal(r.StructuredContent)
		if err != nil {
			return out, err
		}
		out.Structured = b
		if len(texts) == 0 {
			texts = append(texts, string(b))
		}
	}
	out.Text = strings.Join(texts, "\n")
	return out, nil
}

// headers adds headers to every request.
type headers map[string]string

func (h headers) RoundTrip(r *http.Request) (*http.Response, error) {
	if len(h) > 0 {
		r = r.Clone(r.Context())
		for _, k := range slices.Sorted(maps.Keys(h)) {
			r.Header.Set(k, h[k])
		}
	}
	return http.DefaultTransport.RoundTrip(r)
}
