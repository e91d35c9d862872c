package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

var _ hub.Recaller = (*Client)(nil)

// Precedents returns what was answered before to the same questions, or to ones like
// them: see [hub.Hub.Precedents].
func (c *Client) Precedents(ctx context.Context, seen *hub.Ticket) ([]hub.Precedent, error) {
	var list api.PrecedentList
	err := c.do(ctx, &request{what: "reading earlier answers", method: http.MethodGet, path: askPath(seen.Handle, "precedents"), into: &list})
	if err != nil {
		var e *Error
		if errors.As(err, &e) && e.Status == http.StatusNotFound {
			if _, gone := c.Get(ctx, seen.Handle); gone == nil { // the ask is there: a hub of an earlier version
				err = fmt.Errorf("client: reading earlier answers: %w", errors.ErrUnsupported)
			}
		}
		return nil, err
	}
	var out []hub.Precedent
	for i := range list.Precedents {
		p := &list.Precedents[i]
		t := p.Ticket.Known()
		if t == nil {
			return nil, errNoTicket
		}
		out = append(out, hub.Precedent{Ticket: t, Same: p.Same, Score: p.Score, Answers: p.Answers})
	}
	return out, nil
}

// Decisions returns what people decided in a workspace, as far as the credential may
// read it: see [hub.Recaller]. Visible is not used: the hub knows what may be seen.
func (c *Client) Decisions(ctx context.Context, d *hub.Decisions) ([]*hub.Ticket, error) {
	if d == nil {
		d = &hub.Decisions{}
	}
	q := url.Values{"workspace": {d.Workspace}}
	if d.Text != "" {
		q.Set("q", d.Text)
	}
	if d.Limit > 0 {
		q.Set("limit", strconv.Itoa(min(d.Limit, 50)))
	}
	var page api.TicketPage
	if err := c.do(ctx, &request{what: "looking up decisions", method: http.MethodGet, path: "/v1/decisions", query: q, into: &page}); err != nil {
		var e *Error
		if errors.As(err, &e) && e.Status == http.StatusNotFound { // a hub of an earlier version
			err = fmt.Errorf("client: looking up decisions: %w", errors.ErrUnsupported)
		}
		return nil, err
	}
	out := make([]*hub.Ticket, len(page.Tickets))
	for i := range page.Tickets {
		if out[i] = page.Tickets[i].Known(); out[i] == nil {
			return nil, errNoTicket
		}
	}
	return out, nil
}
