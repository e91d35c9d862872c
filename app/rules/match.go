package rules

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// allowable are what a rule may allow. A plan and a grant are about what comes next,
// which nobody has seen.
var allowable = []sayso.ApprovalKind{sayso.ApproveShell, sayso.ApproveEdit, sayso.ApproveFetch, sayso.ApproveMCP, sayso.ApproveTool}

// call is an approval that rules are asked about.
type call struct {
	ask   *sayso.Ask
	now   time.Time
	exact *hub.RuleExact

	texts func() (map[string]string, error) // what is stored beside it, by hash
	text  *string                           // all of it, once it was needed
}

func newCall(a *sayso.Ask, now time.Time, texts func() (map[string]string, error)) *call {
	return &call{ask: a, now: now, exact: exactly(a), texts: texts}
}

// callOf is newCall for a ticket, stored or about to be.
func callOf(ctx context.Context, t *hub.Ticket, now time.Time, contents hub.Contents) *call {
	return newCall(t.Ask, now, func() (map[string]string, error) { return hub.Texts(ctx, contents, t) })
}

// exactly returns what has to be the same for a call to be the same one.
//
// The agent's stated reason is left out, as far as it is no part of the input: it
// changes nothing about what runs. So are the other choices that the agent offers. Why
// the agent has to ask is not left out: the same command outside of the sandbox is
// another thing. Nor are the files: the same edit of a changed file is another one.
func exactly(a *sayso.Ask) *hub.RuleExact {
	p, o := a.Approval, a.Origin
	x := &hub.RuleExact{
		Asker: o.Asker, Via: o.Via, Host: o.Host, Agents: o.Agents, Workspace: o.Workspace, Cwd: p.Cwd,
		Kind: p.Kind, Tool: p.Tool, Input: p.Input.SHA256, Why: p.Why, Mode: p.Mode, Missing: p.Missing,
		Summary: clip(p.Summary(), maxPath),
	}
	var shown, files []string
	for i := range p.Shown {
		shown = append(shown, p.Shown[i].Name, string(p.Shown[i].Format), p.Shown[i].SHA256)
	}
	for _, f := range p.Files {
		files = append(files, f.Path, string(f.Op), f.Before, f.After)
	}
	x.Shown = digest(shown)
	if len(files) > 0 {
		x.Files = digest(files)
	}
	return x
}

