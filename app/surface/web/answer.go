package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// answer takes the form: it sends, skips, declines, undoes, or only keeps what was
// typed. Whatever comes of it, what was typed is on the page that comes back.
func (s *Site) answer(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, "Nothing was sent: the form could not be read. Go back, and send a shorter text.", statusOf(err))
		return
	}
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
	do, sure, _ := strings.Cut(cmp.Or(r.PostForm.Get("do"), "send"), " ")
	if do == "undo" {
		s.undo(w, r, who, t)
		return
	}
	f := &filled{t: t, all: readForm(t.Ask, r.PostForm), draft: &hub.Draft{}}
	stale := r.PostForm.Get("life") != life(t, responder(who))
	if t.Open() && !stale {
		if f.draft, _, err = s.keep(r.Context(), who, t, r.PostForm, f.all); err != nil {
			s.opts.Log.Error("keeping a draft", "err", err) // the page has it still
		}
	}
	f.whole = s.proven(r, who, t)
	if f.whole != nil {
		f.all[0].Opened = f.whole.hashes
	}
	o := &sayso.Outcome{Status: sayso.StatusDeclined}
	switch {
	case stale:
		s.outdated(w, r, who, f)
		return
	case do == "save", do == "resume":
		v := s.refill(who, f)
		v.Notice = map[string]string{"save": "Your draft is saved.", "resume": "Here is what you typed. Nothing was sent yet."}[do]
		s.show(w, r, http.StatusOK, who, t, v)
		return
	case do != "decline":
		if v := s.refuse(who, f, do, sure); v != nil {
			s.show(w, r, http.StatusUnprocessableEntity, who, t, v)
			return
		}
		o = &sayso.Outcome{Status: sayso.StatusAnswered, Answers: answers(f.all)}
	}
	closed, err := s.inboxOf(who).Close(r.Context(), &hub.Ticket{Address: t.Address, Digest: r.PostForm.Get("digest")}, o)
	if err != nil {
		s.unsent(w, r, who, f, err)
		return
	}
	s.done(w, r, who, closed)
}

