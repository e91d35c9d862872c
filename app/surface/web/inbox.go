package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

const (
	pageSize   = 50
	readSize   = 1000
	searchMost = 2000 // tickets that one search looks through
)

// list is the left pane.
type list struct {
	View     string // waiting, answered, all
	Query    string
	Order    string // blocked: what holds up most is first; empty: the oldest
	Rows     []row
	Waiting  int    // how many wait in all; the title counts them
	More     string // the address of the next page
	Events   string // the address of the changes
	Cut      bool   // the search stopped before the end
	Blocking bool   // something waits behind one of them
	Current  string // the handle of the ask that is open
}

// row is one ask in the list.
type row struct {
	Handle, Title, Ago, Status string
	Verified, Claim            string // who asks, as the hub knows it and as the asker says
	Blocked                    string // how much waits behind it
	Due                        string // when the deadline is
	Danger                     bool   // one of its options is dangerous
	Secret                     bool   // it asks for a secret and does not say so
	Open                       bool
	Wants                      string // what an agent wants to do: permission for a command, a plan
}

func (s *Site) inbox(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	l, err := s.list(r.Context(), who, r.URL.Query(), "")
	if err != nil {
		s.broken(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, "page", page{Title: l.title(), Who: who, List: l})
}

func (l *list) title() string {
	if l.Waiting == 0 {
		return "All caught up"
	}
	return fmt.Sprintf("(%s) Waiting for you", count(l.Waiting))
}

// count says a number that may be more than was counted.
func count(n int) string {
	if n > searchMost {
		return fmt.Sprintf("%d+", searchMost)
	}
	return fmt.Sprint(n)
}

// CountWords is how many wait, for the heading.
func (l *list) CountWords() string { return count(l.Waiting) }

// list reads what the left pane shows: a page of one view, or what a search
// finds. The oldest that waits is first, and the newest that was answered, among
// as many as the hub lists at a time.
func (s *Site) list(ctx context.Context, who *auth.Principal, q url.Values, current string) (*list, error) {
	l := &list{View: cmp.Or(q.Get("view"), "waiting"), Query: strings.TrimSpace(q.Get("q")), Current: current}
	filter := &hub.Filter{Limit: readSize, Cursor: q.Get("after")}
	if l.View == "answered" || l.View == "all" {
		filter.Status = hub.AnyStatus
	} else {
		l.View = "waiting"
		if q.Get("order") == "blocked" {
			l.Order = "blocked"
		}
	}
	tickets, next, err := s.read(ctx, who, filter, l)
	if err != nil {
		return nil, err
	}
	l.Waiting = len(tickets)
	l.Blocking = slices.ContainsFunc(tickets, func(t *hub.Ticket) bool { return t.Ask.HeldUp().Count() > 0 })
	from, _ := strconv.Atoi(q.Get("from"))
	from = min(max(from, 0), len(tickets))
	to := min(from+pageSize, len(tickets))
	for _, t := range tickets[from:to] {
		l.Rows = append(l.Rows, s.row(t))
	}
	here := url.Values{"view": {l.View}, "q": {l.Query}}
	if l.Order != "" {
		here.Set("order", l.Order)
	}
	if after := q.Get("after"); after != "" {
		here.Set("after", after)
	}
	switch {
	case to < len(tickets):
		here.Set("from", strconv.Itoa(to))
		l.More = "/?" + here.Encode()
	case next != "":
		more := maps.Clone(here)
		more.Set("after", next)
		l.More = "/?" + more.Encode()
	}
	here.Set("from", strconv.Itoa(from))
	here.Set("ask", current)
	l.Events = "/events?" + here.Encode()
	if l.View == "waiting" && l.Query == "" && q.Get("after") == "" && next == "" {
		return l, nil
	}
	return l, s.countWaiting(ctx, s.inboxOf(who), l)
}

// read returns the tickets that the list shows, in its order. A search reads on
// until the end, or until it has seen enough.
func (s *Site) read(ctx context.Context, who *auth.Principal, filter *hub.Filter, l *list) (found []*hub.Ticket, next string, err error) {
	for seen := 0; ; {
		tickets, err := s.inboxOf(who).List(ctx, filter)
		if err != nil {
			return nil, "", err
		}
		for _, t := range tickets.Tickets {
			if l.shows(t) {
				found = append(found, t)
			}
		}
		seen += len(tickets.Tickets)
		next, filter.Cursor = tickets.Next, tickets.Next
		l.Cut = next != "" && seen >= searchMost
		if next == "" || l.Cut || l.Query == "" && len(found) >= pageSize {
			break
		}
	}
	slices.SortStableFunc(found, func(a, b *hub.Ticket) int {
		if l.View == "waiting" {
			if n := b.Ask.HeldUp().Count() - a.Ask.HeldUp().Count(); n != 0 && l.Order == "blocked" {
				return n
			}
			return a.Ask.AskedAt.Compare(b.Ask.AskedAt)
		}
		return b.Ask.AskedAt.Compare(a.Ask.AskedAt)
	})
	return found, next, nil
}

// countWaiting counts what waits, up to a bound: nobody reads further.
func (s *Site) countWaiting(ctx context.Context, in hub.Inbox, l *list) error {
	l.Waiting = 0
	filter := &hub.Filter{Limit: readSize}
	for {
		tickets, err := in.List(ctx, filter)
		if err != nil {
			return err
		}
		l.Waiting += len(tickets.Tickets)
		if filter.Cursor = tickets.Next; filter.Cursor == "" || l.Waiting > searchMost {
			return nil
		}
	}
}

func (l *list) shows(t *hub.Ticket) bool {
	if l.View == "answered" && t.Open() {
		return false
	}
	return l.Query == "" || matches(t, strings.ToLower(l.Query))
}

// matches looks for a word in the questions, in what an agent wants to do, and in what
// was said to them.
func matches(t *hub.Ticket, word string) bool {
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), word) }
	for i := range t.Ask.Questions {
		q := &t.Ask.Questions[i]
		if has(q.Text) || has(q.Header) || t.Ask.Approval != nil && has(q.Body) || slices.ContainsFunc(q.Options, func(o sayso.Option) bool { return has(o.Label) }) {
			return true
		}
	}
	if t.Outcome == nil {
		return false
	}
	return has(t.Outcome.Reply) || slices.ContainsFunc(t.Outcome.Answers, func(a sayso.Answer) bool { return has(a.Other) || has(a.Note) })
}

