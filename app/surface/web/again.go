package web

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// askAgain asks a closed ask once more, and leads to the new one.
func (s *Site) askAgain(w http.ResponseWriter, r *http.Request, rd *reader, t *hub.Ticket) {
	again, err := s.deskOf(rd.who).AskAgain(r.Context(), t)
	if err == nil {
		s.done(w, r, rd, t, "/ask/"+url.PathEscape(s.hub.Handle(again.Address)))
		return
	}
	status, problem := http.StatusConflict, rd.Web.UndoOpen
	var invalid *sayso.InvalidError
	switch {
	case errors.Is(err, hub.ErrOpen):
	case errors.As(err, &invalid):
		status, problem = http.StatusUnprocessableEntity, rd.Say(rd.Inbox.NotAgain, invalid.Problems[0].Message)
	default:
		status, problem = s.refusal(rd, "asking again", err)
	}
	v := s.view(r.Context(), rd, t)
	v.Problems = []string{problem}
	s.show(w, r, status, t, v)
}
