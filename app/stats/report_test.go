package stats

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var now = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC) // a Wednesday

// pages lists tickets a few at a time.
type pages struct {
	n    int // tickets
	at   func(i int) *hub.Ticket
	most int // in a page
}

func (p pages) List(_ context.Context, f *hub.Filter) (*hub.Tickets, error) {
	from, _ := strconv.Atoi(f.Cursor)
	to := min(from+p.most, p.n)
	out := &hub.Tickets{}
	for i := from; i < to; i++ {
		out.Tickets = append(out.Tickets, p.at(i))
	}
	if to < p.n {
		out.Next = strconv.Itoa(to)
	}
	return out, nil
}

func of(tickets ...*hub.Ticket) pages {
	return pages{len(tickets), func(i int) *hub.Ticket { return tickets[i] }, 2}
}

// asked is a ticket: asked and closed so many minutes before now, not closed if that
// is negative.
func asked(id, agent, conversation, text string, ago, closed int, change ...func(*hub.Ticket)) *hub.Ticket {
	a := &sayso.Ask{
		ID: id, Questions: []sayso.Question{{ID: "q1", Text: text, Options: []sayso.Option{{ID: "a", Label: "A"}, {ID: "b", Label: "B"}}}},
		Origin: sayso.Origin{Agents: []string{agent}, Conversation: conversation, Asker: "key-" + agent}, AskedAt: now.Add(-time.Duration(ago) * time.Minute),
	}
	t := &hub.Ticket{Address: hub.Address{Tenant: "t", Asker: "key-" + agent, Conversation: conversation, ID: id}, Ask: a, Digest: "digest of " + text, Handle: "h_" + id}
	if closed >= 0 {
		t.Outcome = &sayso.Outcome{
			Status: sayso.StatusAnswered, At: now.Add(-time.Duration(closed) * time.Minute),
			By: sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "web"},
		}
	}
	for _, c := range change {
		c(t)
	}
	return t
}

func ended(s sayso.Status, by sayso.ResponderKind, who string) func(*hub.Ticket) {
	return func(t *hub.Ticket) { t.Outcome.Status, t.Outcome.By = s, sayso.Responder{Kind: by, ID: who} }
}

// before is an outcome that was replaced, given so many minutes before now.
func before(why hub.Why, ago int) hub.Entry {
	return hub.Entry{Outcome: &sayso.Outcome{Status: sayso.StatusAnswered, At: now.Add(-time.Duration(ago) * time.Minute)}, Why: why}
}

