package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// ticket returns the ask that the address names, if the person may see it.
func (s *Site) ticket(r *http.Request, who *auth.Principal) (*hub.Ticket, error) {
	addr, err := s.hub.Find(r.Context(), r.PathValue("handle"))
	if err != nil || addr.Tenant != who.Tenant {
		return nil, hub.ErrNotFound
	}
	t, err := s.hub.Get(r.Context(), addr)
	if err != nil {
		return nil, err
	}
	if !mayAnswer(t.Ask, who) {
		return nil, hub.ErrNotFound
	}
	return t, nil
}

// mayAnswer reports whether the ask is to the person: to everybody, to this one
// by name, or to the only person there is.
func mayAnswer(a *sayso.Ask, who *auth.Principal) bool {
	return len(a.To) == 0 || who.ID == "" || slices.Contains(a.To, who.ID)
}

func (s *Site) askPage(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	t, err := s.ticket(r, who)
	if err != nil {
		s.missing(w, r, who, err)
		return
	}
	v := s.view(r.Context(), who, t)
	v.pick(t, r.URL.Query().Get("pick"))
	s.show(w, r, http.StatusOK, who, t, v)
}

// view is the ask as the person finds it: open, with what they typed earlier, or
// closed.
func (s *Site) view(ctx context.Context, who *auth.Principal, t *hub.Ticket) *ask {
	return sayso.ByAskKind(t.Ask, s.questions, s.questions)(who, t, s.draft(ctx, who, t)) // fill adds the card of an approval
}

// questions is the view of an ask that has questions.
func (s *Site) questions(who *auth.Principal, t *hub.Ticket, d *hub.Draft) *ask {
	v := s.fill(who, t, again(t.Ask, begun(t, responder(who), d)))
	v.Base = version(d)
	v.leave(t.Ask, d.Answers)
	return v
}

// sent is what the person's own answer says, to be told from what it does not.
func sent(t *hub.Ticket, by sayso.Responder) []string {
	if t.Open() || !hub.SameResponder(t.Outcome.By, by) {
		return nil
	}
	return texts(t.Ask, t.Outcome.Answers, true)
}

// partHeader asks for the ask alone, without the page around it. The script sends it,
// and the reply has it if it is such a part.
const partHeader = "Sayso-Part"

func wantsPart(r *http.Request) bool { return r.Header.Get(partHeader) != "" }

// show renders an ask beside the list, or alone.
func (s *Site) show(w http.ResponseWriter, r *http.Request, status int, who *auth.Principal, t *hub.Ticket, v *ask) {
	v.Try, _ = strconv.Atoi(r.URL.Query().Get("form"))
	v.Try++
	if wantsPart(r) {
		w.Header().Set(partHeader, "ask")
		s.render(w, r, status, "part", page{Ask: v})
		return
	}
	l, err := s.list(r.Context(), who, r.URL.Query(), v.Handle)
	if err != nil { // the ask matters more, and what was typed into it
		s.opts.Log.Error("listing beside an ask", "err", err)
		l = &list{View: "waiting"}
	}
	l.Events += "&state=" + url.QueryEscape(v.State)
	s.render(w, r, status, "page", page{Title: sayso.ByAskKind(t.Ask, sayso.Title, sayso.Meta)(t.Ask), Who: who, List: l, Ask: v})
}

func (s *Site) missing(w http.ResponseWriter, r *http.Request, who *auth.Principal, err error) {
	if !errors.Is(err, hub.ErrNotFound) {
		s.broken(w, r, err)
		return
	}
	l, listErr := s.list(r.Context(), who, r.URL.Query(), "")
	if listErr != nil {
		s.broken(w, r, listErr)
		return
	}
	s.render(w, r, http.StatusNotFound, "page", page{Title: "No such question", Who: who, List: l, Error: "This question does not exist or was removed."})
}
