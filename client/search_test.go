package client_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// Facets that a hub counts although nobody asked for them do no harm.
func TestSearchFacets(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		json.NewEncoder(w).Encode(api.SearchPage{Facets: []api.FilterFacet{{Filter: "agent", Values: []api.Facet{{Value: "planner", Count: 2}}}}})
	}))
	defer srv.Close()
	c, err := client.New(srv.URL, &client.Options{Key: strings.Repeat("k", 20)})
	if err != nil {
		t.Fatal(err)
	}
	found, err := c.Search(t.Context(), &hub.Search{})
	if err != nil {
		t.Fatal(err)
	}
	if agents := found.Facets["agent"]; len(agents) != 1 || agents[0] != (hub.Facet{Value: "planner", Count: 2}) {
		t.Errorf("found %+v", found.Facets)
	}
}
