package tui

// hintLines are the keys of the list.
func (b *Inbox) hintLines(edge int) []string {
	w := b.o.Words
	if b.dialog != nil || b.past != nil || b.menu != nil || b.batch != nil || b.help != nil {
		return nil // the keys are those of the other pane
	}
	i := b.current()
	var hints []hint
	add := func(on bool, key, does string) {
		if on {
			hints = append(hints, hint{key, does})
		}
	}
	switch {
	case b.query.field != nil:
		hints = []hint{{w.KeyEnter, w.DoesToList}, {w.KeyEsc, w.DoesShowAll}}
	case b.picks.on:
		hints = []hint{{w.KeySpace, w.DoesTick}, {w.KeyEnter, w.say(w.DoesDecide, len(b.picks.all))}, {w.KeyEsc, w.DoesBack}}
	default:
		add(i != nil, "↑↓", w.DoesMove)
		add(i != nil, w.KeyEnter, w.DoesOpen)
		add(b.last() != nil, "u", w.DoesUndo)
		add(b.can.search, "/", w.Keys.Search)
		add(b.can.search, "v", w.DoesViews)
		does := w.DoesLater
		if i != nil && b.snoozed(*i) {
			does = w.DoesShowNow
		}
		add(i != nil && i.Open() && b.can.snooze, "e", does)
		add(i != nil && i.Open(), "x", w.DoesDecline)
		add(i != nil && b.amendable(i.Ticket), "a", w.DoesAmend)
		add(i != nil && b.repeatable(i.Ticket), "o", w.DoesAgain)
		add(i != nil && i.Open() && len(b.people) > 0, "d", w.Keys.Pass)
		add(b.can.search, "f", w.DoesFilter)
		add(true, "?", w.DoesKeys)
		add(!b.query.plain(), w.KeyEsc, w.DoesBack)
		add(true, "q", w.DoesQuit)
	}
	return append([]string{""}, b.hintsIn(hints, edge, 2)...)
}

// hintsIn draws keys in at most so many lines, the first ones before others.
func (b *Inbox) hintsIn(hints []hint, edge, most int) []string {
	l := b.look
	for {
		var items []string
		for _, h := range hints {
			items = append(items, l.bold.Render(h.key)+" "+l.dim.Render(h.does))
		}
		lines := flow(items, l.dim.Render(" · "), edge-3)
		if len(lines) <= most || len(hints) == 1 {
			return prefix(blank, lines)
		}
		n := max(len(hints)-2, 1) // the last two stay
		hints = append(append([]hint{}, hints[:n-1]...), hints[n:]...)
	}
}
