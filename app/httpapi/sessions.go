package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
)

// Sessions are where people are signed in; *[auth.Sessions] has them.
type Sessions interface {
	List(ctx context.Context, tenant, person string) ([]auth.Session, error)
	End(ctx context.Context, tenant, person, id string) error
}

func (s *Server) sessions(c *call) error {
	list := api.SessionList{Sessions: []api.Session{}}
	if s.opts.Sessions != nil {
		all, err := s.opts.Sessions.List(c.r.Context(), c.who.Tenant, c.who.ID)
		if err != nil {
			return err
		}
		for _, n := range all {
			list.Sessions = append(list.Sessions, api.Session{
				ID: n.ID, Device: n.Device, Assurance: n.Assurance, Created: n.Created, Used: n.Used, Until: n.Until,
			})
		}
	}
	return c.reply(http.StatusOK, list)
}

func (s *Server) endSession(c *call) error {
	err := auth.ErrNoSession
	if s.opts.Sessions != nil {
		err = s.opts.Sessions.End(c.r.Context(), c.who.Tenant, c.who.ID, c.r.PathValue("id"))
	}
	if errors.Is(err, auth.ErrNoSession) {
		return notFound.problem("This person has no session with this id. It may have ended.")
	}
	if err != nil {
		return err
	}
	return c.reply(http.StatusNoContent, nil)
}
