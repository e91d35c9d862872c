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
		http.Error(w, "This question does not exist or was removed.", http.StatusNotFound)
		return
	}
	if s.opts.Notify != nil && t.Open() {
		s.opts.Notify.Attend(who.Tenant, who.ID, t.Address)
	}
	w.WriteHeader(http.StatusNoContent)
}

// pick selects the option that a button of a notification named, and says so. It
// sends nothing, and it selects nothing dangerous: that takes a look at the page.
func (v *ask) pick(t *hub.Ticket, id string) {
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
			v.Picked = "“" + sayso.SafeLine(c.Label) + "” is selected because you chose it in the notification. Nothing is sent yet."
			return
		}
	}
}
