package jsonrpc

import (
	"context"
	"errors"

	"github.com/creachadair/jrpc2"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/hub"
)

// form is an ask_user_request.
type form struct {
	RequestID string `json:"requestId"`
	*dialect.PiForm
	SessionID string `json:"sessionId,omitempty"`
	HeldUp    string `json:"heldUp,omitempty"`
	Needs     string `json:"needs,omitempty"`
	Notice    string `json:"notice,omitempty"`
	Warning   string `json:"warning,omitempty"`
	Error     string `json:"error,omitempty"`
}

func formOf(id string, a *sayso.Ask) *form {
	return &form{RequestID: id, PiForm: dialect.NewPiForm(a), SessionID: a.Origin.Conversation, HeldUp: a.HeldUp().String(), Needs: a.Needs(), Notice: a.Notice(), Warning: a.Warning()}
}

// reply is an ask_user_response. Its verdict comes once it is known what became of
// it.
type reply struct {
	data    []byte
	verdict chan verdict
}

type verdict struct {
	accepted bool   // what it says is where it counts
	problem  string // why not
	late     bool   // the ask was closed without it
}

func (r *reply) settle(v verdict) { r.verdict <- v }

// open lets responses in.
func (x *exchange) open() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.method == AskUserRequest {
		x.waiting[x.id] = make(chan *reply, 1)
	}
}

// close ends that, and says what became of the last response.
func (x *exchange) close(err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.drop(verdict{late: true, problem: "another answer came before it"})
	delete(x.waiting, x.id)
	if x.last == nil {
		return
	}
	var lost *sayso.SupersededError
	switch {
	case err == nil:
		x.last.settle(verdict{accepted: true})
	case errors.As(err, &lost):
		x.last.settle(verdict{late: true, problem: err.Error()})
	default:
		x.last.settle(verdict{problem: err.Error()})
	}
}

// drop settles a response that nobody has asked for. The lock is held.
func (x *exchange) drop(v verdict) {
	select {
	case r := <-x.waiting[x.id]:
		r.settle(v)
	default:
	}
}

// refuse says that the last response is not taken.
func (x *exchange) refuse(problem string) {
	if x.last != nil {
		x.last.settle(verdict{problem: problem})
		x.last = nil
	}
}

// showForm sends the whole form, as seed 1 does, and waits for the response.
func (x *exchange) showForm(ctx context.Context, a *sayso.Ask, problem string) (*sayso.Outcome, error) {
	msg := formOf(x.id, a)
	msg.Error = problem
	x.mu.Lock()
	responses := x.waiting[x.id]
	x.drop(verdict{problem: "it came before the form that it would have to answer"})
	x.mu.Unlock()
	if err := x.notify(ctx, string(AskUserRequest), msg); err != nil {
		return nil, errLost
	}
	select {
	case x.last = <-responses:
		return dialect.ReadPiForm(a, x.last.data)
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-x.gone:
		return nil, errLost
	}
}

// respond hands an ask_user_response to its dialog, if there is one.
func (p *peer) respond(id string, data []byte) *reply {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := &reply{data: data, verdict: make(chan verdict, 1)}
	select {
	case p.waiting[id] <- r:
		return r
	default:
		return nil
	}
}

// responseMethod takes the answers to ask_user_request. Closed returns the ask if it
// was closed without them, and nil if nobody knows of that; work runs it beside the
// messages.
func responseMethod(of func() *peer, work func(func()), closedAsk func(ctx context.Context, id string) *hub.Ticket) method {
	return method{
		Name: "ask_user_response", Direction: toServer,
		Description: "Answer an ask_user_request, as a notification or as a request, whose result comes once the answer is stored, or is not taken.",
		Params: []field{
			{"requestId", "string", true, "That of the request."},
			{"answers", "array", false, "In the order of the questions: a string, an array of strings, null, or {question, answer, selectedOption, wasCustom, note}."},
			{"reply", "string", false, "A reply to the form as a whole, in place of answers."},
			{"declined", "boolean", false, "The user does not want to answer."},
			{"cancelled", "boolean", false, "The user called it off."},
		},
		Result: append([]field{
			{"accepted", "boolean", true, "Whether the answer was stored."},
			{"error", "string", false, "Why it was not taken, in words. What can be answered otherwise comes as another ask_user_request."},
		}, closedFields(false)...),
		handle: handle(false, func(ctx context.Context, req *jrpc2.Request, p *struct {
			RequestID string `json:"requestId"`
		}) (any, error) {
			peer := of()
			r := peer.respond(p.RequestID, params(req))
			if !req.IsNotification() {
				return peer.verdict(ctx, r, func() *hub.Ticket { return closedAsk(ctx, p.RequestID) })
			}
			if r == nil {
				work(func() { // the other side believes that it has answered
					if t := closedAsk(ctx, p.RequestID); t != nil {
						peer.withdrawn(ctx, AskUserRequest, p.RequestID, t.Ask, &sayso.SupersededError{Winner: t.Outcome})
					}
				})
			}
			return nil, nil
		}),
	}
}

// verdict waits until it is known what became of a response, which may be nil, and
// words it.
func (p *peer) verdict(ctx context.Context, r *reply, closedAsk func() *hub.Ticket) (any, error) {
	v := verdict{late: true, problem: "no dialog of this requestId is open"}
	if r != nil {
		select {
		case v = <-r.verdict:
		case <-p.gone:
			return nil, errLost
		case <-ctx.Done():
			return nil, jrpc2.Errorf(requestCancelled, "the wait was cancelled; the answer is sent all the same")
		}
	}
	result := map[string]any{}
	if v.late {
		if t := closedAsk(); t != nil {
			result, v.problem = closed(t.Ask, t.Outcome), ""
		}
	}
	if result["accepted"] = v.accepted; v.problem != "" {
		result["error"] = v.problem
	}
	return result, nil
}