func (s *Site) row(t *hub.Ticket) row {
	r := row{
		Handle: s.hub.Handle(t.Address), Title: title(t.Ask), Open: t.Open(),
		Verified: t.Ask.Origin.Verified(), Claim: t.Ask.Origin.Claim(),
		Ago: ago(s.opts.Now().Sub(t.Ask.AskedAt)), Status: statusWord(t.Status()),
	}
	if t.Ask.Approval != nil {
		r.Wants = "permission: " + string(t.Ask.Approval.Kind)
	}
	if r.Open {
		r.Blocked, r.Due = t.Ask.HeldUp().Short(), s.due(t.Ask)
		r.Danger, _ = t.Ask.Marks()
		r.Danger = r.Danger && r.Wants == "" // every permission is one, and says so
		r.Secret = t.Ask.Warning() != ""
	}
	return r
}

// title is the first question, and that there are more.
func title(a *sayso.Ask) string {
	t := sayso.SafeLine(a.Questions[0].Text)
	if n := len(a.Questions) - 1; n > 0 {
		t += fmt.Sprintf(" (+%d)", n)
	}
	return t
}

// due says how long it is until the deadline; it is empty without one.
func (s *Site) due(a *sayso.Ask) string {
	if a.Deadline.IsZero() {
		return ""
	}
	switch d := a.Deadline.Sub(s.opts.Now()).Round(time.Minute); {
	case d < time.Minute:
		return "due now"
	case d < time.Hour:
		return fmt.Sprintf("due in %d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("due in %d h", int(d.Round(time.Hour).Hours()))
	default:
		return fmt.Sprintf("due in %d days", int(d.Hours()/24))
	}
}

func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

func statusWord(st sayso.Status) string {
	switch st {
	case sayso.StatusPending:
		return "waiting"
	case sayso.StatusCancelled:
		return "withdrawn"
	case sayso.StatusSuperseded:
		return "replaced"
	}
	return string(st)
}

// broken tells the person that something failed, without what.
func (s *Site) broken(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	s.opts.Log.Error("serving a page", "route", r.Pattern, "err", err)
	s.render(w, r, http.StatusServiceUnavailable, "page", page{Title: "Not now", Error: "The hub cannot be reached right now. Try again in a moment.", List: &list{View: "waiting"}})
}
