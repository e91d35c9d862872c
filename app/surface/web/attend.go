package web

import (
	"net/http"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// attend is told that the person looks at the ask at this moment.
func (s *Site) attend(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	t, err := s.ticket(r, who)
	if err != nil {
		http.Error(w, s.reader(r.Context()).Web.QuestionGone, http.StatusNotFound)
		return
	}
	if s.opts.Notify != nil && t.Open() {
		s.opts.Notify.Attend(who.Tenant, who.ID, t.Address)
	}
	w.WriteHeader(http.StatusNoContent)
}

// pick selects the option that a button of a notification named, and says so. It
// sends nothing, and it selects nothing dangerous: that takes a look at the page.
func (v *ask) pick(rd *reader, t *hub.Ticket, id string) {
	if id == "" || !t.Open() || v.TooWeak || len(v.Questions) != 1 {
		return
	}
	q := &v.Questions[0]
	if q.InputType() != "radio" {
		return
	}
	for i := range q.Cards {
		if c := &q.Cards[i]; c.ID == id && !c.Danger && (v.Approval == nil || c.Deny) {
			for j := range q.Cards {
				q.Cards[j].On = j == i
			}
			q.OwnOn = false
			v.Tap, v.Picked = false, rd.Say(rd.Web.Picked, rd.Quote(sayso.SafeLine(c.Label)))
			return
		}
	}
}
