package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// answer takes the form: it sends, skips, declines, undoes, or only keeps what was
// typed. Whatever comes of it, what was typed is on the page that comes back.
func (s *Site) answer(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, s.reader(r.Context()).Web.Unreadable, statusOf(err))
		return
	}
	rd := s.reader(r.Context())
	defer s.forms.lock(r.PathValue("handle"))()
	t, err := s.ticket(r, who)
	switch {
	case errors.Is(err, hub.ErrNotFound):
		s.missing(w, r, who, err)
		return
	case err != nil:
		s.opts.Log.Error("reading an ask to answer it", "err", err)
		s.handBack(w, r, http.StatusServiceUnavailable)
		return
	}
	do, sure, _ := cutDo(r)
	switch do {
	case "undo":
		s.undo(w, r, rd, t)
		return
	case "amend":
		s.amend(w, r, rd, t)
		return
	case "again":
		s.askAgain(w, r, rd, t)
		return
	case "tap": // choosing is sending; without a hold it would only be choosing
		r.PostForm.Set("q0", sure)
		do, sure = "send", ""
	}
	f := &filled{t: t, all: rd.readForm(t.Ask, r.PostForm), draft: &hub.Draft{}, form: r.PostForm}
	stale := r.PostForm.Get("life") != life(t, rd.by())
	if t.Open() && t.Held == nil && !stale {
		if f.draft, _, err = s.keep(r.Context(), who, t, r.PostForm, f.all); err != nil {
			s.opts.Log.Error("keeping a draft", "err", err) // the page has it still
		}
	}
	f.whole = s.proven(r, who, t)
	if f.whole != nil {
		f.all[0].Opened = f.whole.hashes
	}
	o := declined(r.PostForm)
	switch {
	case stale:
		s.outdated(w, r, rd, f)
		return
	case do == "save", do == "resume":
		v := s.refill(r.Context(), rd, f)
		v.Notice = map[string]string{"save": rd.Web.DraftSaved, "resume": rd.Web.HereIsTyped}[do]
		s.show(w, r, http.StatusOK, t, v)
		return
	case s.besides(w, r, rd, f, do, sure):
		return
	case do == "reuse":
		if !s.reuse(r.Context(), rd, f, sure) {
			v := s.refill(r.Context(), rd, f)
			if v.Closed == nil {
				v.Problems = []string{rd.Web.NotReused}
			}
			s.show(w, r, http.StatusConflict, t, v)
			return
		}
		if rd.grace == 0 { // it is filled in, and can be looked at
			v := s.refill(r.Context(), rd, f)
			v.Notice = rd.Web.Reused
			s.show(w, r, http.StatusOK, t, v)
			return
		}
		do, sure = "send", ""
	}
	if do != "decline" {
		if v := s.refuse(r.Context(), rd, f, do, sure); v != nil {
			s.show(w, r, http.StatusUnprocessableEntity, t, v)
			return
		}
		o = &sayso.Outcome{Status: sayso.StatusAnswered, Answers: answers(f.all)}
	}
	next := s.next(r.Context(), rd, s.hub.Handle(t.Address), r.URL.Query())
	closed, err := s.close(r.Context(), rd, &hub.Ticket{Address: t.Address, Digest: r.PostForm.Get("digest")}, o)
	if err != nil {
		s.unsent(w, r, rd, f, err)
		return
	}
	s.done(w, r, rd, closed, next)
}

// close gives an outcome, which is held for as long as the person wants.
func (s *Site) close(ctx context.Context, rd *reader, seen *hub.Ticket, o *sayso.Outcome) (*hub.Ticket, error) {
	desk := s.deskOf(rd.who)
	if rd.grace > 0 {
		if t, err := desk.Hold(ctx, seen, o, rd.grace); !unsupported(err) {
			return t, err
		}
	}
	return desk.Close(ctx, seen, o)
}

// cutDo is what a form is to do, and with what.
func cutDo(r *http.Request) (do, what string, found bool) {
	return strings.Cut(cmp.Or(r.PostForm.Get("do"), "send"), " ")
}

// filled is a form that came.
type filled struct {
	t     *hub.Ticket
	all   []said
	draft *hub.Draft // as it is stored now
	whole *whole     // all of an approval, if the form comes from the page that has it
	form  url.Values // what came
}

// typed is everything that is in the form.
func (f *filled) typed() []sayso.Answer {
	all := make([]sayso.Answer, len(f.all))
	for i := range f.all {
		all[i] = f.all[i].Answer
	}
	return all
}

// refill is the form as it came, or, where the ask is closed, what became of it.
func (s *Site) refill(ctx context.Context, rd *reader, f *filled) *ask {
	v := s.fill(rd, f.t, f.all)
	s.around(ctx, rd, f.t, v)
	v.Tap = false // it was looked at already: what is filled in is sent by its button
	v.Base = version(f.draft)
	if v.More != nil {
		v.More.keep(f.form)
	}
	if f.whole != nil && v.Closed == nil {
		v.opened(rd, f.t, f.whole, len(f.whole.pages))
	}
	v.leave(f.t.Ask, f.draft.Answers)
	v.leave(f.t.Ask, f.typed())
	return v
}
