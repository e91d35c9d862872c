package httpapi

import (
	"fmt"
	"net/http"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

func (s *Server) preferences(c *call) error {
	p, err := s.hub.Preferences(c.r.Context(), c.who.Tenant, c.who.ID)
	if err != nil {
		return err
	}
	return c.reply(http.StatusOK, p)
}

func (s *Server) savePreferences(c *call) error {
	var in hub.Preferences
	if err := c.decode(&in); err != nil {
		return err
	}
	if _, err := time.LoadLocation(in.Zone); err != nil || in.Zone == "Local" {
		var e sayso.InvalidError
		e.Add(hub.ErrPreference, "zone", fmt.Sprintf("is %q; use a name such as Europe/Berlin", in.Zone))
		return &e
	}
	if err := s.hub.SetPreferences(c.r.Context(), c.who.Tenant, c.who.ID, &in); err != nil {
		return err
	}
	return c.reply(http.StatusNoContent, nil)
}
