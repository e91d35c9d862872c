package web

import (
	"strconv"
	"time"

	"github.com/saysohq/sayso/app/stats"
	"github.com/saysohq/sayso/app/surface/words"
)

// chart is a table of bars. The bars are drawn by the server, and say nothing that
// the table does not.
type chart struct {
	ID, Title, Head string
	Columns         []string
	Rows            []chartRow
	Claimed         bool // the names are what askers say
}

type chartRow struct {
	Name  string
	Width string // of the bar, of 100
	Value string
	Cells []string
}

// mostBars are shown of a chart. Reports list more.
const mostBars = 12

// mostWeeks are shown of the weeks: those of a year.
const mostWeeks = 53

func charts(w *words.Catalogue, zone *time.Location, r *stats.Report) []chart {
	st := &w.Stats
	columns := []string{st.Asked, st.Answered, st.Declined, st.Expired, st.Median, st.P90}
	var all []chart
	for _, c := range []struct {
		id, title, head, unnamed string
		claimed                  bool
		groups                   []stats.Group
	}{
		{"agents", st.ByAgent, st.AgentHead, st.Unnamed, true, r.Agents},
		{"askers", st.ByAsker, st.AskerHead, w.Unverified, false, r.Askers},
		{"kinds", st.ByKind, st.KindHead, st.Unnamed, false, r.Kinds},
		{"people", st.ByPerson, st.PersonHead, st.You, false, r.People},
	} {
		ch := chart{ID: c.id, Title: c.title, Head: c.head, Columns: columns, Claimed: c.claimed}
		var most stats.Seconds
		for _, g := range c.groups {
			most = max(most, g.Blocked)
		}
		for _, g := range c.groups[:min(len(c.groups), mostBars)] {
			name := g.Name
			switch {
			case name == "":
				name = c.unnamed
			case c.id == "kinds":
				name = w.KindName(name)
			}
			ch.Rows = append(ch.Rows, chartRow{name, width(g.Blocked, most), hours(w, g.Blocked), []string{
				w.Number(g.Asked), w.Number(g.Answered), w.Number(g.Declined), w.Number(g.Expired), tookWords(w, g.N, g.P50), tookWords(w, g.N, g.P90),
			}})
		}
		if len(ch.Rows) > 0 {
			all = append(all, ch)
		}
	}
	return append(all, weekChart(w, zone, r))
}

func weekChart(w *words.Catalogue, zone *time.Location, r *stats.Report) chart {
	st := &w.Stats
	ch := chart{ID: "weeks", Title: st.ByWeek, Head: st.WeekHead, Columns: []string{st.Asked, st.Answered, st.Declined, st.Expired}}
	weeks := r.Weeks[max(0, len(r.Weeks)-mostWeeks):]
	var most stats.Seconds
	for _, week := range weeks {
		most = max(most, week.Blocked)
	}
	for _, week := range weeks {
		ch.Rows = append(ch.Rows, chartRow{w.Say(st.WeekOf, w.Date(week.Start, zone)), width(week.Blocked, most), hours(w, week.Blocked), []string{
			w.Number(week.Asked), w.Number(week.Answered), w.Number(week.Declined), w.Number(week.Expired),
		}})
	}
	return ch
}

// width is that of a bar: what is more than nothing can be seen.
func width(n, most stats.Seconds) string {
	if n <= 0 || most <= 0 {
		return "0"
	}
	return strconv.FormatFloat(max(1, 100*float64(n)/float64(most)), 'f', 1, 64)
}

// hours is a time in hours, so that times are compared at a glance; a short one is in
// minutes.
func hours(w *words.Catalogue, s stats.Seconds) string {
	switch h := s.Duration().Hours(); {
	case h < 1:
		return w.Duration(s.Duration())
	case h < 100:
		return w.Say(w.Stats.Hours, w.Decimal(h, 1))
	default:
		return w.Say(w.Stats.Hours, w.Decimal(h, 0))
	}
}

func decimal(n int) string { return strconv.Itoa(n) }
