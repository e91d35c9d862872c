package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

// kind is a kind of problem. Its type is api.ProblemURN and the name.
type kind struct {
	name   string
	status int
	title  string
	detail string // what to do about it, where the occurrence has nothing better to say
}

// The kinds of problems, by status.
var (
	badJSON         = kind{"bad-json", 400, "Invalid JSON", "Send one JSON value in UTF-8, without duplicate keys."}
	badRequest      = kind{"bad-request", 400, "Invalid request", "Check the path, the query and the headers."}
	nothingWaits    = kind{"nothing-waits", 400, "No open ask", "No ask of this conversation is open."}
	unauthenticated = kind{api.Unauthenticated, 401, "Not authenticated", "Send a valid key: Authorization: Bearer KEY. A key can be expired or revoked."}
	notAllowed      = kind{api.NotAllowed, 403, "Not allowed", "This key may not do that. Use a key with another role."}
	lowAssurance    = kind{api.LowAssurance, 403, "Stronger sign-in required", "Answer with a stronger credential."}
	crossOrigin     = kind{"cross-origin", 403, "Cross-origin request", "Only pages of this server and programs may call it, not other web pages."}
	notFound        = kind{api.NotFound, 404, "Not found", "No ask with this id is visible to this key. Check the id, or use a key that may read it."}
	badMethod       = kind{"method-not-allowed", 405, "Method not allowed", "The Allow header lists the methods of this path."}
	alreadyClosed   = kind{api.AlreadyClosed, 409, "Already closed", "The ask has another outcome. The first one counts."}
	changed         = kind{api.Changed, 409, "Ask changed", "The questions differ from those you were shown. Read the ask again."}
	undone          = kind{api.Undone, 409, "Answer undone", "This answer was given and then undone. Answer again with a new request."}
	stillOpen       = kind{api.StillOpen, 409, "Still open", "The ask has no outcome yet."}
	consumed        = kind{api.Consumed, 409, "Already delivered", "The asker has received the outcome, so it can no longer be undone."}
	severalWait     = kind{"several-wait", 409, "Several open asks", "Name one of them by its id."}
	tooLarge        = kind{"too-large", 413, "Body too large", "Send a smaller body."}
	badMediaType    = kind{"bad-media-type", 415, "Unsupported media type", "Send Content-Type: application/json."}
	wrongHost       = kind{"wrong-host", 421, "Wrong host", "The server does not accept this host name. Add it with: sayso serve --host NAME"}
	invalid         = kind{api.Invalid, 422, "Invalid content", "The errors list what is wrong with the request."}
	keyReused       = kind{api.KeyReused, 422, "Idempotency key reused", "This key belongs to a different request. Send a new key with a new ask."}
	tooMany         = kind{api.TooMany, 429, api.TooManyTitle, "Wait as long as Retry-After says, then send the request again."}
	internal        = kind{api.Internal, 500, "Internal error", "The hub's log has the cause."}
	unavailable     = kind{api.Unavailable, 503, "Temporarily unavailable", "Send the same request again after the seconds in Retry-After. Repeating it is safe."}
)

func kinds() []kind {
	return []kind{
		badJSON, badRequest, nothingWaits, unauthenticated, notAllowed, lowAssurance, crossOrigin, notFound, badMethod,
		alreadyClosed, changed, undone, stillOpen, consumed, severalWait, tooLarge, badMediaType, wrongHost,
		invalid, keyReused, tooMany, internal, unavailable,
	}
}

// problem is an error that says what the client is told.
type problem struct {
	api.Problem
	retry time.Duration // Retry-After; zero: none; negative: at once
	cause error         // for the log; nil: the client's mistake
}

func (p *problem) Error() string { return p.Title + ": " + p.Detail }
func (p *problem) Unwrap() error { return p.cause }

// problem says what happened this time; with nothing to say, what to do about its kind.
func (k kind) problem(detail string) *problem {
	return &problem{Problem: api.Problem{Type: api.ProblemURN + k.name, Title: k.title, Status: k.status, Detail: cmp.Or(detail, k.detail)}}
}

