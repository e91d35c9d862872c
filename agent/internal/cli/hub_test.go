package cli_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/hub"
)

// anybody is whoever has the key.
type anybody struct{}

func (anybody) Authenticate(r *http.Request) (*auth.Principal, error) {
	if r.Header.Get("Authorization") != "Bearer letmein" {
		return nil, auth.ErrCredential
	}
	return &auth.Principal{Tenant: "team", ID: "ann", Role: auth.Everything}, nil
}

// elsewhere is a hub in another process, as far as the agent can see.
func elsewhere(t *testing.T, h *home) *hub.Hub {
	t.Helper()
	room, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	api, err := httpapi.New(room, &httpapi.Options{Auth: anybody{}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(api)
	t.Cleanup(func() { api.Close(); server.Close(); room.Stop() })
	h.configure(func(c map[string]any) { c["hub"] = server.URL; c["hubKeyEnv"] = "HUB_KEY" })
	h.env["HUB_KEY"] = "letmein"
	return room
}

// answerAt answers the one ask that is open at a hub.
func answerAt(t *testing.T, room *hub.Hub, o *sayso.Outcome) {
	t.Helper()
	page, err := room.List(t.Context(), "team", nil)
	if err != nil || len(page.Tickets) != 1 {
		t.Fatalf("%+v %v", page, err)
	}
	o.By = sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "web"}
	if _, err := room.Close(t.Context(), page.Tickets[0], o, nil); err != nil {
		t.Fatal(err)
	}
}

func sqlite() *sayso.Outcome {
	return &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}}}}
}

// Questions wait at a hub elsewhere. They are answered there while the agent sleeps,
// or here.
func TestHubElsewhere(t *testing.T) {
	t.Parallel()
	h := newHome(t, service())
	room := elsewhere(t, h)
	h.want(75, "", "-p", "Set up a service")
	answerAt(t, room, sqlite())
	if r := h.run("-p", "--answers", `["PostgreSQL"]`); r.code != 0 || r.out != "done\n" { // too late
		t.Errorf("%+v", r)
	}
	h.noFile()
	h.want(75, "", "-p", "Another")
	h.want(0, "done\n", "-p", "--answers", `["SQLite","x"]`)
	h.model.WantResults(t, `{"answers":{"Which database?":"SQLite"}}`, `{"answers":{"Which database?":"SQLite","What name?":"x"}}`)
	h.env["HUB_KEY"] = "wrong"
	if r := h.run("-p", "-c", "x"); r.code == 75 {
		t.Errorf("a wrong key: %+v", r)
	}
}
