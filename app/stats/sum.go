package stats

import (
	"cmp"
	"slices"
	"time"

	"github.com/saysohq/sayso"
)

// mostGroups is how many groups of a kind, repeated questions and so on a report
// lists: askers choose names, and could choose many.
const mostGroups = 50

// sums are the groups of one dimension while they are added up.
type sums struct {
	of   map[int32]*Group
	took map[int32][]time.Duration
}

func (s *sums) at(name int32) *Group {
	g := s.of[name]
	if g == nil {
		g = &Group{}
		s.of[name] = g
	}
	return g
}

func (c *collector) report() *Report {
	r := &Report{Since: c.o.Since, Until: c.o.Now, Damaged: c.damaged, Cut: c.cut}
	var all [dimensions]sums
	for d := range all {
		all[d] = sums{map[int32]*Group{}, map[int32][]time.Duration{}}
	}
	weeks := c.weeks()
	var took []time.Duration
	for i := range c.entries {
		e := &c.entries[i]
		asked := !e.asked.Before(c.o.Since)
		closed := !e.closed.IsZero() && !e.closed.After(c.o.Now)
		if !closed {
			r.Open++
		}
		if asked {
			r.Asked++
			weeks.at(e.asked).Asked++
		}
		if closed {
			r.end(e.status)
			weeks.at(e.closed).end(e.status)
		}
		timed := closed && e.human && e.status == sayso.StatusAnswered
		d := max(0, e.closed.Sub(e.asked))
		if timed {
			took = append(took, d)
		}
		for dim, name := range e.group {
			if name < 0 {
				continue
			}
			g := all[dim].at(name)
			if asked {
				g.Asked++
			}
			if closed {
				g.end(e.status)
			}
			if timed {
				all[dim].took[name] = append(all[dim].took[name], d)
			}
		}
	}
	r.Times = timesOf(took)
	c.block(r, &all, weeks)
	for dim, list := range []*[]Group{&r.Agents, &r.Askers, &r.Kinds, &r.People} {
		*list = all[dim].groups(c.names.all)
	}
	r.Weeks = weeks.all
	c.repeats(r)
	c.findings(r)
	return r
}

// block adds up for how long asks waited. What waits in one conversation at the same
// time blocks one agent, and counts once: in all, in a group, and in a week.
func (c *collector) block(r *Report, all *[dimensions]sums, weeks *weekSums) {
	c.byConversation()
	type place struct{ dim, name int32 }
	until := map[place]time.Time{}
	var total time.Duration
	spans := map[place]time.Duration{}
	for i := range c.entries {
		e := &c.entries[i]
		if i == 0 || e.talk < 0 || e.talk != c.entries[i-1].talk {
			clear(until)
		}
		from, to := e.asked, e.closed
		if to.IsZero() || to.After(c.o.Now) {
			to = c.o.Now
		}
		if from.Before(c.o.Since) {
			from = c.o.Since
		}
		rest := func(p place) time.Time { // where what was not counted yet begins
			begin := from
			if u := until[p]; u.After(begin) {
				begin = u
			}
			if to.After(until[p]) {
				until[p] = to
			}
			return begin
		}
		if begin := rest(place{dim: -1}); to.After(begin) {
			total += to.Sub(begin)
			weeks.block(begin, to)
		}
		for dim, name := range e.group {
			if name < 0 {
				continue
			}
			p := place{int32(dim), name}
			if begin := rest(p); to.After(begin) {
				spans[p] += to.Sub(begin)
			}
		}
	}
	r.Blocked = seconds(total)
	for p, d := range spans {
		all[p.dim].at(p.name).Blocked = seconds(d)
	}
}

// groups lists what was added up, what blocked longest first.
func (s *sums) groups(names []string) []Group {
	var list []Group
	for name, g := range s.of {
		g.Name, g.Times = names[name], timesOf(s.took[name])
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Blocked, a.Blocked), cmp.Compare(b.Asked, a.Asked), cmp.Compare(a.Name, b.Name))
	})
	return list[:min(len(list), mostGroups)]
}

func (r *Report) end(s sayso.Status) {
	switch s {
	case sayso.StatusAnswered:
		r.Answered++
	case sayso.StatusDeclined:
		r.Declined++
	case sayso.StatusExpired:
		r.Expired++
	case sayso.StatusCancelled, sayso.StatusSuperseded:
		r.Withdrawn++
	default:
		r.Other++
	}
}

func (g *Group) end(s sayso.Status) { count(s, &g.Answered, &g.Declined, &g.Expired) }

func (w *Week) end(s sayso.Status) { count(s, &w.Answered, &w.Declined, &w.Expired) }

func count(s sayso.Status, answered, declined, expired *int) {
	switch s {
	case sayso.StatusAnswered:
		*answered++
	case sayso.StatusDeclined:
		*declined++
	case sayso.StatusExpired:
		*expired++
	}
}

// timesOf returns the percentiles: the least time that so many answers did not exceed.
func timesOf(took []time.Duration) Times {
	n := len(took)
	if n == 0 {
		return Times{}
	}
	slices.Sort(took)
	at := func(percent int) Seconds { return seconds(took[(n*percent+99)/100-1]) }
	return Times{N: n, P50: at(50), P90: at(90)}
}

func seconds(d time.Duration) Seconds { return Seconds(d.Round(time.Second) / time.Second) }