// filled is a form that came.
type filled struct {
	t     *hub.Ticket
	all   []said
	draft *hub.Draft // as it is stored now
	whole *whole     // all of an approval, if the form comes from the page that has it
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
func (s *Site) refill(who *auth.Principal, f *filled) *ask {
	v := s.fill(who, f.t, f.all)
	v.Base = version(f.draft)
	if f.whole != nil && v.Closed == nil {
		v.opened(f.t, f.whole, len(f.whole.pages))
	}
	v.leave(f.t.Ask, f.draft.Answers)
	v.leave(f.t.Ask, f.typed())
	return v
}

// refuse returns the form with what keeps it from being sent, or nil. A form that
// must be confirmed is one of those; sure is what was confirmed.
func (s *Site) refuse(who *auth.Principal, f *filled, do, sure string) *ask {
	words, missing := sayso.ByAskKind(f.t.Ask, problems, undecided)(f.t.Ask, f.all)
	answered := len(f.all) - missing
	if len(words) == 0 || do == "partial" && answered > 0 && len(words) == missing {
		dangerous, value := danger(f)
		if len(dangerous) == 0 || sure == value || !f.t.Open() {
			return nil
		}
		v := s.refill(who, f)
		v.Confirm = &confirm{Options: dangerous, Value: do + " " + value}
		return v
	}
	for i := range f.all {
		if f.all[i].named != nil && !f.all[i].both {
			f.all[i].take(&f.t.Ask.Questions[i])
		}
	}
	v := s.refill(who, f)
	if v.Closed != nil {
		return v
	}
	v.Problems, v.Answered = words, answered
	v.Partial = answered > 0 && len(words) == missing
	for i := range v.Questions {
		v.Questions[i].Missing = !f.all[i].Answered()
	}
	return v
}

// danger returns the dangerous options that the form chooses, and what names exactly
// these: a confirmation of others is none.
func danger(f *filled) (options []*sayso.Option, value string) {
	var names []string
	for _, a := range answers(f.all) {
		for _, o := range f.t.Ask.Dangerous([]sayso.Answer{a}) {
			options, names = append(options, o), append(names, a.QuestionID, o.ID)
		}
	}
	return options, fmt.Sprintf("%q", names)
}

// done shows what became of a form that was taken. A script is given it at once, so
// that it cannot miss it; a browser is led to it, so that going back sends nothing.
func (s *Site) done(w http.ResponseWriter, r *http.Request, who *auth.Principal, t *hub.Ticket) {
	if wantsPart(r) {
		s.show(w, r, http.StatusOK, who, t, s.view(r.Context(), who, t))
		return
	}
	http.Redirect(w, r, "/ask/"+s.hub.Handle(t.Address), http.StatusSeeOther)
}

// outdated shows the ask as it is now to who sent a form of before an undo.
func (s *Site) outdated(w http.ResponseWriter, r *http.Request, who *auth.Principal, f *filled) {
	v := s.view(r.Context(), who, f.t)
	if v.leave(f.t.Ask, f.typed()); v.Closed == nil {
		v.Problems = []string{"Nothing was sent: you answered this question and undid the answer after this page was opened. This is the form as it is now."}
	}
	s.show(w, r, http.StatusConflict, who, f.t, v)
}

// unsent shows why a form was not taken.
func (s *Site) unsent(w http.ResponseWriter, r *http.Request, who *auth.Principal, f *filled, err error) {
	status, problem := http.StatusConflict, ""
	var taken *hub.ClosedError
	var changed *hub.ChangedError
	switch {
	case errors.As(err, &taken):
		f.t = taken.Ticket
	case errors.As(err, &changed):
		problem = "Nothing was sent: the question has changed since this page was opened. Read it again before you answer."
	case errors.Is(err, hub.ErrAssurance):
		status, problem = http.StatusForbidden, "Nothing was sent: this question needs a stronger sign-in than this browser has."
	case errors.Is(err, hub.ErrNotAllowed):
		status, problem = http.StatusForbidden, "Nothing was sent: this question is not to you."
	default:
		s.opts.Log.Error("sending an answer", "err", err)
		status, problem = http.StatusServiceUnavailable, "This may not have been sent: the hub could not say whether it stored it. What you typed is still here. Send it again in a moment; a repeat does no harm."
	}
	v := s.refill(who, f)
	if problem != "" {
		v.Problems = []string{problem}
	}
	s.show(w, r, status, who, f.t, v)
}

// undo opens the ask again, if what is undone is the answer that the page showed.
func (s *Site) undo(w http.ResponseWriter, r *http.Request, who *auth.Principal, t *hub.Ticket) {
	opened, err := s.inboxOf(who).Undo(r.Context(), &hub.Ticket{Address: t.Address, Nonce: r.PostForm.Get("of")})
	if err == nil {
		s.done(w, r, who, opened)
		return
	}
	status, problem := http.StatusConflict, ""
	var other *hub.ClosedError
	switch {
	case errors.As(err, &other) && hub.SameResponder(other.Ticket.Outcome.By, responder(who)):
		problem = "Nothing was undone: you have answered again since this page was opened. This is the answer as it is now."
	case errors.As(err, &other):
		problem = "Nothing was undone: only the person who answered can undo it."
	case errors.Is(err, hub.ErrConsumed):
		problem = "Nothing was undone: the agent already has this answer."
	case errors.Is(err, hub.ErrOpen):
		problem = "This question is open: there is no answer to undo."
	default:
		s.opts.Log.Error("undoing an answer", "err", err)
		status, problem = http.StatusServiceUnavailable, "This may not have been undone: the hub could not say whether it did. Try again in a moment."
	}
	if now, err := s.hub.Get(r.Context(), t.Address); err == nil {
		t = now
	}
	v := s.view(r.Context(), who, t)
	v.Problems = []string{problem}
	s.show(w, r, status, who, t, v)
}
