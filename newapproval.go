package sayso

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/saysohq/sayso/internal/linediff"
)

// ApprovalOptions are the options of [NewApproval]. Nil means the defaults.
type ApprovalOptions struct {
	// Files are the changes that the tool would make, from [NewFileChange].
	Files []FileChange

	// Covered are the members of the input that Files show in full. Default: all
	// members of the input are shown.
	Covered []string

	// Command, Plan and Reason name the members of the input that have a command, a
	// plan in Markdown, and the agent's reason. Default: none has.
	Command, Plan, Reason string
}

// NewApproval returns the approval for a call of a tool with the given input, which
// is JSON. Every member of the input is shown. The caller adds Cwd, Why, Mode,
// Missing and Offers.
func NewApproval(kind ApprovalKind, tool string, input []byte, o *ApprovalOptions) *Approval {
	if o == nil {
		o = &ApprovalOptions{}
	}
	a := &Approval{Kind: kind, Tool: tool, Input: NewContent(string(input)), Files: o.Files}
	show := func(name string, format PartFormat, text string) {
		a.Shown = append(a.Shown, Part{Name: name, Format: format, Content: NewContent(text)})
	}
	for _, f := range o.Files {
		show(f.Path, PartDiff, f.diff)
	}
	members, ok := membersOf(input)
	if !ok {
		show("Input", PartJSON, string(input))
		return a
	}
	var rest []member
	plan := ""
	for _, m := range members {
		text, isText := m.text()
		switch {
		case slices.Contains(o.Covered, m.name):
		case isText && m.name == o.Command:
			show("Command", PartCommand, text)
		case isText && m.name == o.Reason:
			a.Reason = text
		case isText && m.name == o.Plan:
			plan = text
		case isText && (len(text) > 200 || strings.Contains(text, "\n")):
			show(m.name, PartText, text)
		default:
			rest = append(rest, m)
		}
	}
	if len(rest) > 0 {
		show("Input", PartJSON, spellMembers(rest))
	}
	if plan != "" {
		show("Plan", PartMarkdown, plan) // the last: what follows it could be taken for a part of it
	}
	if len(a.Shown) == 0 { // the input has nothing, or nothing but a reason
		show("Input", PartJSON, string(input))
	}
	return a
}

// NewFileChange returns the change of a file from one content to another; nil says
// that there is no file.
func NewFileChange(path string, before, after *string) FileChange {
	f := FileChange{Path: path, Op: FileUpdate}
	var from, to string
	if before != nil {
		from, f.Before = *before, hashOf(*before)
	} else {
		f.Op = FileAdd
	}
	if after != nil {
		to, f.After = *after, hashOf(*after)
	} else {
		f.Op = FileDelete
	}
	f.diff, f.Added, f.Removed = linediff.Unified(from, to)
	return f
}

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

func (m *member) text() (string, bool) {
	var s string
	if len(m.value) == 0 || m.value[0] != '"' || json.Unmarshal(m.value, &s) != nil {
		return "", false
	}
	return s, true
}

// membersOf returns the members of an object in their order.
func membersOf(data []byte) ([]member, bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	var list []member
	for d.More() {
		t, err := d.Token()
		name, ok := t.(string)
		if err != nil || !ok {
			return nil, false
		}
		m := member{name: name}
		if d.Decode(&m.value) != nil {
			return nil, false
		}
		list = append(list, m)
	}
	return list, true
}

// spellMembers spells members as an object on several lines.
func spellMembers(list []member) string {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(m.name) // a string can be spelled
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	var out bytes.Buffer
	if json.Indent(&out, b.Bytes(), "", "  ") != nil {
		return b.String()
	}
	return out.String()
}

// EditedInput returns the input of a tool with one member replaced by a text: how a
// surface changes a command. The input is that of the approval, which must be whole.
func (a *Approval) EditedInput(member, text string) (string, error) {
	list, ok := membersOf([]byte(a.Input.Text))
	if !a.Input.Whole() || !ok {
		return "", ErrNotEditable
	}
	value, err := json.Marshal(text)
	if err != nil {
		return "", err
	}
	found := false
	for i := range list {
		if list[i].name == member {
			list[i].value, found = value, true
		}
	}
	if !found {
		return "", ErrNotEditable
	}
	return spellMembers(list), nil
}

// Editable returns what a person changes before they allow it: the command, and the
// member of the input that has it, for [Approval.EditedInput]; or all of the input,
// and no member. It reports false if the input is not whole, or no offer takes
// changes.
func (a *Approval) Editable() (member, text string, ok bool) {
	list, isObject := membersOf([]byte(a.Input.Text))
	if !a.Input.Whole() || !isObject || !slices.ContainsFunc(a.Offers, func(o Offer) bool { return o.Edit }) {
		return "", "", false
	}
	for i := range a.Shown {
		p := &a.Shown[i]
		if p.Format != PartCommand || !p.Whole() {
			continue
		}
		for j := range list {
			if value, isText := list[j].text(); isText && value == p.Text {
				return list[j].name, value, true
			}
		}
	}
	return "", spellMembers(list), true
}
