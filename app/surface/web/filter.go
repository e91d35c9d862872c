package web

import (
	"fmt"
	"slices"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// filter is one choice that narrows the list.
type filter struct {
	Name, Label string
	Options     []option
	Set         bool
}

// option is one of the values that a field can have.
type option struct {
	Value, Label string
	On           bool
}

// filterNames are the parameters of the filters whose values come from the asks.
var filterNames = []string{"agent", "asker", "workspace", "branch", "conversation", "person", "kind"}

// narrowing is a filter and the field of the search that it sets.
type narrowing struct {
	name string
	to   *string
}

func narrows(f *hub.Search) []narrowing {
	return []narrowing{
		{"agent", &f.Agent}, {"asker", &f.Asker}, {"workspace", &f.Workspace}, {"branch", &f.Branch},
		{"conversation", &f.Conversation}, {"person", &f.Person}, {"kind", (*string)(&f.Kind)},
	}
}

// ages are the values of the filter by age that look back so far.
var ages = map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour}

const olderThanDay = "older"

// filters makes the choices that narrow the list: the values that asks of the view
// have, and how many have each.
func (l *list) filters(rd *reader, f *hub.Search, facets map[string][]hub.Facet) {
	labels := map[string]string{
		"agent": rd.Inbox.Agent, "asker": rd.Inbox.Asker, "workspace": rd.Inbox.Workspace, "branch": rd.Inbox.Branch,
		"conversation": rd.Inbox.Conversation, "person": rd.Inbox.Person, "kind": rd.Inbox.Kind,
	}
	for _, c := range narrows(f) {
		v := filter{Name: c.name, Label: labels[c.name], Set: *c.to != ""}
		has := false
		for _, fa := range facets[c.name] {
			if fa.Value == "" {
				continue
			}
			has = has || fa.Value == *c.to
			v.Options = append(v.Options, option{fa.Value, fmt.Sprintf("%s (%s)", rd.kindWord(c.name, fa.Value), rd.Number(fa.Count)), fa.Value == *c.to})
		}
		if v.Set && !has { // nothing in this view has it
			v.Options = append(v.Options, option{*c.to, rd.kindWord(c.name, *c.to), true})
		}
		if len(v.Options) > 1 || v.Set {
			l.Filters = append(l.Filters, v)
		}
	}
	age := filter{Name: "age", Label: rd.Inbox.Age, Set: l.keep.Get("age") != ""}
	for _, o := range []option{{"hour", rd.Web.LastHour, false}, {"day", rd.Web.LastDay, false}, {"week", rd.Web.LastWeek, false}, {olderThanDay, rd.Web.OlderThanDay, false}} {
		o.On = o.Value == l.keep.Get("age")
		age.Options = append(age.Options, o)
	}
	l.Filters = append(l.Filters, age)
}

// OnlyBlocking reports whether the list has only asks behind which something waits.
func (l *list) OnlyBlocking() bool { return l.keep.Get("blocking") != "" }

// Filtered reports whether a filter is set, besides words.
func (l *list) Filtered() bool {
	return l.OnlyBlocking() || slices.ContainsFunc(l.Filters, func(f filter) bool { return f.Set })
}

// kindWord is a value of a filter as people say it.
func (rd *reader) kindWord(name, value string) string {
	if name != "kind" {
		return sayso.SafeLine(value)
	}
	if value == string(sayso.AskApproval) {
		return rd.Inbox.Approvals
	}
	return rd.Inbox.Questions
}
