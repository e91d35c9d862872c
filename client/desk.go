package client

import (
	"context"
	"net/http"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

var _ hub.Desk = inbox{}

func (in inbox) Search(ctx context.Context, s *hub.Search) (*hub.Found, error) {
	return in.client.Search(ctx, s)
}

func (in inbox) Hold(ctx context.Context, seen *hub.Ticket, o *sayso.Outcome, d time.Duration) (*hub.Ticket, error) {
	return in.client.Hold(ctx, seen, o, d)
}

func (in inbox) Amend(ctx context.Context, seen *hub.Ticket, o *sayso.Outcome) (*hub.Ticket, error) {
	return in.client.Amend(ctx, seen, o)
}

func (in inbox) AskAgain(ctx context.Context, seen *hub.Ticket) (*hub.Ticket, error) {
	return in.client.ticket(ctx, &request{what: "asking again", method: http.MethodPost, path: askPath(seen.Handle, "again")})
}

func (in inbox) Snooze(ctx context.Context, seen *hub.Ticket, s *hub.Snooze) error {
	r := &request{what: "snoozing", method: http.MethodPost, path: askPath(seen.Handle, "snooze"), body: s}
	if s == nil {
		r.method, r.body = http.MethodDelete, nil
	}
	return in.client.do(ctx, r)
}

func (in inbox) Delegate(ctx context.Context, seen *hub.Ticket, to, comment string) (*hub.Ticket, error) {
	return in.client.ticket(ctx, &request{what: "delegating", method: http.MethodPost, path: askPath(seen.Handle, "delegate"), body: api.DelegateRequest{
		To: to, Comment: comment, Surface: in.client.opts.Surface,
	}})
}

func (in inbox) People(ctx context.Context) ([]string, error) {
	var list api.People
	err := in.client.do(ctx, &request{what: "reading who there is", method: http.MethodGet, path: "/v1/people", into: &list})
	return list.People, err
}

// Active says that the person does something at the inbox: see [hub.Hub.Active].
func (in inbox) Active(ctx context.Context) error {
	return in.client.do(ctx, &request{what: "saying that you are there", method: http.MethodPost, path: "/v1/active"})
}

func (in inbox) Precedents(ctx context.Context, seen *hub.Ticket) ([]hub.Precedent, error) {
	return in.client.Precedents(ctx, seen)
}

func (in inbox) Preferences(ctx context.Context) (*hub.Preferences, error) {
	var p hub.Preferences
	err := in.client.do(ctx, &request{what: "reading preferences", method: http.MethodGet, path: "/v1/preferences", into: &p})
	return &p, err
}

func (in inbox) SetPreferences(ctx context.Context, p *hub.Preferences) error {
	return in.client.do(ctx, &request{what: "storing preferences", method: http.MethodPut, path: "/v1/preferences", body: p})
}
