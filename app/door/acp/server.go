package acp

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/saysohq/sayso"
)

// Server is an MCP server that every session of the agent gets.
type Server struct {
	Command string // its absolute path
	Args    []string
	Env     map[string]string // beside what it has from the agent
}

// serverName is how the agent knows it. The editor may have one of the same name, and
// then that is the one.
const serverName = "sayso"

// ourTools are the tools of the server for models. They ask the person, or read and
// withdraw what was asked, or read what was decided: to be asked for permission first would be to be asked twice.
var ourTools = []string{"ask_user", "ask_user_async", "check_answer", "withdraw", "past_decisions"}

// serve adds the server to a request that opens a session.
func (p *proxy) serve(line []byte, m *message) []byte {
	if p.opts.Server == nil || sayso.CheckJSON(line) != nil {
		return line
	}
	msg, params := map[string]raw{}, map[string]raw{}
	var servers []raw
	if json.Unmarshal(line, &msg) != nil || json.Unmarshal(m.Params, &params) != nil || params["mcpServers"] == nil || json.Unmarshal(params["mcpServers"], &servers) != nil {
		return line
	}
	theirs := slices.ContainsFunc(servers, func(s raw) bool {
		var is struct{ Name string }
		return json.Unmarshal(s, &is) == nil && is.Name == serverName
	})
	p.mu.Lock()
	p.theirs = p.theirs || theirs
	p.mu.Unlock()
	if theirs {
		return line
	}
	env := []map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(p.opts.Server.Env)) {
		env = append(env, map[string]string{"name": name, "value": p.opts.Server.Env[name]})
	}
	ours, err := json.Marshal(map[string]any{"name": serverName, "command": p.opts.Server.Command, "args": append([]string{}, p.opts.Server.Args...), "env": env})
	if err != nil {
		return line
	}
	if params["mcpServers"], err = json.Marshal(append(servers, ours)); err != nil {
		return line
	}
	if msg["params"], err = json.Marshal(params); err != nil {
		return line
	}
	out, err := json.Marshal(msg)
	if err != nil {
		return line
	}
	return out
}

// allowOurs allows a call of one of our own tools. It returns false if the request is
// about something else.
func (p *proxy) allowOurs(m *message, q *question) bool {
	p.mu.Lock()
	theirs := p.theirs
	p.mu.Unlock()
	if p.opts.Server == nil || theirs || q.ask.Approval == nil || !slices.ContainsFunc(ourTools, func(name string) bool {
		return slices.Contains([]string{"mcp__" + serverName + "__" + name, "mcp." + serverName + "." + name}, q.ask.Approval.Tool)
	}) {
		return false
	}
	var r asking
	if json.Unmarshal(m.Params, &r) != nil {
		return false
	}
	at := slices.IndexFunc(r.Options, func(o option) bool { return o.Kind == "allow_once" })
	return at >= 0 && p.agent.reply(m.ID, selected(r.Options[at].ID)) == nil
}
