package client_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// A hub of an earlier version has no precedents and no decisions: surfaces hide them.
// An ask that is gone is something else.
func TestPrecedentsOfAnEarlierHub(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/asks/there" {
			a := &sayso.Ask{ID: "a", Questions: []sayso.Question{{Text: "Which?"}}}
			a.Normalize()
			json.NewEncoder(w).Encode(api.Ticket{ID: "there", Ticket: hub.Ticket{Ask: a, Digest: a.Digest()}})
			return
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	defer srv.Close()
	c, err := client.New(srv.URL, &client.Options{Key: strings.Repeat("k", 20)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Precedents(t.Context(), &hub.Ticket{Handle: "there"}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("precedents: %v", err)
	}
	if _, err := c.Precedents(t.Context(), &hub.Ticket{Handle: "gone"}); err == nil || errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("precedents of what is gone: %v", err)
	}
	if _, err := c.Decisions(t.Context(), &hub.Decisions{Workspace: "shop"}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("decisions: %v", err)
	}
}
