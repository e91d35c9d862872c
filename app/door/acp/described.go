package acp

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
)

// Agents of which more is known than the protocol says.
const (
	claude = "claude"
	codex  = "codex"
	gemini = "gemini"
	qwen   = "qwen"
)

// agentName returns the agent if it is one of those, by the name that it gave itself.
func (p *proxy) agentName() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, name := range []string{claude, codex, gemini, qwen} {
		if strings.Contains(strings.ToLower(p.host), name) {
			return name
		}
	}
	return ""
}

// described is a tool call with everything that was told about it.
type described struct {
	toolCall
	agent string
	mcp   bool // the request says that it is for a tool of an MCP server

	texts   []string // the text that the agent shows with it
	diffs   []diff
	known   bool // everything that will run is here
	members map[string]raw
}

// diff is the change of a file as the protocol has it.
type diff struct {
	Path string  `json:"path"`
	Old  *string `json:"oldText"`
	New  *string `json:"newText"`
	Meta struct {
		Kind string `json:"kind"`
	} `json:"_meta"`
}

// approval makes the approval, but for the offers.
func (d *described) approval() *sayso.Approval {
	d.read()
	kind, opts := d.kind(), &sayso.ApprovalOptions{Command: "command"}
	var input []byte
	if d.members != nil {
		input = d.RawInput
		opts.Covered = d.covered()
		d.known = len(d.members) > 0 || kind == sayso.ApproveMCP || kind == sayso.ApproveTool
	} else {
		input = d.asJSON()
		opts.Covered = []string{"kind", "locations", "content"}
	}
	switch kind {
	case sayso.ApproveShell:
		opts.Reason = "description"
	case sayso.ApprovePlan:
		opts.Plan = "plan"
	}
	if d.members == nil && d.agent == gemini && kind == sayso.ApproveShell {
		opts.Command = "title" // all of the command
	}
	for _, f := range d.diffs {
		opts.Files = append(opts.Files, sayso.NewFileChange(f.Path, f.Old, f.New))
	}
	p := sayso.NewApproval(kind, d.tool(), input, opts)
	for _, t := range d.texts {
		p.Shown = append(p.Shown, sayso.Part{Name: "Shown by the agent", Format: sayso.PartText, Content: sayso.NewContent(t)})
	}
	if at := slices.IndexFunc(p.Shown, func(s sayso.Part) bool { return s.Format == sayso.PartMarkdown }); at >= 0 {
		plan := p.Shown[at] // it comes last
		p.Shown = append(slices.Delete(p.Shown, at, at+1), plan)
	}
	d.known = d.known || len(d.diffs) > 0 || d.members == nil && d.agent == gemini && d.geminiTellsAll(kind)
	p.Cwd, p.Missing = d.text("cwd"), d.missing()
	return p
}

// read takes the call apart.
func (d *described) read() {
	if json.Unmarshal(d.RawInput, &d.members) != nil || d.members == nil {
		d.members = nil
	}
	var content []struct {
		Type    string `json:"type"`
		Content struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		diff
	}
	json.Unmarshal(d.Content, &content)
	for _, c := range content {
		switch {
		case c.Type == "diff" && c.Path != "":
			f := c.diff
			if f.Meta.Kind == "add" || f.Old != nil && *f.Old == "" && f.Meta.Kind == "" && d.agent == qwen {
				f.Old = nil
			}
			if f.Meta.Kind == "delete" && d.agent == codex {
				f.New = nil // Gemini says so of a file that will be empty
			}
			d.diffs = append(d.diffs, f)
		case c.Type == "content" && c.Content.Type == "text" && !sayso.Blank(c.Content.Text) && !d.has(c.Content.Text):
			d.texts = append(d.texts, c.Content.Text)
		}
	}
}

// has reports whether a text is a member of the input, which is shown.
func (d *described) has(text string) bool {
	for name := range d.members {
		if d.text(name) == text {
			return true
		}
	}
	return false
}

