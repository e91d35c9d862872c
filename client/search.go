package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

// Search returns a page of what the credential's person may see, open and closed, as
// [hub.Desk] does.
func (c *Client) Search(ctx context.Context, s *hub.Search) (*hub.Found, error) {
	if s == nil {
		s = &hub.Search{}
	}
	q := url.Values{}
	for name, v := range map[string]string{
		"text": s.Text, "view": string(s.View), "agent": s.Agent, "asker": s.Asker, "workspace": s.Workspace, "branch": s.Branch,
		"conversation": s.Conversation, "person": s.Person, "kind": string(s.Kind), "approval": s.Approval, "status": string(s.Status),
		"digest": s.Digest, "order": string(s.Order), "cursor": s.Cursor,
	} {
		if v != "" {
			q.Set(name, v)
		}
	}
	for name, at := range map[string]time.Time{"after": s.After, "before": s.Before} {
		if !at.IsZero() {
			q.Set(name, at.UTC().Format(time.RFC3339Nano))
		}
	}
	for name, on := range map[string]bool{"blocking": s.Blocking, "facets": s.Facets} {
		if on {
			q.Set(name, "1")
		}
	}
	if s.Limit > 0 {
		q.Set("limit", strconv.Itoa(min(s.Limit, 1000)))
	}
	var page api.SearchPage
	err := c.do(ctx, &request{what: "searching", method: http.MethodGet, path: "/v1/search", query: q, into: &page})
	var e *Error
	switch {
	case errors.As(err, &e) && e.Status == http.StatusNotFound: // a hub of an earlier version
		return nil, fmt.Errorf("client: searching: %w", errors.ErrUnsupported)
	case errors.As(err, &e) && e.Status == http.StatusBadRequest:
		e.cause = hub.ErrSearch
		return nil, err
	case err != nil:
		return nil, err
	}
	found := &hub.Found{Next: page.Next, Total: page.Total, Waiting: page.Waiting}
	for i := range page.Items {
		it := &page.Items[i]
		t := it.Ticket.Known()
		if t == nil {
			return nil, errNoTicket
		}
		found.Items = append(found.Items, hub.Item{Ticket: t, Snoozed: it.Snoozed, Same: it.Same})
	}
	if len(page.Facets) > 0 {
		found.Facets = map[string][]hub.Facet{}
	}
	for _, f := range page.Facets {
		for _, v := range f.Values {
			found.Facets[f.Filter] = append(found.Facets[f.Filter], hub.Facet{Value: v.Value, Count: v.Count})
		}
	}
	return found, nil
}
