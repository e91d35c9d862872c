package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

const pageSize = 50

// list is the left pane: a page of what a search found.
type list struct {
	View     string // waiting, later, history, all
	Query    string
	Order    string // blocking: what holds up most is first; newest, oldest; empty: that of the view
	Group    bool   // by conversation
	Select   bool   // approvals can be selected, to be decided together
	Filters  []filter
	Narrowed bool // a filter is set
	Groups   []group
	Rows     []row  // of all groups, in order
	Total    int    // how many were found
	Waiting  int    // how many wait in all; the title counts them
	More     string // the address of the next page
	First    string // the address of the first one, from another
	Clear    string // the address of the view without filters and words
	Events   string // the address of the list, to be fetched when something changes
	Blocking bool   // something waits behind one of them
	Current  string // the handle of the ask that is open
	Broken   bool   // it could not be read

	keep url.Values // what a link in the list takes along
}

// group is the rows of one conversation.
type group struct {
	Name string // empty: rows of any
	Rows []row
}

// views are the values of the parameter view, and what they mean. Without one, it is
// what waits.
var views = map[string]hub.View{"waiting": hub.ViewOpen, "later": hub.ViewLater, "history": hub.ViewClosed, "all": hub.ViewAll}

// orders are the values of the parameter order.
var orders = map[string]hub.Order{"oldest": hub.OrderOldest, "newest": hub.OrderNewest, "blocking": hub.OrderBlocking}

// renamed are values that earlier versions had, which people may have in bookmarks.
var renamed = map[string]string{"answered": "history", "blocked": "blocking"}

// known returns the value of a parameter, by the name that it has now; "" if it is none.
func known[T any](name string, in map[string]T) string {
	if now, ok := renamed[name]; ok {
		name = now
	}
	if _, ok := in[name]; ok {
		return name
	}
	return ""
}

func (s *Site) inbox(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	l, err := s.list(r.Context(), who, r.URL.Query(), "")
	if err != nil {
		s.broken(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, "page", page{Title: s.reader(r.Context()).title(l), Who: who, List: l, Home: true})
}

// title is that of the page with a list alone.
func (rd *reader) title(l *list) string {
	if l.Waiting == 0 {
		return rd.Web.CaughtUp
	}
	return "(" + rd.Number(l.Waiting) + ") " + rd.Web.WaitingForYou
}

// search is what the list is asked for.
func (l *list) search(q url.Values, now time.Time) *hub.Search {
	f := &hub.Search{Text: l.Query, View: views[l.View], Order: orders[l.Order], Limit: pageSize, Cursor: q.Get("after"), Facets: true}
	for _, c := range narrows(f) {
		*c.to = q.Get(c.name)
	}
	f.Blocking = q.Get("blocking") != ""
	if d, ok := ages[q.Get("age")]; ok {
		f.After = now.Add(-d)
	} else if q.Get("age") == olderThanDay {
		f.Before = now.Add(-24 * time.Hour)
	}
	return f
}

// list reads what the left pane shows: a page of one view, or what a search finds.
func (s *Site) list(ctx context.Context, who *auth.Principal, q url.Values, current string) (*list, error) {
	rd := s.reader(ctx)
	l := newList(q)
	l.Current = current
	f := l.search(q, rd.now)
	found, err := s.deskOf(who).Search(ctx, f)
	if err != nil {
		return nil, err
	}
	l.Total, l.Waiting = found.Total, found.Waiting
	for i := range found.Items {
		l.add(s.row(rd, &found.Items[i]), &found.Items[i])
	}
	l.filters(rd, f, found.Facets)
	if found.Next != "" {
		l.More = l.address("/", "after", found.Next)
	}
	if f.Cursor != "" {
		l.First = l.address("/")
		l.keep.Set("after", f.Cursor)
	}
	l.Events = l.address("/list", "ask", current)
	return l, nil
}

// newList is the list that the parameters of an address ask for, without its rows.
func newList(q url.Values) *list {
	l := &list{View: cmp.Or(known(q.Get("view"), views), "waiting"), Query: strings.TrimSpace(q.Get("q")), Order: known(q.Get("order"), orders)}
	l.Group, l.Select = q.Get("group") != "", q.Get("select") != ""
	l.Clear = "/?view=" + l.View
	l.keep = url.Values{"view": {l.View}}
	for _, name := range append([]string{"q", "order", "group", "select", "blocking", "age"}, filterNames...) {
		v := q.Get(name)
		if name == "order" {
			v = l.Order
		}
		if v = strings.TrimSpace(v); v == "" {
			continue
		}
		l.keep.Set(name, v)
		if name != "order" && name != "group" && name != "select" {
			l.Narrowed = true
		}
	}
	return l
}

// address is one with what the list is asked for, and more.
func (l *list) address(path string, more ...string) string {
	q := url.Values{}
	for k, v := range l.keep {
		q[k] = v
	}
	for i := 0; i+1 < len(more); i += 2 {
		if q.Del(more[i]); more[i+1] != "" {
			q.Set(more[i], more[i+1])
		}
	}
	return path + "?" + q.Encode()
}

// Address is the list as the end of an address.
func (l *list) Address() string { return l.address("") }

// In is the address of the same list in another view. What was searched for stays.
func (l *list) In(view string) string { return l.address("/", "view", view, "order", "", "select", "") }

// By is the address of the same list in another order.
func (l *list) By(order string) string { return l.address("/", "order", order) }

// Grouped is the address of the same list with or without groups.
func (l *list) Grouped(on string) string { return l.address("/", "group", on) }

// Selecting is the address of the same list with or without check boxes.
func (l *list) Selecting(on string) string { return l.address("/", "select", on) }

// Ask is the address of an ask in the list.
func (l *list) Ask(handle string) string { return l.address("/ask/" + url.PathEscape(handle)) }

// Keep is what a form of the list takes along.
func (l *list) Keep() []field {
	var all []field
	for _, name := range []string{"view", "order", "group", "select"} {
		if v := l.keep.Get(name); v != "" {
			all = append(all, field{name, v})
		}
	}
	return all
}

// Selectable reports whether rows can be selected.
func (l *list) Selectable() bool {
	for i := range l.Rows {
		if l.Rows[i].Wants != "" && l.Rows[i].Open {
			return true
		}
	}
	return false
}

// add puts a row into its group.
func (l *list) add(r row, it *hub.Item) {
	l.Rows = append(l.Rows, r)
	l.Blocking = l.Blocking || r.Blocked != ""
	name := ""
	if l.Group {
		name = sayso.SafeLine(it.Ask.Origin.Conversation)
	}
	for i := range l.Groups {
		if l.Groups[i].Name == name {
			l.Groups[i].Rows = append(l.Groups[i].Rows, r)
			return
		}
	}
	l.Groups = append(l.Groups, group{Name: name, Rows: []row{r}})
}

// order returns the handles in the order in which the person sees them.
func (l *list) order() (handles []string) {
	for _, g := range l.Groups {
		for _, r := range g.Rows {
			handles = append(handles, r.Handle)
		}
	}
	return handles
}

// brokenList stands for a list that cannot be read.
func brokenList() *list {
	l := newList(nil)
	l.Broken, l.Events = true, l.address("/list")
	return l
}
