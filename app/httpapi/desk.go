package httpapi

import (
	"net/http"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

func (s *Server) snooze(c *call) error {
	var in hub.Snooze
	if err := c.decode(&in); err != nil {
		return err
	}
	return c.put(&in)
}

func (s *Server) unsnooze(c *call) error { return c.put(nil) }

// put puts an ask off, or no longer.
func (c *call) put(snooze *hub.Snooze) error {
	t, err := c.answerable()
	if err != nil {
		return err
	}
	if err := c.s.hub.Snooze(c.r.Context(), t, c.who.ID, snooze); err != nil {
		return err
	}
	return c.reply(http.StatusNoContent, nil)
}

func (s *Server) delegate(c *call) error {
	var in api.DelegateRequest
	if err := c.decode(&in); err != nil {
		return err
	}
	t, err := c.answerable()
	if err != nil {
		return err
	}
	return c.change(t.Size()+c.size, func() (*hub.Ticket, error) {
		return s.hub.Delegate(c.r.Context(), t, in.To, in.Comment, c.responder(in.Surface))
	})
}

func (s *Server) askAgain(c *call) error {
	t, err := c.answerable()
	if err != nil {
		return err
	}
	return c.change(t.Size(), func() (*hub.Ticket, error) {
		return s.hub.AskAgain(c.r.Context(), t, c.responder(""))
	})
}

// change writes at most so many bytes, if there is room for them, and replies with the
// ticket that comes of it.
func (c *call) change(need int, do func() (*hub.Ticket, error)) error {
	written, err := c.s.store(c, int64(need+recordExtra))
	if err != nil {
		return err
	}
	t, err := do()
	if err != nil || t.Replayed {
		written(0)
	} else {
		written(int64(t.Size() + recordExtra))
	}
	if err != nil {
		return err
	}
	return c.replyTicket(http.StatusOK, t)
}

func (s *Server) people(c *call) error {
	all, err := s.hub.People(c.r.Context(), c.who.Tenant, c.who.ID)
	if err != nil {
		return err
	}
	if all == nil {
		all = []string{}
	}
	return c.reply(http.StatusOK, api.People{People: all})
}

func (s *Server) noteActive(c *call) error {
	if err := s.hub.Active(c.r.Context(), c.who.Tenant, c.who.ID); err != nil {
		return err
	}
	return c.reply(http.StatusNoContent, nil)
}

// acts reports whether a request is something that a person does at an inbox, and not
// what a surface looks up by itself.
func (rt *route) acts(who *auth.Principal) bool {
	return who != nil && who.Role.Is(auth.Answerer) && rt.rule.roles == auth.Answerer && rt.method != http.MethodGet
}
