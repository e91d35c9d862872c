package web

import (
	"net/http"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/stats"
	"github.com/saysohq/sayso/app/surface/words"
)

// statistics is the page of what questions cost. All of it is in the words of its
// reader.
type statistics struct {
	Words    *words.Stats
	Periods  []period
	Since    string
	Numbers  []number
	Charts   []chart
	Repeated []repeated
	Rules    []ruleFound
	Notes    []string // what was left out
	Empty    bool
}

// period is a link to the report of another time.
type period struct {
	Link, Words string
	On          bool
}

type number struct{ Name, Value string }

// repeated is a question that was asked more than once.
type repeated struct{ Link, Text, Times, Last string }

// ruleFound is what a rule found.
type ruleFound struct {
	words.RuleWords
	Found    string
	Examples []example
}

type example struct{ Link, Text, Verified, Claim, When string }

// periods are what the page offers, in days.
var periods = []int{7, 30, 90, 365}

// usualDays is the period of a report that nobody has chosen another for.
const usualDays = 30

func (s *Site) stats(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	rd := s.reader(r.Context())
	words, zone := rd.Catalogue, rd.zone
	days := usualDays
	for _, d := range periods {
		if r.URL.Query().Get("days") == decimal(d) {
			days = d
		}
	}
	now := s.opts.Now()
	rep, err := stats.Make(r.Context(), s.inboxOf(who), &stats.Options{
		Now: now, Since: now.AddDate(0, 0, -days), Zone: zone, Handle: s.hub.Handle,
	})
	if err != nil {
		s.broken(w, r, err)
		return
	}
	l, err := s.list(r.Context(), who, r.URL.Query(), "")
	if err != nil {
		s.broken(w, r, err)
		return
	}
	v := showStats(words, zone, rep, days)
	s.render(w, r, http.StatusOK, "page", page{Title: v.Words.Title, Who: who, List: l, Stats: v})
}

// showStats words a report.
func showStats(w *words.Catalogue, zone *time.Location, r *stats.Report, days int) *statistics {
	st := &w.Stats
	v := &statistics{Words: st, Since: w.Say(st.Period, w.Date(r.Since, zone)), Empty: r.Asked+r.Open+r.Answered == 0}
	for _, d := range periods {
		v.Periods = append(v.Periods, period{"/stats?days=" + decimal(d), w.Count(st.LastDays, d), d == days})
	}
	v.Numbers = []number{
		{st.Blocked, hours(w, r.Blocked)}, {st.WaitingNow, w.Number(r.Open)},
		{st.Asked, w.Number(r.Asked)}, {st.Answered, w.Number(r.Answered)},
		{st.Median, tookWords(w, r.N, r.P50)}, {st.P90, tookWords(w, r.N, r.P90)},
		{st.Declined, w.Number(r.Declined)}, {st.Expired, w.Number(r.Expired)}, {st.Again, w.Number(r.Again)},
	}
	v.Charts = charts(w, zone, r)
	for _, q := range r.Repeated[:min(len(r.Repeated), 10)] {
		v.Repeated = append(v.Repeated, repeated{"/ask/" + q.Handle, q.Text, w.Count(st.Times, q.Asked), w.Say(st.LastAsked, w.When(q.Last, r.Until, zone))})
	}
	for _, found := range r.Rules {
		rule := ruleFound{RuleWords: st.Rule(string(found.Rule)), Found: w.Count(st.Found, found.Found)}
		for _, f := range r.Findings {
			if f.Rule != found.Rule {
				continue
			}
			e := example{Link: "/ask/" + f.Handle, Text: f.Text, Verified: f.Asker, Claim: f.Agent, When: w.When(f.At, r.Until, zone)}
			if e.Verified == "" {
				e.Verified = w.Unverified
			}
			rule.Examples = append(rule.Examples, e)
		}
		v.Rules = append(v.Rules, rule)
	}
	if r.Cut {
		v.Notes = append(v.Notes, st.OnlyPart)
	}
	if r.Damaged > 0 {
		v.Notes = append(v.Notes, w.Count(st.Damaged, r.Damaged))
	}
	return v
}

// tookWords is a percentile, or that there is none.
func tookWords(w *words.Catalogue, n int, s stats.Seconds) string {
	if n == 0 {
		return "–"
	}
	return w.Duration(s.Duration())
}
