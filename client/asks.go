package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

// Submit stores an ask and returns its ticket, as [hub.Hub.Submit] does. An ask
// without an id gets one.
func (c *Client) Submit(ctx context.Context, a *sayso.Ask) (*hub.Ticket, error) {
	a, err := c.sendContent(ctx, a)
	if err != nil {
		return nil, err
	}
	return c.ticket(ctx, &request{what: "asking", method: http.MethodPost, path: "/v1/asks", body: named(a)})
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

// Try asks and waits for at most so long, in one request. The ticket is closed, and
// the hub knows that the asker has the outcome; or it is still open, and [Client.Await]
// waits on, in this or another process. With no time to wait it returns at once: with
// the outcome, if the same ask was made before and is closed.
//
// The same ask tried again is the same ask, so it may be tried again after any error.
// An ask without an id and a tool call gets a new id each time. A hub of an earlier
// version does not wait.
func (c *Client) Try(ctx context.Context, a *sayso.Ask, wait time.Duration) (*hub.Ticket, error) {
	wait = max(wait, 0)
	a, err := c.sendContent(ctx, a)
	if err != nil {
		return nil, err
	}
	t, err := c.ticket(ctx, &request{
		what: "asking", method: http.MethodPost, path: "/v1/asks", body: named(a), wait: wait,
		query: url.Values{"wait": {wait.String()}, "consume": {"1"}},
	})
	if err != nil || t.Open() || !t.Consumed.IsZero() {
		return t, err
	}
	return c.Consume(ctx, t.Handle) // an earlier version does not know consume
}

// Get returns the ticket as it is now.
func (c *Client) Get(ctx context.Context, handle string) (*hub.Ticket, error) {
	return c.ticket(ctx, &request{what: "reading", method: http.MethodGet, path: askPath(handle, "")})
}

// Wait returns the ticket once it is closed. It waits for as long as ctx lasts,
// also while there is no hub.
func (c *Client) Wait(ctx context.Context, handle string) (*hub.Ticket, error) {
	r := &request{
		what: "waiting", method: http.MethodGet, path: askPath(handle, ""), wait: c.opts.Poll, forever: true,
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
// person by name; Asker has no effect, as the credential says who asks.
func (c *Client) List(ctx context.Context, f *hub.Filter) (*hub.Tickets, error) {
	if f == nil {
		f = &hub.Filter{}
	}
	q := url.Values{}
	status := f.Status
	if f.Unconsumed {
		q.Set("consumed", "false")
		status = hub.AnyStatus
	}
	for name, v := range map[string]string{
		"to": f.Person, "conversation": f.Conversation, "status": string(status), "cursor": f.Cursor,
	} {
		if v != "" {
			q.Set(name, v)
		}
	}
	if f.Limit > 0 {
		q.Set("limit", strconv.Itoa(f.Limit))
	}
	var page api.TicketPage
	err := c.do(ctx, &request{what: "listing", method: http.MethodGet, path: "/v1/asks", query: q, into: &page})
	if err != nil {
		return nil, err
	}
	out := &hub.Tickets{Next: page.Next}
	for i := range page.Tickets {
		t := page.Tickets[i].Known()
		if t == nil {
			return nil, errNoTicket
		}
		if f.Unconsumed && !t.Open() && !t.Consumed.IsZero() {
			continue // a hub of an earlier version lists it all the same
		}
		out.Tickets = append(out.Tickets, t)
	}
	for range page.Damaged {
		out.Damaged = append(out.Damaged, &hub.CorruptError{Problem: "the hub cannot read it"})
	}
	return out, nil
}

// Answer closes the ask with what a person says, as [hub.Hub.Close] does; seen is
// the ticket as it was shown. The outcome's status is answered, unanswered,
// declined or cancelled; who gives it is the credential's person.
func (c *Client) Answer(ctx context.Context, seen *hub.Ticket, o *sayso.Outcome) (*hub.Ticket, error) {
	return c.ticket(ctx, c.answering(seen, o, 0))
}

// Hold answers as [Client.Answer] does, but the outcome counts only after so long,
// rounded up to seconds and at most [hub.MaxHold]. The ticket comes back open, and
// says until when the outcome is held; [Client.Undo] takes it back. A hub of an
// earlier version refuses it.
func (c *Client) Hold(ctx context.Context, seen *hub.Ticket, o *sayso.Outcome, d time.Duration) (*hub.Ticket, error) {
	r := c.answering(seen, o, int((min(max(d, 0), hub.MaxHold)+time.Second-1)/time.Second))
	r.header = http.Header{"Idempotency-Key": {rand.Text()}} // a second try after an undo is no second answer
	return c.ticket(ctx, r)
}

func (c *Client) answering(seen *hub.Ticket, o *sayso.Outcome, hold int) *request {
	return &request{what: "answering", method: http.MethodPut, path: askPath(seen.Handle, "answer"), body: api.AnswerRequest{
		Digest: seen.Digest, Status: o.Status, Answers: o.Answers, Reply: o.Reply, Reason: o.Reason, Surface: c.opts.Surface, Hold: hold,
	}}
}

// Amend replaces what the person said, as [hub.Hub.Amend] does.
func (c *Client) Amend(ctx context.Context, seen *hub.Ticket, o *sayso.Outcome) (*hub.Ticket, error) {
	return c.ticket(ctx, &request{what: "amending", method: http.MethodPost, path: askPath(seen.Handle, "amend"), body: api.AmendRequest{
		Digest: seen.Digest, Status: o.Status, Answers: o.Answers, Reply: o.Reply, Reason: o.Reason, Surface: c.opts.Surface,
	}})
}

// Relay closes the ask with what a program says, as [hub.Asker] describes it. Its
// surface is that of the outcome's By, or else the client's.
func (c *Client) Relay(ctx context.Context, seen *hub.Ticket, o *sayso.Outcome) (*hub.Ticket, error) {
	return c.ticket(ctx, &request{what: "handing on a reply", method: http.MethodPost, path: askPath(seen.Handle, "relay"), body: api.RelayRequest{
		Digest: seen.Digest, Status: o.Status, Answers: o.Answers, Reply: o.Reply, Reason: o.Reason, Surface: cmp.Or(o.By.Surface, c.opts.Surface),
	}})
}

// Decline closes the ask as one that the person will not answer.
func (c *Client) Decline(ctx context.Context, seen *hub.Ticket, reason string) (*hub.Ticket, error) {
	return c.ticket(ctx, &request{what: "declining", method: http.MethodPost, path: askPath(seen.Handle, "decline"), body: api.DeclineRequest{
		Digest: seen.Digest, Reason: reason, Surface: c.opts.Surface,
	}})
}

// Withdraw closes the ask on behalf of its asker, who no longer wants to know. The
// status is cancelled, or superseded if something newer took its place.
func (c *Client) Withdraw(ctx context.Context, handle string, status sayso.Status, reason string) (*hub.Ticket, error) {
	return c.ticket(ctx, &request{what: "withdrawing", method: http.MethodPost, path: askPath(handle, "withdraw"), body: api.WithdrawRequest{
		Status: status, Reason: reason,
	}})
}

// Consume tells the hub that the asker has the outcome, as [hub.Hub.Consume]
// does, and returns the ticket whose outcome it is.
func (c *Client) Consume(ctx context.Context, handle string) (*hub.Ticket, error) {
	return c.ticket(ctx, &request{what: "confirming", method: http.MethodPost, path: askPath(handle, "consumed")})
}

// Undo opens the ask again, as [hub.Hub.Undo] does.
func (c *Client) Undo(ctx context.Context, seen *hub.Ticket) (*hub.Ticket, error) {
	nonce := seen.Nonce
	if seen.Held != nil {
		nonce = seen.Held.Nonce
	}
	return c.ticket(ctx, &request{what: "undoing", method: http.MethodPost, path: askPath(seen.Handle, "undo"), body: api.UndoRequest{Nonce: nonce}})
}

// Draft returns what the person typed earlier, or [hub.ErrNotFound].
func (c *Client) Draft(ctx context.Context, handle string) (*hub.Draft, error) {
	var d hub.Draft
	err := c.do(ctx, &request{what: "reading a draft", method: http.MethodGet, path: askPath(handle, "draft"), into: &d})
	if err != nil {
		return nil, err
	}
	return &d, nil
}

// SaveDraft keeps what the person has typed.
func (c *Client) SaveDraft(ctx context.Context, handle string, d *hub.Draft) error {
	return c.do(ctx, &request{what: "saving a draft", method: http.MethodPut, path: askPath(handle, "draft"), body: api.DraftRequest{Answers: d.Answers, Reply: d.Reply}})
}

// Attend says that the person has the ask in front of them and has just done
// something there: notifications of it come later then. It counts for a minute, and
// [hub.ErrNotFound] also says that the hub is too old to know it.
func (c *Client) Attend(ctx context.Context, seen *hub.Ticket) error {
	return c.do(ctx, &request{what: "attending", method: http.MethodPost, path: askPath(seen.Handle, "attend")})
}

// ticket makes a request whose reply is a ticket.
func (c *Client) ticket(ctx context.Context, r *request) (*hub.Ticket, error) {
	var t api.Ticket
	r.into = &t
	if err := c.do(ctx, r); err != nil {
		return nil, err
	}
	if known := t.Known(); known != nil {
		return known, nil
	}
	return nil, errNoTicket
}

func askPath(handle, what string) string {
	path := "/v1/asks/" + url.PathEscape(cmp.Or(handle, "-"))
	if what != "" {
		path += "/" + what
	}
	return path
}