func (k kind) problemf(format string, args ...any) *problem {
	return k.problem(fmt.Sprintf(format, args...))
}

// problemOf says what an error of the hub is to a client.
func (c *call) problemOf(err error) *problem {
	var (
		p       *problem
		closed  *hub.ClosedError
		changes *hub.ChangedError
		bad     *sayso.InvalidError
	)
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &closed):
		p = alreadyClosed.problem(winner(closed.Ticket))
		p.Late = closed.Late
		if t, ok := c.view(closed.Ticket); ok {
			p.Ticket = &t
		}
		return p
	case errors.As(err, &changes):
		return changed.problem("")
	case errors.As(err, &bad):
		return invalidProblem(bad)
	case errors.Is(err, hub.ErrNotFound), errors.Is(err, hub.ErrHandle):
		return notFound.problem("")
	case errors.Is(err, hub.ErrNotAllowed):
		return notAllowed.problem("The ask is addressed to somebody else.")
	case errors.Is(err, hub.ErrAssurance):
		return lowAssurance.problem("")
	case errors.Is(err, hub.ErrStatus):
		return invalid.problem("This status does not close an ask.")
	case errors.Is(err, hub.ErrUndone):
		return undone.problem("")
	case errors.Is(err, hub.ErrOpen):
		return stillOpen.problem("")
	case errors.Is(err, hub.ErrConsumed):
		return consumed.problem("")
	case errors.Is(err, auth.ErrCredential), errors.Is(context.Cause(c.r.Context()), auth.ErrCredential):
		return unauthenticated.problem("")
	case hub.FaultOf(err) != "":
		f := hub.FaultOf(err) // and not its error, which names a folder
		p = unavailable.problem(f.Advice())
		p.Reason, p.retry, p.cause = f, time.Second, err
		return p
	case errors.Is(err, hub.ErrFull), errors.Is(err, hub.ErrUndecided), errors.Is(err, hub.ErrConflict),
		errors.Is(err, hub.ErrStopped), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		p = unavailable.problem(whyUnavailable(err))
		p.retry, p.cause = time.Second, err
		if errors.Is(err, hub.ErrStopped) { // another gateway may be there
			p.retry = -1
		}
		return p
	}
	p = internal.problem("")
	p.cause = err
	return p
}

// whyUnavailable says what a client may know about an error that may pass.
func whyUnavailable(err error) string {
	switch {
	case errors.Is(err, hub.ErrFull):
		return "The hub is full: it stores no more asks until some are closed."
	case errors.Is(err, hub.ErrStopped):
		return "The hub is shutting down. Send the same request again when it is back."
	}
	return "The hub does not know whether the request was stored. Send it again: repeating it is safe."
}

// winner names who closed the ask, or will have closed it.
func winner(t *hub.Ticket) string {
	o := t.Outcome
	who := cmp.Or(o.By.ID, string(o.By.Kind), "somebody")
	if o.By.Surface != "" {
		who += " on " + o.By.Surface
	}
	s := fmt.Sprintf("%s by %s at %s", o.Status, sayso.SafeLine(who), o.At.Format(time.RFC3339))
	if t.Held != nil {
		s += fmt.Sprintf(", which counts from %s on", t.Held.Until.Format(time.RFC3339))
	}
	return s
}

func invalidProblem(bad *sayso.InvalidError) *problem {
	p := invalid.problem("")
	for _, one := range bad.Problems {
		p.Errors = append(p.Errors, api.FieldProblem{Path: one.Path, Message: one.Message})
	}
	return p
}

// writeProblem ends a request with a problem.
func writeProblem(w http.ResponseWriter, p *problem) {
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="sayso"`)
	}
	if p.retry != 0 {
		h.Set("Retry-After", strconv.Itoa(int((max(p.retry, 0)+time.Second-1)/time.Second)))
	}
	body, err := json.Marshal(&p.Problem)
	if err != nil { // of the parts, only stored metadata could refuse to be encoded
		body = []byte(`{"type":"` + api.ProblemURN + internal.name + `"}`)
	}
	w.WriteHeader(p.Status)
	w.Write(append(body, '\n'))
}
