package prompt_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/prompt"
)

// writes is an approval of a file that is stored beside the ask; without: as a store
// has it.
func writes(without bool) *sayso.Ask {
	text := strings.Repeat("0123456789\n", 5000) + "MARKEND"
	p := sayso.NewApproval(sayso.ApproveEdit, "Write", fmt.Appendf(nil, `{"content":%q}`, text), &sayso.ApprovalOptions{
		Files: []sayso.FileChange{sayso.NewFileChange("big.txt", nil, &text)}, Covered: []string{"content"},
	})
	p.Offers = []sayso.Offer{{ID: "once", Act: sayso.ActAllow}, {ID: "deny", Act: sayso.ActDeny, Message: true}}
	a := &sayso.Ask{Approval: p}
	if !without {
		return a
	}
	a.Normalize()
	for _, c := range p.Contents() {
		if c.Stored {
			c.Text = ""
		}
	}
	return a
}

func TestApproval(t *testing.T) {
	whole := func(context.Context, *sayso.Ask) (*sayso.Ask, error) {
		a := writes(false)
		a.Normalize()
		return a.WithContent(nil)
	}
	away := func(context.Context, *sayso.Ask) (*sayso.Ask, error) { return nil, errors.New("the hub is away") }
	hidden := func() int { _, n := writes(true).Approval.Unseen(); return n }()
	for name, c := range map[string]struct {
		ask     *sayso.Ask
		whole   func(context.Context, *sayso.Ask) (*sayso.Ask, error)
		typed   string
		offer   string // "": nothing was decided
		message string
		unseen  int
		shows   string
	}{
		"here":                 {writes(false), nil, "allow\n", "once", "", 0, "MARKEND"},
		"fetched":              {writes(true), whole, "1\n", "once", "", 0, "MARKEND"},
		"nobody fetches":       {writes(true), nil, "1\n", "", "", 0, "could not be loaded"},
		"away":                 {writes(true), away, "1\n", "", "", 0, "The hub is away."},
		"away, denied":         {writes(true), away, "1\n2\n", "deny", "", 0, "not opened"},
		"away, allowed unseen": {writes(true), away, "3\nyes\n", "once", "", hidden, "unseen"},
		"words":                {writes(false), nil, "use less\nyes\n", "deny", "use less", 0, "Deny it, and tell the agent that?"},
		"words, not meant":     {writes(false), nil, "use less\nno\n", "", "", 0, "Not taken."},
	} {
		var out strings.Builder
		r := &prompt.Resolver{In: strings.NewReader(c.typed), Out: &out, Whole: c.whole}
		o, err := r.Ask(t.Context(), c.ask)
		if err != nil {
			t.Fatal(err)
		}
		c.ask.Normalize()
		v := c.ask.Verdict(o)
		switch {
		case c.offer == "" && v == nil:
		case v == nil || v.Offer.ID != c.offer || v.Message != c.message || v.Unseen != c.unseen:
			t.Errorf("%s: decided %+v", name, v)
		}
		if !strings.Contains(out.String(), c.shows) {
			t.Errorf("%s: %q is not to be seen", name, c.shows)
		}
	}
}
