package sayso

import (
	"fmt"
	"strconv"
	"strings"
)

// The ids of an approval's question, and of the option with which a person allows
// what they have not opened.
const (
	VerdictQuestion = "verdict"
	OfferUnseen     = "allow_unseen"
)

// ApprovalDialect is the dialect of asks that an integration makes of an agent's
// permission prompt: no tool call of a model spells them.
const ApprovalDialect = "permission"

// setApproval makes the question of an approval. It is always derived: an asker
// cannot show one thing and ask for another.
func (a *Ask) setApproval() {
	p := a.Approval
	a.Kind = AskApproval
	p.place()
	q := Question{ID: VerdictQuestion, Header: "Permission", Text: p.Summary(), Body: p.body(nil), Options: p.options()}
	if p.Kind == ApprovePlan {
		q.Header = "Plan"
	}
	a.Questions = []Question{q}
}

// options are the offers, as options of the question.
func (a *Approval) options() []Option {
	var list []Option
	for i := range a.Offers {
		o := &a.Offers[i]
		list = append(list, Option{ID: o.ID, Label: o.label(), Description: o.description()})
	}
	_, hidden := a.Unseen()
	if allows := a.Allows(); hidden > 0 && len(allows) > 0 {
		list = append(list, Option{
			ID: OfferUnseen, Label: "Allow " + size(hidden) + " unseen", Danger: true,
			Description: "you have not opened " + size(hidden) + " of what will run; otherwise the same as “" + SafeLine(allows[0].label()) + "”",
		})
	}
	return list
}

func (o *Offer) label() string {
	if !Blank(o.Label) {
		return o.Label
	}
	switch {
	case o.Act == ActDeny && o.Stops:
		return "Deny and stop"
	case o.Act == ActDeny:
		return "Deny"
	case o.Mode != "":
		return "Allow, then " + SafeLine(o.Mode)
	case o.Scope == ScopeSession:
		return "Allow for this session"
	case o.Scope == ScopeAlways && o.Where != "":
		return "Always allow in " + SafeLine(o.Where)
	case o.Scope == ScopeAlways:
		return "Always allow"
	}
	return "Allow"
}

func (o *Offer) description() string {
	var s []string
	switch {
	case o.Rule != "" && o.Where != "":
		s = append(s, "adds "+SafeLine(o.Rule)+" to "+SafeLine(o.Where))
	case o.Rule != "":
		s = append(s, "adds "+SafeLine(o.Rule))
	case o.Act == ActAllow && (o.Scope == "" || o.Scope == ScopeOnce) && o.Mode == "":
		s = append(s, "this one time")
	}
	if o.Mode != "" {
		s = append(s, "the permission mode becomes "+SafeLine(o.Mode))
	}
	if o.Stops {
		s = append(s, "the agent's turn ends")
	}
	return strings.Join(s, "; ")
}

// Summary returns one line that says what would happen. It is never all of it.
func (a *Approval) Summary() string {
	switch a.Kind {
	case ApproveShell:
		for i := range a.Shown {
			if p := &a.Shown[i]; p.Format == PartCommand {
				return "Run: " + oneLine(p.Head+p.Text, p.Size)
			}
		}
	case ApproveEdit:
		if s := a.changes(); s != "" {
			return s
		}
	case ApprovePlan:
		return "Approve this plan?"
	}
	return "Use " + oneLine(a.Tool, len(a.Tool)) + "?"
}

// changes says in one line what happens to files.
func (a *Approval) changes() string {
	added, removed := 0, 0
	for _, f := range a.Files {
		added, removed = added+f.Added, removed+f.Removed
	}
	counts := fmt.Sprintf(" (+%d −%d)", added, removed)
	switch len(a.Files) {
	case 0:
		return ""
	case 1:
		f := a.Files[0]
		verb := map[FileOp]string{FileAdd: "Create ", FileDelete: "Delete "}[f.Op]
		if verb == "" {
			verb = "Change "
		}
		return verb + oneLine(f.Path, len(f.Path)) + counts
	}
	return "Change " + strconv.Itoa(len(a.Files)) + " files" + counts
}

// oneLine returns the beginning of a text on one line, and says if it is not all.
func oneLine(s string, bytes int) string {
	const most = 160
	shown := SafeLine(Visible(strings.TrimSpace(s)))
	line := firstRunes(shown, most)
	if len(line) < len(shown) || bytes > len(s) {
		line += " … (" + size(bytes) + " in all)"
	}
	return line
}

// size spells a number of bytes.
func size(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n) + " bytes"
	case n < 1e6:
		return strconv.Itoa((n+500)/1000) + " KB"
	}
	return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
}
