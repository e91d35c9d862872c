package claudecall

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/saysohq/sayso"
)

// offer is a decision, and the permissions that it adds to those of Claude Code.
type offer struct {
	sayso.Offer
	adds json.RawMessage
}

// suggestion is a permission that Claude Code suggests to add.
type suggestion struct {
	Type        string   `json:"type"`
	Rules       []rule   `json:"rules,omitempty"`
	Behavior    string   `json:"behavior,omitempty"`
	Mode        string   `json:"mode,omitempty"`
	Directories []string `json:"directories,omitempty"`
	Destination string   `json:"destination"`
}

type rule struct {
	Tool    string  `json:"toolName"`
	Content *string `json:"ruleContent,omitempty"`
}

// String spells the rule as it stands in a settings file.
func (r rule) String() string {
	if r.Content == nil {
		return r.Tool
	}
	return r.Tool + "(" + *r.Content + ")"
}

// destination is where Claude Code keeps rules.
type destination struct{ id, name, where string }

// destinations are those that a rule can be added to, the shortest-lived first.
var destinations = []destination{
	{"session", "session", ""},
	{"local", "localSettings", ".claude/settings.local.json"},
	{"project", "projectSettings", ".claude/settings.json"},
	{"user", "userSettings", "~/.claude/settings.json"},
}

const (
	maxAdds = 16   // offers that add something, so that all of them are 20 at most
	maxRule = 1000 // characters of what is added: a person has to read it
)

// offers are the decisions that Claude Code can carry out, always in the same order.
func (c *Call) offers() []offer {
	deny := offer{Offer: sayso.Offer{ID: "deny", Act: sayso.ActDeny, Message: true}}
	stop := offer{Offer: sayso.Offer{ID: "stop", Act: sayso.ActDeny, Stops: true, Message: true}}
	if c.Tool == toolPlan {
		return append(c.planOffers(), revise(deny), stop)
	}
	list := []offer{{Offer: sayso.Offer{ID: "allow", Act: sayso.ActAllow, Edit: true}}}
	if !c.NoRules {
		list = append(list, c.additions()...)
	}
	return append(list, deny, stop)
}

// planOffers approve a plan. What is not there cannot be approved.
func (c *Call) planOffers() []offer {
	if sayso.Blank(c.member("plan")) {
		return nil
	}
	if c.NoRules {
		return []offer{{Offer: sayso.Offer{ID: "allow", Act: sayso.ActAllow, Label: "Approve the plan"}}}
	}
	var list []offer
	for _, m := range []struct{ mode, label string }{
		{"default", "Approve, and ask before each edit"},
		{"acceptEdits", "Approve, and accept edits"},
	} {
		list = append(list, offer{
			sayso.Offer{ID: "mode_" + m.mode, Act: sayso.ActAllow, Label: m.label, Mode: m.mode},
			spell(suggestion{Type: "setMode", Mode: m.mode, Destination: "session"}),
		})
	}
	return list
}

func revise(deny offer) offer {
	deny.Label = "Revise the plan"
	return deny
}

// additions are the offers that allow the call and add something for the next ones.
func (c *Call) additions() []offer {
	var list []offer
	for i, raw := range c.Suggestions {
		var s suggestion
		if json.Unmarshal(raw, &s) != nil {
			continue
		}
		id := strconv.Itoa(i + 1)
		switch {
		case s.Type == "addRules" && s.Behavior == "allow" && len(s.Rules) > 0:
			list = append(list, s.rules("rule"+id)...)
		case s.Type == "setMode" && s.Mode != "" && readable(s.Mode):
			list = append(list, offer{sayso.Offer{ID: "mode" + id, Act: sayso.ActAllow, Scope: sayso.ScopeSession, Mode: s.Mode}, spell(s)})
		case s.Type == "addDirectories" && len(s.Directories) > 0 && s.Destination == "session" && readable(strings.Join(s.Directories, ", ")):
			list = append(list, offer{sayso.Offer{
				ID: "dirs" + id, Act: sayso.ActAllow, Scope: sayso.ScopeSession, Label: "Allow, and add the directory for this session",
				Rule: strings.Join(s.Directories, ", "), Where: "the directories of this session",
			}, spell(s)})
		}
	}
	return list[:min(len(list), maxAdds)]
}

// rules are the offers to add the same rules to each of the places.
func (s suggestion) rules(id string) []offer {
	var texts []string
	for _, r := range s.Rules {
		if r.Tool == "" {
			return nil
		}
		texts = append(texts, r.String())
	}
	text := strings.Join(texts, ", ")
	if !readable(text) {
		return nil
	}
	var list []offer
	for _, d := range destinations {
		s.Destination = d.name
		o := sayso.Offer{ID: id + "_" + d.id, Act: sayso.ActAllow, Scope: sayso.ScopeAlways, Rule: text, Where: d.where}
		if d.where == "" {
			o.Scope = sayso.ScopeSession
		}
		list = append(list, offer{o, spell(s)})
	}
	return list
}

// readable reports whether a person can see what is added: it is not long, and shown
// as it is.
func readable(s string) bool {
	return utf8.RuneCountInString(s) <= maxRule && sayso.SafeLine(s) == s && !strings.Contains(s, "  ")
}
