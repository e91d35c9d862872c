package web

import (
	"errors"
	"net/http"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// undo opens the ask again, if what is undone is the answer that the page showed.
func (s *Site) undo(w http.ResponseWriter, r *http.Request, rd *reader, t *hub.Ticket) {
	opened, err := s.deskOf(rd.who).Undo(r.Context(), &hub.Ticket{Address: t.Address, Nonce: r.PostForm.Get("of")})
	if err == nil {
		s.done(w, r, rd, opened, "")
		return
	}
	status, problem := http.StatusConflict, ""
	var other *hub.ClosedError
	switch {
	case errors.As(err, &other) && hub.SameResponder(other.Ticket.Outcome.By, rd.by()):
		problem = rd.Web.UndoAnswered
	case errors.As(err, &other):
		problem = rd.Web.UndoOthers
	case errors.Is(err, hub.ErrConsumed):
		problem = rd.Web.UndoTold
	case errors.Is(err, hub.ErrOpen):
		problem = rd.Web.UndoOpen
	default:
		s.opts.Log.Error("undoing an answer", "err", err)
		status, problem = http.StatusServiceUnavailable, rd.Web.MaybeUndone
	}
	if now, err := s.hub.Get(r.Context(), t.Address); err == nil {
		t = now
	}
	v := s.view(r.Context(), rd, t)
	v.Problems = []string{problem}
	s.show(w, r, status, t, v)
}

// undoHeld takes back answers that are held, each named by the ask and what was held of
// it, and leads back to the first of them.
func (s *Site) undoHeld(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, s.reader(r.Context()).Web.NotNowText, statusOf(err))
		return
	}
	to, undone := "/", 0
	for i, handle := range r.PostForm["ask"] {
		if i >= len(r.PostForm["of"]) || i >= heldMost {
			break
		}
		if only := r.PostForm.Get("only"); only != "" && only != handle {
			continue
		}
		addr, err := s.hub.Find(r.Context(), handle)
		if err != nil || addr.Tenant != who.Tenant {
			continue
		}
		if _, err := s.deskOf(who).Undo(r.Context(), &hub.Ticket{Address: addr, Nonce: r.PostForm["of"][i]}); err == nil {
			undone++
		}
		if to == "/" { // where it says what became of it
			to = newList(r.URL.Query()).Ask(handle)
		}
	}
	if undone > 1 {
		to = newList(r.URL.Query()).address("/")
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}