func digest(parts []string) string {
	h := sha256.New()
	for _, s := range parts {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// misses returns why the rule does not match the call, the most telling reason first;
// nothing means that it does. This is the only matcher: decisions, rehearsals and
// explanations all use it.
func misses(r *hub.Rule, c *call) ([]string, error) {
	var why []string
	no := func(same bool, format string, args ...any) {
		if !same {
			why = append(why, fmt.Sprintf(format, args...))
		}
	}
	no(r.Revoked.IsZero(), "it was revoked")
	no(r.Until.IsZero() || c.now.Before(r.Until), "it has expired")
	no(r.Session == "" || r.Session == c.ask.Origin.Conversation, "it is another session")
	if r.Act == hub.RuleRequire {
		return c.selected(r.Pattern, why)
	}
	no(answerable(r, c.ask), "who made the rule cannot answer this approval")
	if r.Act == hub.RuleDeny {
		return c.selected(r.Pattern, why)
	}
	no(r.Count == 0 || r.Used < r.Count, "it was used %d times, which is all", r.Count)
	no(c.ask.MinAssurance == 0, "the approval asks for assurance, which only a person gives")
	no(c.ask.Approval.AllowOnce() != nil, "the agent offers no allow for this one time")
	x, is := r.Exact, c.exact
	no(x.Kind == is.Kind && slices.Contains(allowable, is.Kind), "it is another kind of approval")
	no(x.Tool == is.Tool, "it is another tool")
	no(x.Input == is.Input, "the input of the tool is another one")
	no(x.Cwd == is.Cwd, "the directory is another one")
	no(x.Workspace == is.Workspace, "the workspace is another one")
	no(x.Host == is.Host, "it is another agent program")
	no(slices.Equal(x.Agents, is.Agents), "it is another agent, or a sub-agent")
	no(x.Asker == is.Asker, "it came with another credential")
	no(x.Via == is.Via, "it came another way")
	no(x.Files == is.Files, "a file has changed, or it is about other files")
	no(x.Shown == is.Shown, "something else is shown")
	no(slices.Equal(x.Why, is.Why), "the agent has to ask for another reason")
	no(x.Mode == is.Mode, "the agent's permission mode is another one")
	no(slices.Equal(x.Missing, is.Missing), "the agent leaves out something else")
	return why, nil
}

// answerable reports whether who made the rule could answer the approval. The only
// person there is answers nothing that is to somebody by name.
func answerable(r *hub.Rule, a *sayso.Ask) bool {
	return len(a.To) == 0 || r.By != "" && slices.Contains(a.To, r.By)
}

// selected adds to the reasons why a pattern does not match.
func (c *call) selected(p *hub.RulePattern, why []string) ([]string, error) {
	a := c.ask
	for _, f := range []struct{ glob, is, name string }{
		{p.Tool, a.Approval.Tool, "tool"}, {p.Host, a.Origin.Host, "agent program"},
		{p.Workspace, a.Origin.Workspace, "workspace"}, {p.Cwd, a.Approval.Cwd, "directory"},
	} {
		if f.glob != "" && !glob(f.glob, f.is) {
			why = append(why, fmt.Sprintf("the %s is %q, not %q", f.name, clip(f.is, 80), f.glob))
		}
	}
	if p.Kind != "" && p.Kind != a.Approval.Kind {
		why = append(why, fmt.Sprintf("the kind is %q, not %q", a.Approval.Kind, p.Kind))
	}
	if p.Agent != "" && !slices.ContainsFunc(a.Origin.Agents, func(name string) bool { return glob(p.Agent, name) }) {
		why = append(why, fmt.Sprintf("no agent is %q", p.Agent))
	}
	if p.Contains == "" && p.Regexp == "" || len(why) > 0 {
		return why, nil
	}
	text, err := c.words()
	if err != nil {
		return nil, err
	}
	if p.Contains != "" && !strings.Contains(text, p.Contains) {
		why = append(why, fmt.Sprintf("it does not contain %q", p.Contains))
	}
	if p.Regexp != "" {
		re, err := regexp.Compile(p.Regexp)
		if err != nil {
			return nil, fmt.Errorf("rules: %w", err)
		}
		if !re.MatchString(text) {
			why = append(why, fmt.Sprintf("it does not match %q", p.Regexp))
		}
	}
	return why, nil
}

// words returns what runs, as people are shown it, and the paths of files.
func (c *call) words() (string, error) {
	if c.text != nil {
		return *c.text, nil
	}
	texts := map[string]string{}
	if _, stored := c.ask.Approval.Unseen(); stored > 0 {
		var err error
		if texts, err = c.texts(); err != nil {
			return "", err
		}
	}
	var b strings.Builder
	for i := range c.ask.Approval.Shown {
		p := &c.ask.Approval.Shown[i]
		text := p.Text
		if p.Stored {
			text = texts[p.SHA256]
		}
		if len(text) != p.Size {
			return "", fmt.Errorf("rules: %d bytes of what runs cannot be read: %w", p.Size, sayso.ErrContent)
		}
		b.WriteString(p.Name + "\n" + text + "\n")
	}
	for _, f := range c.ask.Approval.Files {
		b.WriteString(f.Path + "\n")
	}
	text := b.String()
	c.text = &text
	return text, nil
}

// glob reports whether * in the pattern, standing for anything, makes it the text.
func glob(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == s
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(s) < len(first)+len(last) || !strings.HasPrefix(s, first) || !strings.HasSuffix(s, last) {
		return false
	}
	s = s[len(first) : len(s)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		_, after, ok := strings.Cut(s, part)
		if !ok {
			return false
		}
		s = after
	}
	return true
}

// clip returns the beginning of a text, at most n bytes and no half characters.
func clip(s string, n int) string {
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n-len("…")], "") + "…"
	}
	return s
}
