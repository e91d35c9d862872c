package httpapi

import (
	"net/http"
	"strconv"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

// page reads which page of which content the path names.
func (c *call) page() (hash string, page int, err error) {
	page, err = strconv.Atoi(c.r.PathValue("page"))
	if err != nil || page < 0 {
		return "", 0, badRequest.problem("The page is a number from 0 on.")
	}
	return c.r.PathValue("hash"), page, nil
}

func (s *Server) putContent(c *call) error {
	hash, page, err := c.page()
	if err != nil {
		return err
	}
	var in api.ContentPage
	if err := c.decode(&in); err != nil {
		return err
	}
	written, err := s.store(c, int64(len(in.Text)+recordExtra))
	if err != nil {
		return err
	}
	conversation := c.r.URL.Query().Get("conversation")
	if len(conversation) > maxID {
		return badRequest.problemf("The conversation has %d bytes; use at most %d.", len(conversation), maxID)
	}
	of := hub.Address{Tenant: c.who.Tenant, Asker: hub.AskerToken(c.who.ID), Conversation: conversation}
	err = s.hub.PutContent(c.r.Context(), of, hash, page, in.Text)
	if err != nil {
		written(0)
		return err
	}
	written(int64(len(in.Text) + recordExtra))
	return c.reply(http.StatusNoContent, nil)
}

func (s *Server) getContent(c *call) error {
	hash, page, err := c.page()
	if err != nil {
		return err
	}
	t, err := c.seen()
	if err == nil && sees(c.who, t) == outline {
		err = hub.ErrNotFound
	}
	if err != nil {
		return err
	}
	text, err := s.hub.Content(c.r.Context(), t, hash, page)
	if err != nil {
		return err
	}
	c.read(len(text))
	return c.reply(http.StatusOK, api.ContentPage{Text: text})
}
