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
}

// The kinds of problems, by status.
var (
	badJSON         = kind{"bad-json", 400, "The body is not JSON that every reader understands the same way"}
	badRequest      = kind{"bad-request", 400, "The request cannot be read"}
	nothingWaits    = kind{"nothing-waits", 400, "Nothing waits in this conversation"}
	unauthenticated = kind{api.Unauthenticated, 401, "The request has no credential that holds"}
	notAllowed      = kind{api.NotAllowed, 403, "This credential may not do that"}
	lowAssurance    = kind{api.LowAssurance, 403, "The ask wants to be surer who answers"}
	crossOrigin     = kind{"cross-origin", 403, "The request comes from a foreign web page"}
	notFound        = kind{api.NotFound, 404, "There is no such thing, or not for this credential"}
	badMethod       = kind{"method-not-allowed", 405, "The method is not one of this path"}
	alreadyClosed   = kind{api.AlreadyClosed, 409, "The ask has another outcome already"}
	changed         = kind{api.Changed, 409, "The ask is not what was shown"}
	undone          = kind{api.Undone, 409, "This answer was given and taken back"}
	stillOpen       = kind{api.StillOpen, 409, "The ask is open"}
	consumed        = kind{api.Consumed, 409, "The asker has the outcome, so it cannot be taken back"}
	severalWait     = kind{"several-wait", 409, "Several asks wait in this conversation: name one"}
	tooLarge        = kind{"too-large", 413, "The body is too large"}
	badMediaType    = kind{"bad-media-type", 415, "The body is not application/json"}
	wrongHost       = kind{"wrong-host", 421, "This server does not answer to that name"}
	invalid         = kind{api.Invalid, 422, "The request is not valid"}
	keyReused       = kind{api.KeyReused, 422, "The idempotency key was used for another request"}
	tooMany         = kind{api.TooMany, 429, api.TooManyTitle}
	internal        = kind{api.Internal, 500, "Something broke"}
	unavailable     = kind{api.Unavailable, 503, "The waiting room cannot do that now: try again"}
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
	retry time.Duration // Retry-After; zero: none
	cause error         // for the log; nil: the client's mistake
}

func (p *problem) Error() string { return p.Title + ": " + p.Detail }
func (p *problem) Unwrap() error { return p.cause }

func (k kind) problem(detail string) *problem {
	return &problem{Problem: api.Problem{Type: api.ProblemURN + k.name, Title: k.title, Status: k.status, Detail: detail}}
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
		p = alreadyClosed.problem(winner(closed.Ticket.Outcome))
		p.Late = closed.Late
		if t, ok := c.view(closed.Ticket); ok {
			p.Ticket = &t
		}
		return p
	case errors.As(err, &changes):
		return changed.problem("the questions are not those that are stored; read the ask again")
	case errors.As(err, &bad):
		return invalidProblem(bad)
	case errors.Is(err, hub.ErrNotFound), errors.Is(err, hub.ErrHandle):
		return notFound.problem("")
	case errors.Is(err, hub.ErrNotAllowed):
		return notAllowed.problem("the ask is to somebody else")
	case errors.Is(err, hub.ErrAssurance):
		return lowAssurance.problem("answer with a stronger credential")
	case errors.Is(err, hub.ErrStatus):
		return invalid.problem("this status does not close the ask")
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
		return "the hub has no room for more asks"
	case errors.Is(err, hub.ErrStopped):
		return "the hub is ending"
	}
	return "the hub cannot tell what became of the request; repeating it does no harm"
}

// winner names who closed the ask.
func winner(o *sayso.Outcome) string {
	who := cmp.Or(o.By.ID, string(o.By.Kind), "somebody")
	if o.By.Surface != "" {
		who += " on " + o.By.Surface
	}
	return fmt.Sprintf("%s by %s at %s", o.Status, sayso.SafeLine(who), o.At.Format(time.RFC3339))
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
	if p.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(int((p.retry+time.Second-1)/time.Second)))
	}
	body, err := json.Marshal(&p.Problem)
	if err != nil { // of the parts, only stored metadata could refuse to be encoded
		body = []byte(`{"type":"` + api.ProblemURN + internal.name + `"}`)
	}
	w.WriteHeader(p.Status)
	w.Write(append(body, '\n'))
}
