package hub_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

func TestPreferences(t *testing.T) {
	store := hub.NewMemory(nil)
	h, err := hub.Open(t.Context(), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	ada := h.Inbox("acme", sayso.Responder{Kind: sayso.ByPerson, ID: "ada"}).(hub.Desk)
	p, err := ada.Preferences(t.Context())
	if err != nil || p.Grace != nil || p.Language != "" {
		t.Fatalf("before anything is chosen: %+v, %v", p, err)
	}
	ten := 10
	if err := ada.SetPreferences(t.Context(), &hub.Preferences{Grace: &ten, Language: "de", Zone: "Europe/Berlin"}); err != nil {
		t.Fatal(err)
	}
	if err := ada.SetPreferences(t.Context(), &hub.Preferences{Grace: &ten, Language: "en"}); err != nil {
		t.Fatal(err)
	}
	again, err := hub.Open(t.Context(), store, nil) // another process
	if err != nil {
		t.Fatal(err)
	}
	defer again.Stop()
	p, err = again.Preferences(t.Context(), "acme", "ada")
	if err != nil || *p.Grace != 10 || p.Language != "en" || p.Zone != "" {
		t.Errorf("kept %+v, %v", p, err)
	}
	for _, who := range [][2]string{{"acme", "bob"}, {"other", "ada"}} {
		if p, err := again.Preferences(t.Context(), who[0], who[1]); err != nil || p.Grace != nil {
			t.Errorf("%s has %+v, %v", who, p, err)
		}
	}
	thirtyOne := 31
	for field, bad := range map[string]*hub.Preferences{
		"grace":    {Grace: &thirtyOne},
		"language": {Language: "de\n"},
		"zone":     {Zone: "../etc/passwd"},
	} {
		err := ada.SetPreferences(t.Context(), bad)
		if !errors.Is(err, hub.ErrPreference) || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
}
