package httpapi

import (
	"net/http"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// Server is the API over one hub.
type Server struct {
	hub         *hub.Hub
	description []byte
}

// call is one request.
type call struct {
	w   http.ResponseWriter
	r   *http.Request
	who *auth.Principal
}

func (c *call) view(t *hub.Ticket) (Ticket, bool) { return Ticket{}, false }
