package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/saysohq/sayso/hub"
)

// next returns the address at which the person goes on after an ask: the one behind it
// in the list that they came from, else the first of the list, or "" if they did not
// come from a list of what waits. It is asked before the ask is closed, and returns what
// to do then.
func (s *Site) next(ctx context.Context, rd *reader, handle string, from url.Values) (to string) {
	if from.Get("view") != "waiting" {
		return ""
	}
	l, err := s.list(ctx, rd.who, from, handle)
	if err != nil {
		return ""
	}
	all := l.order()
	at := slices.Index(all, handle)
	all = slices.Concat(all[at+1:], all[:max(at, 0)])
	if len(all) == 0 && l.More != "" { // it was the last of its page
		if u, err := url.Parse(l.More); err == nil {
			if more, err := s.list(ctx, rd.who, u.Query(), ""); err == nil && len(more.Rows) > 0 {
				return more.Ask(more.order()[0])
			}
		}
	}
	if len(all) == 0 {
		return l.address("/")
	}
	return l.Ask(all[0])
}

// done shows what became of a form that was taken. A script is given it at once, so
// that it cannot miss it; a browser is led to it, so that going back sends nothing. Who
// came from a list goes on with the next ask there.
func (s *Site) done(w http.ResponseWriter, r *http.Request, rd *reader, t *hub.Ticket, next string) {
	s.held.add(rd.who, t)
	if wantsPart(r) {
		v := s.view(r.Context(), rd, t)
		v.Next = next
		s.show(w, r, http.StatusOK, t, v)
		return
	}
	if next == "" {
		next = "/ask/" + url.PathEscape(s.hub.Handle(t.Address)) + query(r)
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// query is the list that the request came from, as the end of an address.
func query(r *http.Request) string {
	if r.URL.Query().Get("view") == "" {
		return ""
	}
	return newList(r.URL.Query()).address("")
}
