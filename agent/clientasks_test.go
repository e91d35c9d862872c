package agent_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// overHTTP has the host ask a hub elsewhere.
func (w *world) overHTTP(o *agent.Options) {
	t := w.t
	keys, err := auth.OpenKeys(t.Context(), hub.NewMemory(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(keys.Close)
	secret, _, err := keys.Create(t.Context(), auth.KeySpec{Role: auth.Asker, Tenant: "home", Subject: "bot"})
	if err != nil {
		t.Fatal(err)
	}
	api, err := httpapi.New(w.hub, &httpapi.Options{Auth: keys})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(api.Close)
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	c, err := client.New(server.URL, &client.Options{Key: secret})
	if err != nil {
		t.Fatal(err)
	}
	o.Asks, w.asker = c, "bot"
}

func TestAsksOverHTTP(t *testing.T) {
	t.Parallel()
	w := newClosedWorld(t, wires[0], modeltest.Steps(
		uses(use("ask_user", questions("Which?", "a", "b")), use("write", text("x"))),
		uses(use("ask_user", questions("Really?", "yes", "no"))),
		modeltest.Say("done"),
	))
	w.overHTTP(&w.opts)
	w.open()
	w.send("c1", "m1", "Go")
	w.answer(w.rest("c1", "awaiting_user_response").Asks()[0], chose("o2"))
	// The second ask is answered while no host is there.
	c := w.rest("c1", "awaiting_user_response")
	for len(c.Closed) == 0 || len(c.Asks()) == 0 {
		c = w.rest("c1", "awaiting_user_response")
	}
	w.host.Stop()
	w.answer(c.Asks()[0], chose("o1"))
	w.open()
	if got := tell(w.rest("c1", "idle")); !strings.Contains(got, `{"answers":{"Really?":"yes"}}`) {
		t.Error(got)
	}
}

func TestWithdrawOverHTTP(t *testing.T) {
	t.Parallel()
	w := newClosedWorld(t, wires[0], modeltest.Steps(uses(use("ask_user", questions("Which?", "a", "b"))), modeltest.Say("done")))
	w.overHTTP(&w.opts)
	w.open()
	w.send("c1", "m1", "Go")
	a := w.rest("c1", "awaiting_user_response").Asks()[0]
	if err := w.host.Cancel(w.context(), "c1", "enough"); err != nil {
		t.Fatal(err)
	}
	w.rest("c1", "idle")
	if ticket, err := w.hub.Get(t.Context(), w.addressOf(a)); err != nil || ticket.Status() != sayso.StatusCancelled {
		t.Errorf("%v, %v", ticket, err)
	}
}
