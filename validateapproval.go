package sayso

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// approval reports what keeps an approval from being shown.
func (v *validator) approval(a *Ask) {
	p := a.Approval
	if (p != nil) != (a.Kind == AskApproval) {
		v.bad(ErrApproval, "approval", "and kind do not agree; kind is %q", firstRunes(string(a.Kind), 60))
	}
	if p == nil {
		return
	}
	bad := func(field, format string, args ...any) { v.bad(ErrApproval, "approval."+field, format, args...) }
	if !slices.Contains(ApprovalKinds(), p.Kind) {
		bad("kind", "is %q; use one of %q", firstRunes(string(p.Kind), 60), ApprovalKinds())
	}
	if Blank(p.Tool) {
		bad("tool", "is empty; name the tool")
	}
	for _, s := range []string{p.Tool, p.Cwd, p.Mode} {
		v.length("approval", s, maxLabel)
	}
	v.length("approval.reason", p.Reason, maxText)
	if n := len(p.Shown); n == 0 || n > maxParts {
		bad("shown", "has %d parts; show 1 to %d", n, maxParts)
		return
	}
	total := 0
	for i, c := range p.Contents() {
		field := "input"
		if i < len(p.Shown) {
			field = fmt.Sprintf("shown[%d]", i)
			v.length("approval."+field, p.Shown[i].Name, maxLabel)
		}
		v.content(field, c)
		total += max(c.Size, 0)
	}
	if total > 2*MaxContent {
		bad("shown", "has %d bytes with the input; use at most %d", total, 2*MaxContent)
	}
	v.offers(p)
}

// content reports a content that is not what it says.
func (v *validator) content(field string, c *Content) {
	bad := func(format string, args ...any) { v.bad(ErrContent, "approval."+field, format, args...) }
	switch {
	case c.Size < 0 || c.Size > MaxContent:
		bad("has %d bytes; use at most %d", c.Size, MaxContent)
	case len(c.SHA256) != 64:
		bad("has no SHA-256")
	case !utf8.ValidString(c.Text):
		bad("is not valid UTF-8")
	case !c.Stored && !c.Whole(), c.Text != "" && !c.Whole():
		bad("has %d bytes and says %d", len(c.Text), c.Size)
	case c.Text != "" && hashOf(c.Text) != c.SHA256, !c.Stored && c.Size == 0 && hashOf("") != c.SHA256:
		bad("has another hash than it says")
	}
}

func (v *validator) offers(p *Approval) {
	bad := func(i int, format string, args ...any) {
		v.bad(ErrApproval, fmt.Sprintf("approval.offers[%d]", i), format, args...)
	}
	for i, o := range p.Offers {
		switch {
		case o.ID == OfferUnseen:
			bad(i, "has the id %q, which is reserved", o.ID)
		case o.Act != ActAllow && o.Act != ActDeny:
			bad(i, "has the act %q; use %q or %q", firstRunes(string(o.Act), 60), ActAllow, ActDeny)
		case !slices.Contains([]Scope{"", ScopeOnce, ScopeSession, ScopeAlways}, o.Scope):
			bad(i, "has the scope %q; use %q, %q or %q", firstRunes(string(o.Scope), 60), ScopeOnce, ScopeSession, ScopeAlways)
		}
	}
	if len(p.Denies()) == 0 {
		v.bad(ErrApproval, "approval.offers", "deny nothing; offer at least one way to say no")
	}
}
