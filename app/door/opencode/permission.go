package opencode

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/saysohq/sayso"
)

// wanted is a tool call that opencode needs permission for.
type wanted struct {
	data
	call *part  // nil if it could not be found
	dir  string // that the session works in
}

// Permissions of opencode that have a meaning of their own.
const (
	permBash     = "bash"
	permEdit     = "edit"
	permOutside  = "external_directory"
	permRepeated = "doom_loop"
)

// tools are the tools that ask for a permission of another name. Any other tool asks for
// one of its own name; what asks for another's does not tell its arguments.
var tools = map[string][]string{
	permEdit: {"edit", "write", "apply_patch", "multiedit", "patch"},
	"read":   {"list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"},
	"list":   {"ls"},
}

// own are the tools that opencode brings.
var own = []string{
	"apply_patch", "batch", "codesearch", "glob", "grep", "list", "lsp", "plan_enter", "plan_exit", "question", "read", "skill",
	"task", "todoread", "todowrite", "list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource",
}

// approval returns what a person is asked.
func (w *wanted) approval() *sayso.Approval {
	tool, input, known := w.input()
	o := &sayso.ApprovalOptions{}
	kind := sayso.ApproveTool
	switch {
	case w.Permission == permOutside:
		kind = sayso.ApproveGrant
		if tool == permBash {
			o.Command, o.Reason = "command", "description"
		}
	case tool == permBash:
		kind, o.Command, o.Reason = sayso.ApproveShell, "command", "description"
	case w.Permission == permEdit:
		kind = sayso.ApproveEdit
	case tool == "webfetch" || tool == "websearch":
		kind = sayso.ApproveFetch
	case tool == "task":
		o.Reason = "description"
	case w.Permission == tool && !slices.Contains(own, tool):
		kind = sayso.ApproveMCP
	}
	p := sayso.NewApproval(kind, tool, input, o)
	p.Cwd = w.cwd(input)
	if kind == sayso.ApproveEdit {
		w.addChanges(p)
	}
	p.Why = w.why()
	if !known {
		p.Missing = []string{"the arguments of the call"}
	}
	for _, offer := range w.offers(known) {
		p.Offers = append(p.Offers, offer.Offer)
	}
	return p
}

// input returns the tool that would run and its input; known is false if that is not
// all that would run.
func (w *wanted) input() (tool string, input []byte, known bool) {
	switch {
	case w.call != nil:
		known = w.Permission == w.call.Tool || slices.Contains(tools[w.Permission], w.call.Tool) ||
			w.Permission == permOutside || w.Permission == permRepeated
		// Another plugin may have changed the command before it runs.
		if command := objectOf(w.Metadata).text("command"); command != nil && w.call.Tool == permBash {
			if in := objectOf(w.call.State.Input).text("command"); in == nil || *in != *command {
				known = false
			}
		}
		if known {
			return w.call.Tool, w.call.State.Input, true
		}
	case w.Permission == permRepeated: // it has no place, but all that would run
		m := objectOf(w.Metadata)
		if tool := m.text("tool"); tool != nil && *tool != "" && len(m["input"]) > 0 {
			return *tool, m["input"], true
		}
	}
	input, err := json.Marshal(struct {
		Permission string          `json:"permission"`
		Patterns   []string        `json:"patterns,omitempty"`
		Metadata   json.RawMessage `json:"metadata,omitempty"`
	}{w.Permission, w.Patterns, w.Metadata})
	if err != nil {
		input = []byte("{}") // what was read as JSON can be written
	}
	return w.Permission, input, false
}

// cwd is the directory that the call runs in.
func (w *wanted) cwd(input []byte) string {
	if dir := objectOf(input).text("workdir"); dir != nil && *dir != "" && w.call != nil && w.call.Tool == permBash {
		return *dir
	}
	return w.dir
}

// why says why opencode asks.
func (w *wanted) why() []string {
	switch w.Permission {
	case permOutside:
		return []string{"it uses files outside the project: " + sayso.SafeLine(strings.Join(w.Patterns, ", "))}
	case permRepeated:
		return []string{"the agent makes the same call for the third time in a row"}
	}
	return nil
}

// addChanges shows the diffs that opencode made, in front of the input. They leave out
// indentation that all lines have, so the input stays.
func (w *wanted) addChanges(p *sayso.Approval) {
	var m struct {
		Path  string `json:"filepath"`
		Diff  string `json:"diff"`
		Files []struct {
			Path  string `json:"relativePath"`
			Type  string `json:"type"`
			Patch string `json:"patch"`
		} `json:"files"`
	}
	if json.Unmarshal(w.Metadata, &m) != nil {
		return
	}
	var parts []sayso.Part
	add := func(path, op, diff string) {
		hunks, f := readDiff(diff)
		if path == "" || hunks == "" || !utf8.ValidString(path) {
			return
		}
		f.Path = path
		switch op {
		case "add":
			f.Op = sayso.FileAdd
		case "delete":
			f.Op = sayso.FileDelete
		}
		p.Files = append(p.Files, f)
		parts = append(parts, sayso.Part{Name: path, Format: sayso.PartDiff, Content: sayso.NewContent(hunks)})
	}
	if len(m.Files) == 0 {
		add(m.Path, "", m.Diff)
	}
	for _, f := range m.Files {
		add(f.Path, f.Type, f.Patch)
	}
	p.Shown = append(parts, p.Shown...)
}

// readDiff returns the hunks of a diff of one file, and counts its lines.
func readDiff(diff string) (hunks string, f sayso.FileChange) {
	at := strings.Index("\n"+diff, "\n@@ ")
	if at < 0 {
		return "", f
	}
	hunks, f.Op = diff[at:], sayso.FileUpdate
	if strings.HasPrefix(hunks, "@@ -0,0 ") {
		f.Op = sayso.FileAdd
	}
	for line := range strings.Lines(hunks) {
		switch line[0] {
		case '+':
			f.Added++
		case '-':
			f.Removed++
		}
	}
	return hunks, f
}

// object is a JSON object by the exact names of its members. Decoding into a struct
// would take COMMAND for command.
type object map[string]json.RawMessage

func objectOf(data []byte) object {
	var o object
	if json.Unmarshal(data, &o) != nil {
		return nil
	}
	return o
}

// text returns a text of the object, nil if there is none of that name.
func (o object) text(name string) *string {
	var s *string
	if json.Unmarshal(o[name], &s) != nil {
		return nil
	}
	return s
}
