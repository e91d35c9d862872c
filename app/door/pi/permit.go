package pi

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/bridge"
	"github.com/saysohq/sayso/app/door/claudecall"
)

// call is a tool that pi is about to run.
type call struct {
	from
	tool  string
	input json.RawMessage
}

// permitted is what pi does with the tool.
type permitted struct {
	Block  bool            `json:"block,omitempty"`
	Reason string          `json:"reason,omitempty"` // for the model
	Stop   bool            `json:"stop,omitempty"`   // the turn ends
	Input  json.RawMessage `json:"input,omitempty"`  // in place of that of the call
}

// What the model is told if the person said nothing else.
const (
	denied    = "The user denied this request."
	undecided = "Nobody decided about this request, so it did not run."
	unusable  = "The user allowed this with a changed input that cannot be used, so it did not run."
)

func blocked(reason string) *permitted { return &permitted{Block: true, Reason: reason} }

func (s *server) permit(ctx context.Context, p *bridge.Peer, c *call) (*permitted, error) {
	make := func() (*sayso.Ask, error) { return s.bridge.Approval(c.approval(), c.bridge()) }
	a, err := make()
	if err != nil {
		return blocked("This cannot be shown to the user, so it did not run: " + err.Error()), nil
	}
	var dialog func(context.Context) *sayso.Outcome
	if c.UI {
		dialog = func(ctx context.Context) *sayso.Outcome {
			return (&gate{plugin{p, c.Call}}).ask(ctx, a)
		}
	}
	told, err := s.race(ctx, c.from, &bridge.Request{Ask: a, Now: make}, dialog)
	if err != nil {
		return nil, err // which blocks the tool
	}
	return c.decide(told), nil
}

// decide spells what was decided.
func (c *call) decide(t *bridge.Told) *permitted {
	switch {
	case t == nil:
		return blocked(undecided)
	case t.Changed:
		return blocked("What this would do changed after it was shown to the user, so their decision was not used and nothing ran. Read the file again and, if it is still needed, try again.")
	case t.Verdict == nil:
		return blocked(undecided)
	case !t.Verdict.Allowed():
		d := blocked(t.Verdict.Message)
		if sayso.Blank(d.Reason) {
			d.Reason = denied
		}
		d.Stop = t.Verdict.Offer.Stops
		return d
	case t.Verdict.Input == "":
		return &permitted{}
	}
	var changed map[string]json.RawMessage
	if json.Unmarshal([]byte(t.Verdict.Input), &changed) != nil || changed == nil {
		return blocked(unusable)
	}
	return &permitted{Input: json.RawMessage(t.Verdict.Input)}
}

// approval is what a person is asked.
func (c *call) approval() *sayso.Approval {
	kind, o, missing := sayso.ApproveTool, &sayso.ApprovalOptions{}, []string(nil)
	switch c.tool {
	case "bash", "powershell":
		kind, o.Command = sayso.ApproveShell, "command"
	case "edit", "write":
		kind = sayso.ApproveEdit
		if !c.change(o) {
			missing = []string{"the old content of the file"}
		}
	}
	p := sayso.NewApproval(kind, c.tool, c.input, o)
	p.Cwd, p.Missing = c.Dir, missing
	p.Offers = []sayso.Offer{
		{ID: "allow", Act: sayso.ActAllow, Edit: true},
		{ID: "deny", Act: sayso.ActDeny, Message: true},
		{ID: "stop", Act: sayso.ActDeny, Message: true, Stops: true},
	}
	return p
}

// edit is one replacement.
type edit struct {
	Old *string `json:"oldText"`
	New *string `json:"newText"`
}

// change adds the change of the file. It is false if that cannot be known; the input is
// shown then as it is.
func (c *call) change(o *sayso.ApprovalOptions) bool {
	var in map[string]json.RawMessage // by exact names
	var path string
	if json.Unmarshal(c.input, &in) != nil || json.Unmarshal(in["path"], &path) != nil || path == "" || strings.ContainsAny(path[:1], "~@") || !ascii(path) {
		return false // pi reads such paths in ways of its own
	}
	file := path
	if !filepath.IsAbs(file) {
		file = filepath.Join(c.Dir, file)
	}
	before, err := claudecall.ReadFile(file)
	if err != nil {
		return false
	}
	if c.tool == "write" {
		var content *string
		if json.Unmarshal(in["content"], &content) != nil || content == nil {
			return false
		}
		o.Files, o.Covered = []sayso.FileChange{sayso.NewFileChange(path, before, content)}, []string{"path", "content"}
		return true
	}
	after, ok := edited(before, in["edits"])
	if !ok {
		return false
	}
	// The edits are shown beside their result: pi may match a text more freely.
	o.Files, o.Covered = []sayso.FileChange{sayso.NewFileChange(path, before, &after)}, []string{"path"}
	return true
}

func ascii(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// edited makes the edits as pi does: each text is once in the original file.
func edited(before *string, data json.RawMessage) (string, bool) {
	var edits []edit
	if before == nil || json.Unmarshal(data, &edits) != nil || len(edits) == 0 {
		return "", false
	}
	after := *before
	for _, e := range edits {
		if e.Old == nil || e.New == nil || *e.Old == "" || strings.Count(*before, *e.Old) != 1 || strings.Count(after, *e.Old) != 1 {
			return "", false
		}
		after = strings.Replace(after, *e.Old, *e.New, 1)
	}
	return after, true
}
