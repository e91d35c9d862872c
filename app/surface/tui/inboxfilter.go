package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// viewName names a view.
func (b *Inbox) viewName(v hub.View) string {
	w := b.o.Words
	return map[hub.View]string{hub.ViewOpen: w.Inbox.Waiting, hub.ViewLater: w.Inbox.Later, hub.ViewClosed: w.Inbox.History, hub.ViewAll: w.Inbox.All}[v]
}

// viewMenu asks which asks to list.
func (b *Inbox) viewMenu() tea.Cmd {
	if !b.can.search {
		return nil
	}
	b.menu = &menu{title: b.o.Words.ViewTitle}
	for i, v := range hub.Views() {
		b.menu.items = append(b.menu.items, menuItem{label: b.viewName(v), do: func() tea.Cmd {
			s := b.query.Search
			s.View, s.Cursor = v, ""
			return b.lookFor(s)
		}})
		if v == b.query.view() {
			b.menu.cur = i
		}
	}
	return nil
}

// filters are those that are set, for the title.
func (b *Inbox) filters() []string {
	w, s := b.o.Words, b.query.Search
	var set []string
	for _, f := range b.textFilters() {
		if v := *f.of(&s); v != "" {
			set = append(set, f.name+": "+squeeze(sayso.SafeLine(v)))
		}
	}
	switch s.Kind {
	case sayso.AskQuestions:
		set = append(set, w.Inbox.Questions)
	case sayso.AskApproval:
		set = append(set, w.Inbox.Approvals)
	}
	if s.Blocking {
		set = append(set, w.Inbox.Blocking)
	}
	if !s.Before.IsZero() {
		set = append(set, w.say(w.BeforeTime, b.clock(s.Before)))
	}
	if !s.After.IsZero() {
		set = append(set, w.say(w.AfterTime, b.clock(s.After)))
	}
	return set
}

// textFilter is a filter whose values come from the asks.
type textFilter struct {
	name, facet string
	of          func(*hub.Search) *string
}

func (b *Inbox) textFilters() []textFilter {
	w := b.o.Words
	return []textFilter{
		{w.Inbox.Agent, "agent", func(s *hub.Search) *string { return &s.Agent }},
		{w.Inbox.Workspace, "workspace", func(s *hub.Search) *string { return &s.Workspace }},
		{w.Inbox.Branch, "branch", func(s *hub.Search) *string { return &s.Branch }},
		{w.Inbox.Conversation, "conversation", func(s *hub.Search) *string { return &s.Conversation }},
		{w.Inbox.Person, "person", func(s *hub.Search) *string { return &s.Person }},
	}
}

// facetsMsg is which values the filters can have.
type facetsMsg struct {
	inbox *Inbox
	found *hub.Found
	err   error
}

// filterMenu asks which values there are, and then which filter to set.
func (b *Inbox) filterMenu() tea.Cmd {
	if !b.can.search {
		return nil
	}
	s := hub.Search{View: b.query.view(), Text: b.query.Text, Facets: true, Limit: 1}
	return func() tea.Msg {
		found, err := b.calls.desk.search(&s)
		return facetsMsg{b, found, err}
	}
}

// filterWith opens the menu of filters.
func (b *Inbox) filterWith(msg facetsMsg) {
	w := b.o.Words
	if msg.err != nil {
		b.say(b.o.Words.trouble(msg.err))
		return
	}
	if b.dialog != nil || b.menu != nil {
		return // the person has gone on
	}
	m := &menu{title: w.Inbox.Filter}
	set := func(change func(*hub.Search)) func() tea.Cmd {
		return func() tea.Cmd {
			s := b.query.Search
			change(&s)
			s.Cursor = ""
			return b.lookFor(s)
		}
	}
	for _, f := range b.textFilters() {
		values := msg.found.Facets[f.facet]
		if len(values) == 0 && *f.of(&b.query.Search) == "" {
			continue
		}
		m.items = append(m.items, menuItem{f.name, squeeze(sayso.SafeLine(*f.of(&b.query.Search))), func() tea.Cmd {
			b.menu = b.valueMenu(f, values, set)
			return nil
		}})
	}
	ago := func(d time.Duration) time.Time { return b.o.Now().Add(-d) }
	m.items = append(m.items,
		menuItem{w.Inbox.Questions, "", set(func(s *hub.Search) { s.Kind = sayso.AskQuestions })},
		menuItem{w.Inbox.Approvals, "", set(func(s *hub.Search) { s.Kind = sayso.AskApproval })},
		menuItem{w.Inbox.Blocking, "", set(func(s *hub.Search) { s.Blocking = true })},
		menuItem{w.OlderDay, "", set(func(s *hub.Search) { s.Before, s.After = ago(24*time.Hour), time.Time{} })},
		menuItem{w.YoungerDay, "", set(func(s *hub.Search) { s.After, s.Before = ago(24*time.Hour), time.Time{} })})
	if b.query.filtered() {
		clear := menuItem{w.Inbox.ClearFilters, "", set(func(s *hub.Search) { *s = hub.Search{View: s.View, Text: s.Text} })}
		m.items = slices.Insert(m.items, 0, clear)
	}
	b.menu = m
}

// valueMenu asks for the value of a filter.
func (b *Inbox) valueMenu(f textFilter, values []hub.Facet, set func(func(*hub.Search)) func() tea.Cmd) *menu {
	m := &menu{title: f.name}
	if *f.of(&b.query.Search) != "" {
		m.items = append(m.items, menuItem{b.o.Words.Inbox.Any, "", set(func(s *hub.Search) { *f.of(s) = "" })})
	}
	for _, v := range values {
		label := squeeze(sayso.SafeLine(v.Value))
		m.items = append(m.items, menuItem{label, b.o.Words.number(v.Count), set(func(s *hub.Search) { *f.of(s) = v.Value })})
	}
	return m
}
