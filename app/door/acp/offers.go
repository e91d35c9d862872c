package acp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
)

// maxName is how long the name of an option may be that is offered in the hub, in
// bytes. In a longer one the end of a rule could be overlooked.
const maxName = 1000

// offers are the agent's options as decisions of the hub: those that allow it this
// one time, then those that hold for longer, then those that deny it. It notes in
// each option which offer it is.
func (r *asking) offers(d *described) []sayso.Offer {
	var list []sayso.Offer
	for i := range r.Options {
		c := &r.Options[i]
		c.offer = ""
		switch {
		case c.ID == "" || !c.allows() && !c.denies():
			continue // only the editor may know what it means
		case c.allows() && (!d.known || len(c.Name) > maxName):
			continue
		}
		o := sayso.Offer{ID: offerID(c.ID, i), Label: c.Name, Act: sayso.ActDeny}
		if c.allows() {
			o.Act, o.Scope = sayso.ActAllow, sayso.ScopeOnce
		}
		if len(o.Label) > maxName || sayso.Blank(o.Label) {
			o.Label = "" // ours
		}
		d.holds(&o, c)
		for slices.ContainsFunc(list, func(e sayso.Offer) bool { return e.ID == o.ID }) {
			o.ID += "_"
		}
		if slices.ContainsFunc(list, func(e sayso.Offer) bool { return sayso.SafeLine(e.Label) == sayso.SafeLine(o.Label) }) {
			o.Label = fmt.Sprintf("%s (%d)", o.Label, i+1)
		}
		c.offer = o.ID
		list = append(list, o)
	}
	if !slices.ContainsFunc(list, func(o sayso.Offer) bool { return o.Act == sayso.ActDeny }) {
		list = append(list, sayso.Offer{ID: "sayso_deny", Act: sayso.ActDeny, Stops: true}) // see denial
	}
	slices.SortStableFunc(list, func(a, b sayso.Offer) int { return cmp.Compare(rank(&a), rank(&b)) })
	return list
}

func rank(o *sayso.Offer) int {
	switch {
	case o.Act == sayso.ActDeny && o.Scope == "":
		return 3
	case o.Act == sayso.ActDeny:
		return 4
	case o.Scope == sayso.ScopeOnce:
		return 0
	case o.Scope == sayso.ScopeSession:
		return 1
	}
	return 2
}

// offerID is the id of an option, if it can be one of ours.
func offerID(id string, i int) string {
	if len(id) > 100 || sayso.SafeLine(id) != id || sayso.Blank(id) || id == sayso.OfferUnseen {
		return fmt.Sprintf("option_%d", i+1)
	}
	return id
}

// holds notes for how long an option holds, what it would store, and whether the turn
// ends with it, as far as that is known.
func (d *described) holds(o *sayso.Offer, c *option) {
	plan := d.Kind == "switch_mode"
	switch {
	case c.denies():
		o.Stops = d.agent == codex || d.agent == qwen || d.agent == claude && plan
		if c.Kind == "reject_always" {
			o.Scope = sayso.ScopeAlways
		}
		return
	case plan:
		o.Mode = planModes[d.agent+" "+c.ID]
		return
	case c.Kind != "allow_always":
		return
	}
	o.Scope = sayso.ScopeAlways
	if strings.Contains(strings.ToLower(c.Name), "session") || sessionOnly[d.agent+" "+c.ID] {
		o.Scope = sayso.ScopeSession
		return
	}
	p, known := stores[d.agent+" "+c.ID]
	_, rule, found := strings.Cut(c.Name, p.before)
	switch rule = strings.TrimSuffix(rule, p.behind); {
	case known && (p.before == "" || d.agent == claude && d.kind() == sayso.ApproveMCP):
		o.Rule, o.Where = d.tool(), p.where
	case known && found && rule != "":
		o.Rule, o.Where = rule, p.where
	}
}

// sessionOnly are options that hold for the session and do not say so.
var sessionOnly = map[string]bool{
	"codex allow_for_session": true, // "these files"
	"qwen proceed_always":     true, // "Allow All Edits"
}

// stores says where agents store what an option allows for ever, and between which
// words of its name the rule is; the tool is the rule if there are none.
var stores = map[string]struct{ before, behind, where string }{
	"claude allow-with-updates":         {"don't ask again for ", " commands", ".claude/settings.local.json (this project)"},
	"codex accept_execpolicy_amendment": {"commands that start with `", "`", "rules/default.rules of Codex (all projects)"},
	"codex allow_always":                {"", "", "config.toml of Codex (all projects)"},
	"qwen proceed_always_project":       {"Always Allow in project: ", "", ".qwen/settings.json (this project)"},
	"qwen proceed_always_user":          {"Always Allow for user: ", "", "~/.qwen/settings.json (all projects)"},
}

// planModes are the permission modes that follow a plan.
var planModes = map[string]string{
	"claude exit-plan-default":    "default",
	"claude exit-plan-auto":       "auto",
	"claude exit-plan-clear-auto": "auto",
	"qwen proceed_always":         "auto-edit",
	"qwen proceed_once":           "default",
}
