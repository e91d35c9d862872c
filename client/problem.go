package client

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

// ErrCredential says that the hub does not take the key: it is unknown, revoked
// or expired, or there is none.
var ErrCredential = errors.New("the hub does not take the key")

var errNoTicket = errors.New("client: the hub's reply is not a ticket")

// Error is what the hub says is wrong with a request. It wraps the error that a
// hub in this process would have returned ([hub.ErrNotFound], a
// [*hub.ClosedError], a [*hub.StorageError] …), or [ErrCredential].
type Error struct {
	Status int    // of HTTP
	Type   string // of the problem, as docs/reference/http-api.md lists them; may be empty
	Title  string
	Detail string
	Quota  *api.Quota // the limit that the request met, if it did
	Reason hub.Fault  // why the hub can store nothing now; empty: it says nothing about that
	cause  error      // may be nil
	stored bool       // the ask that was sent is stored all the same
}

func (e *Error) Error() string {
	s := e.Title
	if s == "" {
		s = http.StatusText(e.Status)
	}
	if e.Reason != "" {
		return "the hub says: " + e.Detail
	}
	s = strings.ToLower(s[:min(len(s), 1)]) + s[min(len(s), 1):]
	var bad *sayso.InvalidError
	if errors.As(e.cause, &bad) {
		s += ": " + sayso.RenderError(bad)
	} else if e.Detail != "" {
		s += ": " + e.Detail
	}
	return "the hub says: " + s
}

func (e *Error) Unwrap() error { return e.cause }

// causes are the errors that are known by the kind of problem alone.
var causes = map[string]error{
	api.Unauthenticated: ErrCredential,
	api.NotAllowed:      hub.ErrNotAllowed,
	api.LowAssurance:    hub.ErrAssurance,
	api.NotFound:        hub.ErrNotFound,
	api.Undone:          hub.ErrUndone,
	api.StillOpen:       hub.ErrOpen,
	api.Consumed:        hub.ErrConsumed,
	api.Unavailable:     hub.ErrUndecided,
}

// readProblem makes an error of a reply that is none of success.
func readProblem(resp *http.Response) error {
	var p api.Problem
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/problem+json") {
		if data, err := io.ReadAll(io.LimitReader(resp.Body, maxReply)); err == nil {
			json.Unmarshal(data, &p) // what cannot be read says nothing more
		}
	}
	kind := strings.TrimPrefix(p.Type, api.ProblemURN)
	e := &Error{
		Status: resp.StatusCode, Type: p.Type, Title: sayso.SafeLine(p.Title), Detail: sayso.SafeLine(p.Detail),
		Quota: p.Quota, cause: causes[kind],
	}
	switch kind {
	case api.Unavailable:
		e.stored = p.Ticket.Known() != nil
		if slices.Contains(hub.Faults(), p.Reason) {
			e.Reason, e.Detail = p.Reason, cmp.Or(e.Detail, p.Reason.Advice())
			e.cause = errors.Join(hub.ErrUndecided, &hub.StorageError{Fault: p.Reason})
		}
	case api.AlreadyClosed:
		if t := p.Ticket.Known(); t != nil && t.Outcome != nil {
			e.cause = &hub.ClosedError{Ticket: t, Late: p.Late}
		}
	case api.Changed, api.KeyReused:
		e.cause = &hub.ChangedError{Shown: "another"}
	case api.Invalid:
		var bad sayso.InvalidError
		for _, one := range p.Errors {
			bad.Add(nil, one.Path, one.Message)
		}
		e.cause = bad.OrNil()
	}
	return e
}

// storedIn reports whether the hub says that it has stored what was sent.
func storedIn(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.stored
}
