package gemini

import (
	"encoding/json"
	"strings"

	"github.com/saysohq/sayso"
)

// details are what a dialog is about.
type details struct {
	Type    string `json:"type"`
	Title   string `json:"title"`
	Command string `json:"command"`  // of "exec"
	Path    string `json:"filePath"` // of "edit"
	Diff    string `json:"fileDiff"`
	Server  string `json:"serverName"` // of "mcp"
	Tool    string `json:"toolName"`
}

// details returns what is known of the dialog; the zero value if nothing is.
func (e *event) details() (d details) {
	if json.Unmarshal(e.Details, &d) != nil {
		return details{}
	}
	return d
}

// maxShown is how many bytes of a command or a diff a notice has. Nobody decides by it.
const maxShown = 4000

// Notice says what Gemini CLI's dialog is about.
func (e *event) Notice() (sayso.Question, []string) {
	d := e.details()
	q := sayso.Question{Header: "Terminal", Text: "Gemini CLI waits for your permission at its terminal."}
	switch d.Type {
	case "exec":
		q.Body = "It wants to run a command:\n\n" + fenced(d.Command)
		return q, []string{"run_shell_command"}
	case "edit":
		q.Body = "It wants to change " + sayso.SafeLine(d.Path) + ":\n\n" + fenced(d.Diff)
		return q, []string{"replace", "write_file"}
	case "mcp":
		q.Body = "It wants to call the tool " + sayso.SafeLine(d.Tool) + " of the MCP server " + sayso.SafeLine(d.Server) + "."
		return q, []string{"mcp_" + d.Server + "_" + d.Tool}
	}
	q.Body = sayso.SafeLine(d.Title)
	return q, nil
}

// fenced returns a text as a block of Markdown that it cannot leave.
func fenced(text string) string {
	if len(text) > maxShown {
		text = strings.ToValidUTF8(text[:maxShown], "") + "\n…"
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}
