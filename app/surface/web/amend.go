package web

import (
	"errors"
	"net/http"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// amendPage shows the form of a closed ask, with the person's own answer in it, to be
// changed. It reports whether the answer can be.
func (s *Site) amendPage(w http.ResponseWriter, r *http.Request, rd *reader, t *hub.Ticket) bool {
	if t.Open() || rd.closing(t) == nil || !rd.closing(t).Amend {
		return false
	}
	s.show(w, r, http.StatusOK, t, s.amending(rd, t, again(t.Ask, t.Outcome.Answers)))
	return true
}

// amending is the form of an answer that is changed.
func (s *Site) amending(rd *reader, t *hub.Ticket, so []said) *ask {
	open := *t
	open.Outcome = nil
	v := s.fill(rd, &open, so)
	v.State, v.Life, v.Tap, v.More, v.Amending = state(t, rd.by()), "", false, nil, true
	v.Send = rd.Inbox.Amend
	return v
}

// amend takes the form of an answer that is changed.
func (s *Site) amend(w http.ResponseWriter, r *http.Request, rd *reader, t *hub.Ticket) {
	f := &filled{t: t, all: rd.readForm(t.Ask, r.PostForm), draft: &hub.Draft{}}
	again := func(status int, problems ...string) {
		v := s.amending(rd, t, f.all)
		v.Problems = problems
		s.show(w, r, status, t, v)
	}
	if words, _ := rd.problems(t.Ask, f.all); len(words) > 0 {
		again(http.StatusUnprocessableEntity, words...)
		return
	}
	_, sure, _ := cutDo(r)
	if dangerous, value := danger(f); len(dangerous) > 0 && sure != value {
		v := s.amending(rd, t, f.all)
		v.Confirm = &confirm{Options: dangerous, Words: rd.confirmWords(dangerous), Value: "amend " + value}
		s.show(w, r, http.StatusUnprocessableEntity, t, v)
		return
	}
	seen := &hub.Ticket{Address: t.Address, Digest: r.PostForm.Get("digest"), Nonce: r.PostForm.Get("of")}
	now, err := s.deskOf(rd.who).Amend(r.Context(), seen, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: answers(f.all)})
	var other *hub.ClosedError
	var changed *hub.ChangedError
	switch {
	case err == nil:
		s.done(w, r, rd, now, "")
	case errors.As(err, &other):
		v := s.view(r.Context(), rd, other.Ticket)
		v.Problems = []string{rd.Say(rd.Inbox.NotAmended, rd.Web.UndoAnswered)}
		s.show(w, r, http.StatusConflict, other.Ticket, v)
	case errors.As(err, &changed):
		again(http.StatusConflict, rd.Web.Changed)
	case unsupported(err):
		again(http.StatusNotImplemented, rd.Web.Unsupported)
	case errors.Is(err, hub.ErrNotAllowed), errors.Is(err, hub.ErrConsumed), errors.Is(err, hub.ErrAssurance):
		again(http.StatusForbidden, rd.Say(rd.Inbox.NotAmended, rd.Web.NoAmendApproval))
	default:
		s.opts.Log.Error("amending an answer", "err", err)
		again(http.StatusServiceUnavailable, rd.Web.MaybeUnsent)
	}
}
