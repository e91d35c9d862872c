package web

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// stats is the page of numbers: people would rather look than read.
type stats struct {
	Waiting, Answered int
	Median            string
	Times             chart // how long answers took
	Agents            chart
	Weeks             chart
	Cut               bool // only the newest were counted
}

// chart is a row of bars, drawn by the server.
type chart struct {
	Title string
	Bars  []bar
}

type bar struct {
	Label string
	N     int
	Y     int // of the bar's row
	Width int // of 240
}

// Height is that of the drawing.
func (c chart) Height() int { return len(c.Bars)*28 + 4 }

const statsMost = 5000

var steps = []struct {
	upTo  time.Duration
	label string
}{
	{time.Minute, "under 1 min"}, {10 * time.Minute, "1–10 min"}, {time.Hour, "10–60 min"},
	{8 * time.Hour, "1–8 h"}, {24 * time.Hour, "8–24 h"}, {1 << 62, "over a day"},
}

func (s *Site) stats(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	v := &stats{}
	var took []time.Duration
	agents, weeks := map[string]int{}, map[string]int{}
	filter := &hub.Filter{Status: hub.AnyStatus, Limit: 1000}
	for n := 0; ; {
		tickets, err := s.inboxOf(who).List(r.Context(), filter)
		if err != nil {
			s.broken(w, r, err)
			return
		}
		for _, t := range tickets.Tickets {
			n++
			switch {
			case t.Open():
				v.Waiting++
			case t.Outcome.Status == sayso.StatusAnswered:
				v.Answered++
				took = append(took, max(0, t.Outcome.At.Sub(t.Ask.AskedAt)))
				agents[agentOf(t.Ask)]++
				year, week := t.Outcome.At.ISOWeek()
				weeks[fmt.Sprintf("%d week %02d", year, week)]++
			}
		}
		filter.Cursor = tickets.Next
		if v.Cut = filter.Cursor != "" && n >= statsMost; v.Cut || filter.Cursor == "" {
			break
		}
	}
	v.Median = "—"
	if slices.Sort(took); len(took) > 0 {
		v.Median = roughly(took[len(took)/2])
	}
	v.Times = histogram(took)
	v.Agents = bars("By agent", agents, func(a, b bar) int { return cmp.Or(b.N-a.N, cmp.Compare(a.Label, b.Label)) })
	v.Weeks = bars("By week", weeks, func(a, b bar) int { return cmp.Compare(a.Label, b.Label) })
	l, err := s.list(r.Context(), who, r.URL.Query(), "")
	if err != nil {
		s.broken(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, "page", page{Title: "Statistics", Who: who, List: l, Stats: v})
}

func agentOf(a *sayso.Ask) string {
	if len(a.Origin.Agents) > 0 {
		return a.Origin.Agents[0]
	}
	return cmp.Or(a.Origin.Host, "an agent")
}

func histogram(took []time.Duration) chart {
	c := chart{Title: "Time to answer"}
	for _, st := range steps {
		c.Bars = append(c.Bars, bar{Label: st.label})
	}
	for _, d := range took {
		for i, st := range steps {
			if d < st.upTo {
				c.Bars[i].N++
				break
			}
		}
	}
	return c.laidOut()
}

func bars(title string, counts map[string]int, order func(a, b bar) int) chart {
	c := chart{Title: title}
	for label, n := range counts {
		c.Bars = append(c.Bars, bar{Label: label, N: n})
	}
	slices.SortFunc(c.Bars, order)
	if len(c.Bars) > 12 {
		c.Bars = c.Bars[:12]
	}
	return c.laidOut()
}

func (c chart) laidOut() chart {
	most := 1
	for _, b := range c.Bars {
		most = max(most, b.N)
	}
	for i := range c.Bars {
		c.Bars[i].Y = i * 28
		c.Bars[i].Width = max(2, c.Bars[i].N*240/most)
	}
	return c
}

func roughly(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
