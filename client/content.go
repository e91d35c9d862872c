package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

// sendContent stores what is too large to be a part of the ask, and returns the ask
// without it.
func (c *Client) sendContent(ctx context.Context, a *sayso.Ask) (*sayso.Ask, error) {
	if a.Approval == nil {
		return a, nil
	}
	a = a.Clone()
	a.Normalize()
	sent := map[string]bool{}
	for _, content := range a.Approval.Contents() {
		if !content.Stored || content.Text == "" {
			continue
		}
		for i, page := range content.Pages() {
			if sent[content.SHA256] {
				break
			}
			err := c.do(ctx, &request{
				what: "sending what is to be approved", method: http.MethodPut,
				path: "/v1/content/" + content.SHA256 + "/" + strconv.Itoa(i), body: api.ContentPage{Text: page},
				query: url.Values{"conversation": {a.Origin.Conversation}},
			})
			if err != nil {
				return nil, err
			}
		}
		sent[content.SHA256] = true
		content.Text = ""
	}
	return a, nil
}

// Content returns a page of what is stored beside an ask, as [hub.Hub.Content] does.
// [hub.Whole] returns an ask with all of it.
func (c *Client) Content(ctx context.Context, t *hub.Ticket, hash string, page int) (string, error) {
	var out api.ContentPage
	err := c.do(ctx, &request{
		what: "reading what is to be approved", method: http.MethodGet,
		path: "/v1/asks/" + url.PathEscape(t.Handle) + "/content/" + url.PathEscape(hash) + "/" + strconv.Itoa(page), into: &out,
	})
	return out.Text, err
}