func report(t *testing.T, l Lister, o *Options) *Report {
	t.Helper()
	if o == nil {
		o = &Options{}
	}
	o.Now = now
	r, err := Make(t.Context(), l, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What waits in one conversation at the same time counts once, in all and by agent.
func TestBlocked(t *testing.T) {
	for _, c := range []struct {
		name    string
		tickets []*hub.Ticket
		total   int // minutes
		agents  map[string]int
	}{
		{"one", []*hub.Ticket{asked("1", "x", "c", "A", 60, 30)}, 30, map[string]int{"x": 30}},
		{"open until now", []*hub.Ticket{asked("1", "x", "c", "A", 60, -1)}, 60, map[string]int{"x": 60}},
		{"overlapping", []*hub.Ticket{asked("2", "x", "c", "B", 50, 20), asked("1", "x", "c", "A", 60, 30)}, 40, map[string]int{"x": 40}},
		{"inside", []*hub.Ticket{asked("1", "x", "c", "A", 60, 10), asked("2", "x", "c", "B", 50, 40), asked("3", "x", "c", "C", 20, 5)}, 55, map[string]int{"x": 55}},
		{"two conversations", []*hub.Ticket{asked("1", "x", "c", "A", 60, 30), asked("2", "x", "d", "B", 60, 30)}, 60, map[string]int{"x": 60}},
		{"no conversation", []*hub.Ticket{asked("1", "x", "", "A", 60, 30), asked("2", "x", "", "B", 60, 30)}, 60, map[string]int{"x": 60}},
		{"two agents in one", []*hub.Ticket{asked("1", "x", "c", "A", 60, 30, func(t *hub.Ticket) { t.Ask.Origin.Asker = "k" }), asked("2", "y", "c", "B", 50, 20, func(t *hub.Ticket) { t.Ask.Origin.Asker = "k" })}, 40, map[string]int{"x": 30, "y": 30}},
		{"the same name for the conversations of two askers", []*hub.Ticket{asked("1", "x", "c", "A", 60, 30), asked("2", "y", "c", "B", 60, 30)}, 60, map[string]int{"x": 30, "y": 30}},
		{"asked again by a person", []*hub.Ticket{asked("1", "x", "c", "A", 60, 30), asked("1-2", "x", "c", "A", 20, 10, func(t *hub.Ticket) { t.Again = &hub.Again{Of: "1", By: "ann"} })}, 30, map[string]int{"x": 30}},
		{"changed after the agent had it", []*hub.Ticket{asked("1", "x", "c", "A", 60, 10, func(t *hub.Ticket) {
			t.History = []hub.Entry{before(hub.Undone, 50), before(hub.Amended, 30), before(hub.Amended, 20)}
		})}, 30, map[string]int{"x": 30}},
		{"asked before the period", []*hub.Ticket{asked("1", "x", "c", "A", 40*24*60, 29*24*60)}, 24 * 60, map[string]int{"x": 24 * 60}},
		{"closed before the period", []*hub.Ticket{asked("1", "x", "c", "A", 40*24*60, 31*24*60)}, 0, map[string]int{}},
		{"a clock that went back", []*hub.Ticket{asked("1", "x", "c", "A", 30, 60)}, 0, map[string]int{"x": 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := report(t, of(c.tickets...), nil)
			if got := r.Blocked.Duration(); got != time.Duration(c.total)*time.Minute {
				t.Errorf("blocked for %v, want %d min", got, c.total)
			}
			var weeks Seconds
			for _, w := range r.Weeks {
				weeks += w.Blocked
			}
			if weeks != r.Blocked {
				t.Errorf("the weeks have %d s, all %d", weeks, r.Blocked)
			}
			if len(r.Agents) != len(c.agents) {
				t.Errorf("agents: %+v", r.Agents)
			}
			for _, g := range r.Agents {
				if want := time.Duration(c.agents[g.Name]) * time.Minute; g.Blocked.Duration() != want {
					t.Errorf("%s: %v, want %v", g.Name, g.Blocked.Duration(), want)
				}
			}
		})
	}
}

// Only what people answered is timed.
func TestTimes(t *testing.T) {
	var all []*hub.Ticket
	for i := 1; i <= 10; i++ {
		all = append(all, asked(fmt.Sprint(i), "x", "", fmt.Sprint("Q", i), 100, 100-i))
	}
	all = append(all,
		asked("rule", "x", "", "R", 100, 10, ended(sayso.StatusAnswered, sayso.ByPolicy, "rules")),
		asked("no", "x", "", "S", 100, 10, ended(sayso.StatusDeclined, sayso.ByPerson, "bob")),
		asked("late", "x", "", "T", 100, 10, ended(sayso.StatusExpired, sayso.ByPolicy, "")),
		asked("gone", "x", "", "U", 100, 10, ended(sayso.StatusCancelled, sayso.ByAsker, "")),
		asked("open", "x", "", "V", 100, -1),
	)
	r := report(t, of(all...), nil)
	if r.N != 10 || r.P50 != 5*60 || r.P90 != 9*60 {
		t.Errorf("%d answers, p50 %d s, p90 %d s", r.N, r.P50, r.P90)
	}
	if got, want := fmt.Sprint(r.Asked, r.Open, r.Answered, r.Declined, r.Expired, r.Withdrawn, r.Other), "15 1 11 1 1 1 0"; got != want {
		t.Errorf("asked, open, answered, declined, expired, withdrawn, other: %s, want %s", got, want)
	}
	if len(r.People) != 2 || r.People[1].Name != "ann" || r.People[0].Declined != 1 {
		t.Errorf("people: %+v", r.People)
	}
}

func TestRepeated(t *testing.T) {
	all := []*hub.Ticket{
		asked("1", "x", "c", "Which licence?", 300, 290), asked("2", "x", "c", "Which licence?", 270, 260), // within an hour
		asked("3", "x", "c", "Which licence?", 100, 90),                                              // not
		asked("4", "y", "d", "Which licence?", 95, 90),                                               // another asker
		asked("5", "x", "c", "Which port?", 300, 290), asked("6", "x", "c", "Which host?", 300, 290), // others
		asked("9", "x", "c", "Which port?", 280, 270, func(t *hub.Ticket) { t.Again = &hub.Again{Of: "5", By: "ann"} }), // by a person
		asked("7", "x", "c", "x", 50, 40, approval), asked("8", "x", "c", "x", 45, 40, approval),
	}
	r := report(t, of(all...), nil)
	if len(r.Repeated) != 2 || r.Repeated[0].Asked != 4 || r.Repeated[0].Handle != "h_4" || r.Repeated[0].Text != "Which licence?" || r.Again != 4 {
		t.Errorf("again %d, repeated: %+v", r.Again, r.Repeated)
	}
	var again []string
	for _, f := range r.Findings {
		if f.Rule == AskedAgain {
			again = append(again, f.Handle)
		}
	}
	if strings.Join(again, " ") != "h_2" {
		t.Errorf("asked again: %v", again)
	}
}

func approval(t *hub.Ticket) {
	t.Ask.Approval = &sayso.Approval{Kind: sayso.ApproveShell, Tool: "Bash"}
}

// The report of some asks, as it is encoded.
func TestReport(t *testing.T) {
	berlin := time.FixedZone("Europe/Berlin", 3600)
	all := []*hub.Ticket{
		asked("1", "planner", "c", "Which licence?", 9*24*60, 9*24*60-20), asked("2", "planner", "c", "Which licence?", 8*24*60, 8*24*60-10),
		asked("3", "builder\u202e", "d", "Should I continue?", 100, 40), asked("4", "builder\u202e", "d", "May I run it?", 60, -1, approval),
		asked("5", "builder\u202e", "e", "Which port?\nWhich host?", 2*24*60, 60, ended(sayso.StatusDeclined, sayso.ByPerson, "bob")),
	}
	got, err := json.MarshalIndent(report(t, of(all...), &Options{Since: now.Add(-10 * 24 * time.Hour), Zone: berlin}), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile("testdata/report.json", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/report.json")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("the report is now:\n%s", got)
	}
}

// Weeks begin on Monday in the zone, also where a day has 23 or 25 hours.
func TestWeeks(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("this machine has no time zones:", err)
	}
	c := newCollector(&Options{Now: now, Since: now.AddDate(-1, 0, 0), Zone: zone})
	w := c.weeks()
	if n := len(w.all); n != 53 {
		t.Errorf("%d weeks", n)
	}
	for i, week := range w.all {
		if week.Start.Weekday() != time.Monday || week.Start.Hour() != 0 {
			t.Errorf("week %d begins %v", i, week.Start)
		}
		if got := w.index(week.Start); got != i {
			t.Errorf("the begin of week %d is in week %d", i, got)
		}
		if got := w.index(week.Start.Add(-time.Second)); got != i-1 {
			t.Errorf("before the begin of week %d is week %d", i, got)
		}
	}
}

// A report of 100,000 asks is made in one pass and keeps little of each.
func TestMany(t *testing.T) {
	const n = many
	body := strings.Repeat("What was asked, at length. ", 100)
	at := func(i int) *hub.Ticket {
		k := asked(fmt.Sprintf("ask_%026d", i), fmt.Sprint("agent ", i%(n/5)), fmt.Sprint("talk ", i%5000), fmt.Sprint("Question ", i%(n/2), "?"), i%40_000+10, i%40_000)
		k.Ask.Questions[0].Body = body + fmt.Sprint(i)
		return k
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	c := newCollector(&Options{Now: now})
	for i := range n {
		c.add(at(i))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if per := int64(after.HeapAlloc-before.HeapAlloc) / n; per > 700 {
		t.Errorf("%d bytes are kept of each ask", per)
	} else {
		t.Logf("%d bytes are kept of each ask", per)
	}
	began := time.Now()
	r := c.report()
	t.Logf("added up in %v", time.Since(began).Round(time.Millisecond))
	if r.Asked != n || len(r.Agents) != mostGroups || len(r.Repeated) != mostGroups {
		t.Errorf("asked %d, %d agents, %d repeated", r.Asked, len(r.Agents), len(r.Repeated))
	}
	r = report(t, pages{n, at, 1000}, &Options{most: n / 20})
	if !r.Cut || r.Asked != n/20 {
		t.Errorf("%d asks, cut %v", r.Asked, r.Cut)
	}
}
