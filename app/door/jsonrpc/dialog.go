package jsonrpc

import (
	"context"
	"errors"

	"github.com/saysohq/sayso"
)

var (
	// errLost says that the user interface is gone.
	errLost = errors.New("jsonrpc: the user interface is gone")

	// errTooOften says that a user interface was asked as often as it may be.
	errTooOften = errors.New("no answer fitted the questions")
)

// maxRounds is how often a user interface is asked the same: again after an answer
// that does not fit the questions, and after one that was thought better of.
const maxRounds = 10

// exchange is one ask before the program at the other end.
type exchange struct {
	*peer
	method Method
	id     string
	a      *sayso.Ask
	last   *reply // the ask_user_response that is being dealt with
}

// ask has the ask answered by the program at the other end, and hands the outcome to
// give, which takes it where it counts. What does not fit is asked again, also if
// give says so, and what is dangerous once more by name. It returns when ctx ends,
// and with errLost when the connection does.
func (p *peer) ask(ctx context.Context, m Method, id string, a *sayso.Ask, give func(*sayso.Outcome) error) (err error) {
	x := &exchange{peer: p, method: m, id: id, a: a}
	x.open()
	defer func() { x.close(err) }()
	return sayso.ByAskKind(a, x.questions, x.questions)(ctx, give)
}

func (x *exchange) questions(ctx context.Context, give func(*sayso.Outcome) error) error {
	problem := ""
	kept := map[string]sayso.Answer{}
	for range maxRounds {
		o, err := x.round(ctx, kept, problem)
		if err == nil {
			err = give(o)
		}
		var invalid *sayso.InvalidError
		if !errors.As(err, &invalid) {
			return err
		}
		problem = sayso.RenderError(invalid)
		x.refuse(problem)
	}
	return errTooOften
}

// round asks once. An [*sayso.InvalidError] says why it has to be asked again, but for
// the questions whose answers are kept.
func (x *exchange) round(ctx context.Context, kept map[string]sayso.Answer, problem string) (*sayso.Outcome, error) {
	o, err := x.show(ctx, x.a, kept, problem)
	if err != nil {
		return nil, err
	}
	if o.Status == sayso.StatusUnanswered {
		clear(kept)
		return nil, wrong(sayso.ErrNoAnswer, "nothing was chosen or typed, so nothing was sent; decline if you do not want to answer")
	}
	if c := x.a.Confirmation(o.Answers); c != nil && o.Status == sayso.StatusAnswered {
		if err := x.confirm(ctx, c); err != nil {
			for _, ans := range o.Answers {
				if len(x.a.Dangerous([]sayso.Answer{ans})) > 0 {
					delete(kept, ans.QuestionID)
				}
			}
			return nil, err
		}
	}
	return o, nil
}

// confirm asks whether something dangerous is meant, until it is said.
func (x *exchange) confirm(ctx context.Context, c *sayso.Ask) error {
	problem := ""
	x.refuse(c.Questions[0].Text)
	for range maxRounds {
		o, err := x.show(ctx, c, map[string]sayso.Answer{}, problem)
		var invalid *sayso.InvalidError
		if err != nil && !errors.As(err, &invalid) {
			return err
		}
		if err == nil {
			switch yes, no := sayso.Confirmed(o); {
			case yes:
				return nil
			case no, o.Status == sayso.StatusDeclined, o.Status == sayso.StatusCancelled:
				return wrong(sayso.ErrNoAnswer, "nothing was sent")
			}
		}
		problem = "nothing was sent yet; choose one of the two"
		x.refuse(problem)
	}
	return errTooOften
}

// show sends questions and reads what comes back.
func (x *exchange) show(ctx context.Context, a *sayso.Ask, kept map[string]sayso.Answer, problem string) (*sayso.Outcome, error) {
	if x.method == AskUserRequest {
		return x.showForm(ctx, a, problem)
	}
	return x.showQuestions(ctx, a, kept, problem)
}

func wrong(kind error, message string) error {
	var e sayso.InvalidError
	e.Add(kind, "", message)
	return &e
}

// withdrawn tells the user interface why its dialog is over.
func (p *peer) withdrawn(ctx context.Context, m Method, id string, a *sayso.Ask, why error) {
	method, name := "client/ask_user_withdrawn", "request_id"
	if m == AskUserRequest {
		method, name = "ask_user_withdrawn", "requestId"
	}
	params := map[string]any{"status": sayso.StatusPending, "reason": why.Error()}
	var lost *sayso.SupersededError
	switch {
	case errors.As(why, &lost):
		params = closed(a, lost.Winner)
	case errors.Is(why, errTooOften):
		params["reason"] = why.Error() + ". It stays open: answer it in the inbox, sayso inbox"
	case errors.Is(why, errGone), errors.Is(why, context.Canceled):
		params["status"] = sayso.StatusUnreachable
	}
	params[name] = id
	p.notify(context.WithoutCancel(ctx), method, params)
}

// closed says what became of an ask: who closed it, where, and with what.
func closed(a *sayso.Ask, o *sayso.Outcome) map[string]any {
	params := map[string]any{"status": o.Settled().Status, "answer": sayso.RenderResult(a, o)}
	for name, s := range map[string]string{"by": o.By.ID, "surface": o.By.Surface, "reason": o.Reason} {
		if s != "" {
			params[name] = sayso.SafeLine(s)
		}
	}
	return params
}

func (p *peer) notify(ctx context.Context, method string, params any) error {
	return p.srv.Notify(ctx, method, params)
}
