package client

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

	"github.com/saysohq/sayso/api"
)

// Sessions returns where the credential's person is signed in, the last used first.
func (c *Client) Sessions(ctx context.Context) ([]api.Session, error) {
	var list api.SessionList
	err := c.do(ctx, &request{what: "listing sessions", method: http.MethodGet, path: "/v1/sessions", into: &list})
	return list.Sessions, err
}

// EndSession signs the person out of a device. [hub.ErrNotFound] says that there is
// no such session of theirs, or no longer.
func (c *Client) EndSession(ctx context.Context, id string) error {
	return c.do(ctx, &request{what: "ending a session", method: http.MethodPost, path: "/v1/sessions/" + url.PathEscape(cmp.Or(id, "-")) + "/end"})
}
