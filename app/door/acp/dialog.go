package acp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/saysohq/sayso"
)

// tries is how often an editor is asked the same: one whose replies cannot be read
// may be a program.
const tries = 4

var (
	errUnfit   = errors.New("acp: the ask is not shown in an editor")
	errUnclear = errors.New("acp: no answer could be read from the editor's replies")
)

// dialog asks in an editor with requests of our own: with a form if the editor takes
// forms, and else with permission requests.
type dialog struct {
	form       func(ctx context.Context, params any) (raw, error) // nil: the editor takes none
	permission func(ctx context.Context, r sdk.RequestPermissionRequest) (raw, error)
}

// ask returns what the person in the editor says.
func (d *dialog) ask(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	return sayso.ByAskKind(a, d.questions, d.questions)(ctx, a)
}

func (d *dialog) questions(ctx context.Context, a *sayso.Ask) (*sayso.Outcome, error) {
	if d.form != nil {
		return d.sure(ctx, a, func(wrong string) (*sayso.Outcome, error) { return d.byForm(ctx, a, wrong) })
	}
	o := &sayso.Outcome{Status: sayso.StatusAnswered}
	for i := range a.Questions {
		alone := *a
		alone.Questions = a.Questions[i : i+1]
		one, err := d.sure(ctx, &alone, func(wrong string) (*sayso.Outcome, error) { return d.byPermission(ctx, a, i, wrong) })
		if err != nil || one.Status != sayso.StatusAnswered {
			return one, err // of all or none
		}
		o.Answers = append(o.Answers, one.Answers...)
	}
	return o, nil
}

// askByDialog asks in the editor with requests of our own.
func (r *race) askByDialog(ctx context.Context, d *dialog) inEditor {
	a := r.known(ctx)
	if a == nil {
		return inEditor{err: errElsewhere}
	}
	if why := unfit(a); why != "" {
		r.say(leftOut(a, why))
		return inEditor{err: fmt.Errorf("%w: it %s", errUnfit, why)}
	}
	o, err := d.ask(ctx, a)
	if errors.Is(err, errUnclear) {
		r.say("“" + sayso.Title(a) + "” is still open: " + elsewhere + ".")
	}
	return inEditor{outcome: o, err: err, shown: true}
}

// sure asks until a dangerous choice was confirmed, by name, or another one made.
func (d *dialog) sure(ctx context.Context, a *sayso.Ask, ask func(wrong string) (*sayso.Outcome, error)) (*sayso.Outcome, error) {
	wrong := ""
	for range tries {
		o, err := ask(wrong)
		if err != nil || o.Status != sayso.StatusAnswered {
			return o, err
		}
		c := a.Confirmation(o.Answers)
		if c == nil {
			return o, nil
		}
		switch yes, err := d.confirm(ctx, c); {
		case err != nil:
			return nil, err
		case yes:
			return o, nil
		}
		wrong = "Nothing was sent. You had answered:\n" + sayso.RenderResult(a, o)
	}
	return nil, errUnclear
}

// confirm asks the question before something dangerous is sent. What is dismissed is
// not confirmed.
func (d *dialog) confirm(ctx context.Context, c *sayso.Ask) (bool, error) {
	wrong := ""
	for range tries {
		var o *sayso.Outcome
		var err error
		if d.form != nil {
			o, err = d.byForm(ctx, c, wrong)
		} else {
			o, err = d.byPermission(ctx, c, 0, wrong)
		}
		if err != nil {
			return false, err
		}
		if yes, no := sayso.Confirmed(o); yes || no || o.Status != sayso.StatusAnswered {
			return yes, nil
		}
		wrong = "Nothing was sent: choose one of the two."
	}
	return false, errUnclear
}

// byForm asks all questions in one form.
func (d *dialog) byForm(ctx context.Context, a *sayso.Ask, wrong string) (*sayso.Outcome, error) {
	return untilClear(ctx, a, wrong, func(wrong string) (*sayso.Outcome, error) {
		f, params := formFor(a, wrong)
		reply, err := d.form(ctx, params)
		if err != nil {
			return nil, err
		}
		o, err := f.read(reply)
		if err != nil {
			return nil, &unclear{err}
		}
		return o, nil
	})
}

// byPermission asks question i. The outcome has one answer.
func (d *dialog) byPermission(ctx context.Context, a *sayso.Ask, i int, wrong string) (*sayso.Outcome, error) {
	return untilClear(ctx, a, wrong, func(wrong string) (*sayso.Outcome, error) {
		reply, err := d.permission(ctx, permissionFor(a, i, wrong))
		if err != nil {
			return nil, err
		}
		o, err := readPicked(&a.Questions[i], reply, &sayso.MatchOptions{Numbers: true})
		if err == nil && a.Approval != nil {
			err = a.Check(o) // as one question it lacks what may be allowed
		}
		if err != nil {
			return nil, &unclear{err}
		}
		return o, nil
	})
}

// unclear is a reply that is no answer: the person is asked again.
type unclear struct{ error }

// untilClear asks until there is something to go by, and tells the person what was
// wrong.
func untilClear(ctx context.Context, a *sayso.Ask, wrong string, ask func(wrong string) (*sayso.Outcome, error)) (*sayso.Outcome, error) {
	for range tries {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		o, err := ask(wrong)
		var again *unclear
		switch {
		case errors.As(err, &again):
			wrong = notTaken(again.error)
		case err == nil && o.Status == sayso.StatusUnanswered:
			wrong = sayso.ByAskKind(a, "Nothing was sent: there was no answer in it. Choose or type something, or decline.",
				"Nothing was sent: there was no decision in it. Choose one, or "+elsewhere+".")
		default:
			return o, err
		}
	}
	return nil, errUnclear
}

// notTaken says why a reply is no answer.
func notTaken(err error) string {
	if errors.Is(err, errNoWords) {
		return "Nothing was sent: this editor has no place for your own words. Choose an option, or " + elsewhere + "."
	}
	why := strings.TrimPrefix(sayso.RenderError(err), "acp: ")
	return "Nothing was sent: " + sayso.SafeLine(why) + "."
}
