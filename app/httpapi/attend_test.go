package httpapi

import (
	"testing"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

// Who attends to an open ask is told of, and nobody else.
func TestAttend(t *testing.T) {
	t.Parallel()
	type told struct {
		tenant, person string
		at             hub.Address
	}
	var all []told
	w := newWorld(t, &Options{Attend: func(tenant, person string, a hub.Address) { all = append(all, told{tenant, person, a}) }})
	tk := one(t, w)
	w.cell("bob", "POST", "/v1/asks/"+tk.ID+"/attend", "", false) // not his to answer
	w.cell("bot", "POST", "/v1/asks/"+tk.ID+"/attend", "", false) // who asks is no person
	must[struct{}](t, w, "ada", "POST", "/v1/asks/"+tk.ID+"/attend", "")
	must[api.Ticket](t, w, "ada", "PUT", "/v1/asks/"+tk.ID+"/answer", answerBody(tk, "pg"))
	must[struct{}](t, w, "ada", "POST", "/v1/asks/"+tk.ID+"/attend", "") // closed
	if len(all) != 1 || all[0].tenant != "acme" || all[0].person != "ada" || all[0].at.ID != tk.Ask.ID {
		t.Errorf("told of %+v", all)
	}
}
