package web

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"strconv"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// ticket returns the ask that the address names, if the person may see it.
func (s *Site) ticket(r *http.Request, who *auth.Principal) (*hub.Ticket, error) {
	return s.named(r.Context(), r.PathValue("handle"), who)
}

// named returns the ask that a handle names, if the person may answer it.
func (s *Site) named(ctx context.Context, handle string, who *auth.Principal) (*hub.Ticket, error) {
	addr, err := s.hub.Find(ctx, handle)
	if err != nil || addr.Tenant != who.Tenant {
		return nil, hub.ErrNotFound
	}
	t, err := s.hub.Get(ctx, addr)
	if err != nil {
		return nil, err
	}
	if !mayAnswer(t, who) {
		return nil, hub.ErrNotFound
	}
	return t, nil
}

// mayAnswer reports whether the ask is to the person: to everybody, to this one by
// name or delegated, or to the only person there is.
func mayAnswer(t *hub.Ticket, who *auth.Principal) bool {
	return who.ID == "" || t.MayAnswer(who.ID)
}

func (s *Site) askPage(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	t, err := s.ticket(r, who)
	if err != nil {
		s.missing(w, r, who, err)
		return
	}
	rd := s.reader(r.Context())
	if r.URL.Query().Get("amend") != "" && s.amendPage(w, r, rd, t) {
		return
	}
	v := s.view(r.Context(), rd, t)
	v.pick(rd, t, r.URL.Query().Get("pick"))
	s.show(w, r, http.StatusOK, t, v)
}

// view is the ask as the person finds it: open, with what they typed earlier, or
// closed.
func (s *Site) view(ctx context.Context, rd *reader, t *hub.Ticket) *ask {
	v := sayso.ByAskKind(t.Ask, s.questions, s.questions)(rd, t, s.draft(ctx, rd.who, t)) // fill adds the card of an approval
	s.around(ctx, rd, t, v)
	return v
}

// around adds what the hub knows besides: whom the ask can be delegated to, what was
// answered before, and which others are identical.
func (s *Site) around(ctx context.Context, rd *reader, t *hub.Ticket, v *ask) {
	if v.Closed != nil {
		return
	}
	s.people(ctx, rd, v)
	s.precedents(ctx, rd, t, v)
	s.same(ctx, rd, t, v)
}

// questions is the view of an ask that has questions.
func (s *Site) questions(rd *reader, t *hub.Ticket, d *hub.Draft) *ask {
	v := s.fill(rd, t, again(t.Ask, begun(t, rd.by(), d)))
	v.Base = version(d)
	v.leave(t.Ask, d.Answers)
	return v
}

// sent is what the person's own answer says, to be told from what it does not.
func sent(t *hub.Ticket, by sayso.Responder) []string {
	if t = decided(t); t.Open() || !hub.SameResponder(t.Outcome.By, by) {
		return nil
	}
	return texts(t.Ask, t.Outcome.Answers, true)
}

// partHeader asks for the ask alone, without the page around it. The script sends it,
// and the reply has it if it is such a part.
const partHeader = "Sayso-Part"

func wantsPart(r *http.Request) bool { return r.Header.Get(partHeader) != "" }

// show renders an ask beside the list, or alone.
func (s *Site) show(w http.ResponseWriter, r *http.Request, status int, t *hub.Ticket, v *ask) {
	rd := s.reader(r.Context())
	v.Try, _ = strconv.Atoi(r.URL.Query().Get("form"))
	v.Try++
	from := newList(r.URL.Query())
	v.Back = from.address("/")
	if r.URL.Query().Get("view") != "" {
		v.Query = template.URL("&" + from.address("")[1:]) // which is encoded
	}
	if wantsPart(r) {
		w.Header().Set(partHeader, "ask")
		s.render(w, r, status, "part", page{Ask: v})
		return
	}
	l, err := s.list(r.Context(), rd.who, r.URL.Query(), v.Handle)
	if err != nil { // the ask matters more, and what was typed into it
		s.opts.Log.Error("listing beside an ask", "err", err)
		l = brokenList()
	}
	s.render(w, r, status, "page", page{Title: sayso.ByAskKind(t.Ask, sayso.Title, sayso.Meta)(t.Ask), Who: rd.who, List: l, Ask: v})
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
	rd := s.reader(r.Context())
	s.render(w, r, http.StatusNotFound, "page", page{Title: rd.Web.NoSuchQuestion, Who: who, List: l, Error: rd.Web.QuestionGone, Way: way{"/", rd.Web.AllQuestions}})
}