// text returns a member of the input that is a text.
func (d *described) text(name string) string {
	var s string
	json.Unmarshal(d.members[name], &s)
	return s
}

// covered are the members of the input of which the diffs show everything.
func (d *described) covered() []string {
	var names []string
	for _, name := range []string{"file_path", "path", "old_string", "new_string", "content"} {
		text := d.text(name)
		if text != "" && slices.ContainsFunc(d.diffs, func(f diff) bool {
			return f.Path == text || f.New != nil && *f.New == text || f.Old != nil && *f.Old == text
		}) {
			names = append(names, name)
		}
	}
	return names
}

// asJSON is the call of an agent that does not tell the input of the tool. Its parts
// are as they came.
func (d *described) asJSON() []byte {
	var b bytes.Buffer
	add := func(name string, value raw) {
		if nothing(value) || string(value) == `""` {
			return
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + name + `":`)
		b.Write(value)
	}
	add("title", unescaped(d.Title))
	add("kind", unescaped(d.Kind))
	add("content", d.Content)
	add("locations", d.Locations)
	return []byte("{" + b.String() + "}")
}

// unescaped spells a text as JSON that people can read.
func unescaped(s string) raw {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}

// kind is what the approval is about.
func (d *described) kind() sayso.ApprovalKind {
	tool := d.tool()
	switch {
	case d.mcp || strings.HasPrefix(tool, "mcp__") || strings.HasPrefix(tool, "mcp.") || d.agent == gemini && strings.HasPrefix(tool, "mcp_"):
		return sayso.ApproveMCP
	case d.Kind == "execute":
		return sayso.ApproveShell
	case d.Kind == "edit" || d.Kind == "delete" || d.Kind == "move":
		return sayso.ApproveEdit
	case d.Kind == "fetch":
		return sayso.ApproveFetch
	case d.Kind == "switch_mode" && d.text("plan") != "":
		return sayso.ApprovePlan
	}
	return sayso.ApproveTool
}

// tool is the name of the tool, as the agent spells it where it tells it.
func (d *described) tool() string {
	var meta struct {
		Tool   string `json:"toolName"`
		Claude struct {
			Tool string `json:"toolName"`
		} `json:"claudeCode"`
	}
	json.Unmarshal(d.Meta, &meta)
	names := []string{d.Name, meta.Tool, meta.Claude.Tool}
	if d.agent == gemini {
		name, _, _ := strings.Cut(d.ID, "__")
		names = append(names, name)
	}
	if server, tool := d.text("server"), d.text("tool"); server != "" && tool != "" {
		names = append(names, "mcp."+server+"."+tool) // codex-acp
	}
	for _, name := range append(names, d.Kind, "tool") {
		if !sayso.Blank(name) {
			return name
		}
	}
	return ""
}

// geminiTellsAll reports whether Gemini's request has everything that will run: it
// never has the input of the tool.
func (d *described) geminiTellsAll(kind sayso.ApprovalKind) bool {
	switch kind {
	case sayso.ApproveShell:
		return !sayso.Blank(d.Title)
	case sayso.ApproveFetch:
		return !sayso.Blank(d.Title) && !strings.Contains(d.Title, "...") // it cuts what is long
	}
	return len(d.texts) > 0
}

// missing is what the agent does not tell.
func (d *described) missing() []string {
	var list []string
	if !d.known {
		list = append(list, "what will run; look at it in the editor, and allow it there")
	}
	for _, f := range d.diffs {
		switch {
		case d.agent == claude && f.Old != nil:
			list = append(list, "the rest of "+f.Path+": the diff is a fragment of it")
		case d.agent == claude:
			list = append(list, "the old content of "+f.Path+", if the file exists")
		case d.agent == "":
			list = append(list, "whether the diff is all of "+f.Path+", or a fragment")
		}
	}
	return list
}
