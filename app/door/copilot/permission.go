package copilot

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/bridge"
	"github.com/saysohq/sayso/app/door/claudecall"
)

// permission is a request for permission.
type permission struct {
	ID      string          `json:"requestId"`
	Request json.RawMessage `json:"permissionRequest"`
	Prompt  prompt          `json:"promptRequest"`
	Mode    string          `json:"permissionMode"`

	request
	members members
}

// request is what the agent wants to do.
type request struct {
	Kind      string `json:"kind"`
	Call      string `json:"toolCallId"`
	Intention string `json:"intention"`
	Lasting   bool   `json:"canOfferSessionApproval"`

	Command  string `json:"fullCommandText"`
	Shell    string `json:"shellType"`
	Segments []struct {
		Dir string `json:"workingDirectory"`
	} `json:"commandSegments"`
	Bypass bool   `json:"requestSandboxBypass"`
	Why    string `json:"requestSandboxBypassReason"`

	File  string `json:"fileName"`
	Edits []edit `json:"fileEdits"`

	Server string          `json:"serverName"`
	Tool   string          `json:"toolName"`
	Args   json.RawMessage `json:"args"`

	URL  string `json:"url"`
	Path string `json:"path"`
}

// edit is the change of one file.
type edit struct {
	Before, After *struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
}

// prompt is what Copilot's own dialog is about.
type prompt struct {
	Kind        string   `json:"kind"`
	Identifiers []string `json:"commandIdentifiers"`
	Tool        string   `json:"toolName"`
	Paths       []string `json:"paths"`
	URL         string   `json:"url"`
}

// trust are the kinds that are about what extensions may do, this one too.
var trust = []string{"extension-permission-access", "extension-env-access"}

// permit carries a request for permission to the hub.
func (d *door) permit(p *bridge.Peer, e *event) {
	r, ok := readPermission(e.Data)
	if !ok || slices.Contains(trust, r.Kind) || r.Kind == "mcp" && r.Server == "sayso" {
		return
	}
	from := bridge.From{Session: e.Session, Call: r.Call, Dir: e.Dir}
	if from.Call == "" {
		from.Call = r.ID
	}
	offered := r.offers()
	make := func(read func(string) (*string, error)) (*sayso.Ask, error) {
		a := r.approval(e.Dir, read)
		for _, o := range offered {
			if len(a.Missing) == 0 || o.Act == sayso.ActDeny {
				a.Offers = append(a.Offers, o.Offer)
			}
		}
		return d.bridge.Approval(a, from)
	}
	a, err := make(nil)
	if err != nil {
		return
	}
	d.mu.Lock()
	d.permits[r.ID] = a
	d.mu.Unlock()
	d.bridge.Open(&bridge.Request{
		ID: r.ID, Ask: a,
		Now: func() (*sayso.Ask, error) { return make(claudecall.ReadFile) },
		Reply: func(ctx context.Context, t *bridge.Told) error {
			if decision := r.decide(offered, t); decision != nil {
				return reply(ctx, p, methodPermission, r.ID, decision)
			}
			return nil
		},
	})
}

func readPermission(data json.RawMessage) (*permission, bool) {
	r := &permission{}
	if json.Unmarshal(data, r) != nil || r.ID == "" || json.Unmarshal(r.Request, &r.request) != nil {
		return nil, false
	}
	var ok bool
	r.members, ok = membersOf(r.Request)
	return r, ok && r.Kind != ""
}

// approval is what a person is asked. read returns what a file has now; nil: files are as
// Copilot told.
func (r *permission) approval(dir string, read func(string) (*string, error)) *sayso.Approval {
	var a *sayso.Approval
	switch r.Kind {
	case "shell":
		input := object("command", r.Command)
		if r.Bypass {
			input = object("command", r.Command, "requestSandboxBypass", true)
		}
		a = sayso.NewApproval(sayso.ApproveShell, or(r.Shell, "shell"), input, &sayso.ApprovalOptions{Command: "command"})
		a.Missing = unless(r.Command, "the command")
		if len(r.Segments) > 0 {
			a.Cwd = r.Segments[0].Dir
		}
	case "write":
		a = r.write(read)
	case "mcp":
		args := r.Args
		if len(args) == 0 {
			args = json.RawMessage("{}")
		}
		a = sayso.NewApproval(sayso.ApproveMCP, r.Server+"/"+or(r.Prompt.Tool, r.Tool), args, nil)
		a.Missing = unless(r.Tool, "the tool")
	case "url":
		a = sayso.NewApproval(sayso.ApproveFetch, "url", object("url", r.URL), nil)
		a.Missing = unless(r.URL, "the address")
	case "read":
		a = sayso.NewApproval(sayso.ApproveTool, "read", object("path", r.Path), nil)
		a.Missing = unless(r.Path, "the file")
	default: // all of it is shown
		a = sayso.NewApproval(sayso.ApproveTool, or(r.Tool, r.Kind), r.members.without("kind", "toolCallId", "intention"), nil)
		if !slices.Contains([]string{"memory", "custom-tool", "hook", "workflow", "extension-management"}, r.Kind) {
			a.Missing = []string{"what it would do: this version of sayso does not know requests of the kind " + sayso.SafeLine(r.Kind)}
		}
	}
	a.Reason, a.Mode = r.Intention, r.Mode
	a.Cwd = or(a.Cwd, dir)
	if r.Bypass {
		a.Why = append(a.Why, strings.TrimSuffix("it would run outside the sandbox: "+sayso.SafeLine(r.Why), ": "))
	}
	if r.Prompt.Kind == "path" && r.Kind != "read" {
		for _, path := range r.Prompt.Paths {
			a.Why = append(a.Why, "it uses "+sayso.SafeLine(path))
		}
	}
	if r.Prompt.Kind == "url" && r.Kind != "url" {
		a.Why = append(a.Why, "it uses "+sayso.SafeLine(r.Prompt.URL))
	}
	return a
}

// write is a change of files.
func (r *permission) write(read func(string) (*string, error)) *sayso.Approval {
	o := &sayso.ApprovalOptions{}
	var missing []string
	for _, e := range r.Edits {
		var before, after *string
		path := ""
		if e.After != nil {
			path, after = e.After.Path, &e.After.Content
		}
		if e.Before != nil {
			if path != "" && path != e.Before.Path {
				o.Files = append(o.Files, sayso.NewFileChange(e.Before.Path, &e.Before.Content, nil)) // it is moved
			} else {
				path, before = e.Before.Path, &e.Before.Content
			}
		}
		if read != nil {
			var err error
			if before, err = read(path); err != nil {
				missing = append(missing, "what "+sayso.SafeLine(path)+" has now")
			}
		}
		o.Files = append(o.Files, sayso.NewFileChange(path, before, after))
	}
	input := r.members.without("kind", "toolCallId", "intention", "canOfferSessionApproval", "diff")
	if len(r.Edits) > 0 {
		o.Covered = []string{"fileName", "fileEdits", "newFileContents"}
	} else if r.members["newFileContents"] == nil {
		missing = append(missing, "the change")
	}
	a := sayso.NewApproval(sayso.ApproveEdit, "write", input, o)
	a.Missing = missing
	return a
}

func unless(known, what string) []string {
	if sayso.Blank(known) {
		return []string{what}
	}
	return nil
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
