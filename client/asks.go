package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Ticket is an ask in the waiting room, with the name that the API knows it by.
type Ticket struct {
	ID string `json:"id"` // opaque and URL-safe; Ask.ID is the asker's own name for it
	hub.Ticket
}

// Page is a part of a list.
type Page struct {
	Tickets []*Ticket `json:"tickets"`
	Next    string    `json:"next"`    // empty at the end; a page may be short, or empty, and still have a next one
	Damaged int       `json:"damaged"` // how many asks could not be read
}

// Submit stores an ask and returns its ticket, as [hub.Hub.Submit] does. An ask
// without an id gets one.
func (c *Client) Submit(ctx context.Context, a *sayso.Ask) (*Ticket, error) {
	return c.submit(ctx, named(a), false)
}

func (c *Client) submit(ctx context.Context, a *sayso.Ask, forever bool) (*Ticket, error) {
	return c.ticket(ctx, &request{what: "asking", method: http.MethodPost, path: "/v1/asks", body: a, forever: forever})
}

// named returns the ask with an id, by which the hub tells a second try from a
// second ask.
func named(a *sayso.Ask) *sayso.Ask {
	if a.ID != "" || a.Origin.ToolCall != "" {
		return a
	}
	c := *a
	c.ID = "ask_" + strings.ToLower(rand.Text())
	return &c
}

// Get returns the ticket as it is now.
func (c *Client) Get(ctx context.Context, id string) (*Ticket, error) {
	return c.ticket(ctx, &request{what: "reading", method: http.MethodGet, path: askPath(id, "")})
}

// Wait returns the ticket once it is closed. It waits for as long as ctx lasts,
// also while there is no hub.
func (c *Client) Wait(ctx context.Context, id string) (*Ticket, error) {
	r := &request{
		what: "waiting", method: http.MethodGet, path: askPath(id, ""), wait: c.opts.Poll, forever: true,
		query: url.Values{"wait": {c.opts.Poll.String()}},
	}
	for {
		t, err := c.ticket(ctx, r)
		if err != nil || !t.Open() {
			return t, err
		}
	}
}

// List returns a page of the tickets that the credential may see; nil, and empty
// fields, mean the defaults of [hub.Filter]. Person selects those that are to that
// person by name.
func (c *Client) List(ctx context.Context, f *hub.Filter) (*Page, error) {
	if f == nil {
		f = &hub.Filter{}
	}
	q := url.Values{}
	for name, v := range map[string]string{
		"to": f.Person, "conversation": f.Conversation, "status": string(f.Status), "cursor": f.Cursor,
	} {
		if v != "" {
			q.Set(name, v)
		}
	}
	if f.Limit > 0 {
		q.Set("limit", strconv.Itoa(f.Limit))
	}
	var page Page
	err := c.do(ctx, &request{what: "listing", method: http.MethodGet, path: "/v1/asks", query: q, into: &page})
	if err != nil {
		return nil, err
	}
	return &page, nil
}

// Answer closes the ask with what a person says, as [hub.Hub.Close] does; seen is
// the ticket as it was shown. The outcome's status is answered, unanswered,
// declined or cancelled; who gives it is the credential's person.
func (c *Client) Answer(ctx context.Context, seen *Ticket, o *sayso.Outcome) (*Ticket, error) {
	return c.answer(ctx, seen, o, c.opts.Surface)
}

func (c *Client) answer(ctx context.Context, seen *Ticket, o *sayso.Outcome, surface string) (*Ticket, error) {
	body := struct {
		Digest  string         `json:"digest"`
		Status  sayso.Status   `json:"status,omitempty"`
		Answers []sayso.Answer `json:"answers,omitempty"`
		Reply   string         `json:"reply,omitempty"`
		Reason  string         `json:"reason,omitempty"`
		Surface string         `json:"surface,omitempty"`
	}{seen.Digest, o.Status, o.Answers, o.Reply, o.Reason, surface}
	return c.ticket(ctx, &request{what: "answering", method: http.MethodPut, path: askPath(seen.ID, "answer"), body: body})
}

// Decline closes the ask as one that the person will not answer.
func (c *Client) Decline(ctx context.Context, seen *Ticket, reason string) (*Ticket, error) {
	body := struct {
		Digest  string `json:"digest"`
		Reason  string `json:"reason,omitempty"`
		Surface string `json:"surface,omitempty"`
	}{seen.Digest, reason, c.opts.Surface}
	return c.ticket(ctx, &request{what: "declining", method: http.MethodPost, path: askPath(seen.ID, "decline"), body: body})
}

// Withdraw closes the ask on behalf of its asker, who no longer wants to know.
func (c *Client) Withdraw(ctx context.Context, id, reason string) (*Ticket, error) {
	body := struct {
		Reason string `json:"reason,omitempty"`
	}{reason}
	return c.ticket(ctx, &request{what: "withdrawing", method: http.MethodPost, path: askPath(id, "withdraw"), body: body})
}

// Consume tells the hub that the asker has the outcome, as [hub.Hub.Consume]
// does, and returns the ticket whose outcome it is.
func (c *Client) Consume(ctx context.Context, id string) (*Ticket, error) {
	return c.consume(ctx, id, false)
}

func (c *Client) consume(ctx context.Context, id string, forever bool) (*Ticket, error) {
	return c.ticket(ctx, &request{what: "confirming", method: http.MethodPost, path: askPath(id, "consumed"), forever: forever})
}

// Undo opens the ask again, as [hub.Hub.Undo] does.
func (c *Client) Undo(ctx context.Context, seen *Ticket) (*Ticket, error) {
	body := struct {
		Nonce string `json:"nonce,omitempty"`
	}{seen.Nonce}
	return c.ticket(ctx, &request{what: "undoing", method: http.MethodPost, path: askPath(seen.ID, "undo"), body: body})
}

// Draft returns what the person typed earlier, or [hub.ErrNotFound].
func (c *Client) Draft(ctx context.Context, id string) (*hub.Draft, error) {
	var d hub.Draft
	err := c.do(ctx, &request{what: "reading a draft", method: http.MethodGet, path: askPath(id, "draft"), into: &d})
	if err != nil {
		return nil, err
	}
	return &d, nil
}

// SaveDraft keeps what the person has typed.
func (c *Client) SaveDraft(ctx context.Context, id string, d *hub.Draft) error {
	body := struct {
		Answers []sayso.Answer `json:"answers,omitempty"`
		Reply   string         `json:"reply,omitempty"`
	}{d.Answers, d.Reply}
	return c.do(ctx, &request{what: "saving a draft", method: http.MethodPut, path: askPath(id, "draft"), body: body})
}

// ticket makes a request whose reply is a ticket.
func (c *Client) ticket(ctx context.Context, r *request) (*Ticket, error) {
	var t Ticket
	r.into = &t
	if err := c.do(ctx, r); err != nil {
		return nil, err
	}
	return &t, t.check()
}

func (t *Ticket) check() error {
	if t.ID == "" || t.Ask == nil {
		return errNoTicket
	}
	return nil
}

func askPath(id, what string) string {
	path := "/v1/asks/" + url.PathEscape(cmp.Or(id, "-"))
	if what != "" {
		path += "/" + what
	}
	return path
}
