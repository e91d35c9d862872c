package hub

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/saysohq/sayso"
)

// Await waits for the ask of the ticket, says that the asker has the outcome, and
// returns the ticket with it. It says so only when it has it: an outcome that came
// when ctx had ended is left for [TakeLate]. It waits for as long as ctx lasts, also while the hub
// cannot be reached; a hub that lost the ask, because it kept it in memory say, is
// asked again.
//
// When ctx ends because another resolver got the answer, the ask is closed with
// that answer, so that no surface asks any more.
func Await(ctx context.Context, h Asker, t *Ticket) (*Ticket, error) {
	last, err := await(ctx, h, t)
	if err == nil {
		return last, nil
	}
	var lost *sayso.SupersededError
	if ctx.Err() != nil && errors.As(context.Cause(ctx), &lost) {
		err = errors.Join(err, Settle(ctx, h, last, lost.Winner))
	}
	return nil, err
}

// await returns the ticket it came to know last in any case.
func await(ctx context.Context, h Asker, t *Ticket) (*Ticket, error) {
	lost := 0 // how often in a row
	p := patience{left: 1<<63 - 1}
	for {
		closed, err := t, error(nil)
		if t.Open() {
			closed, err = h.Wait(ctx, t.Handle)
		}
		if err == nil {
			var has *Ticket
			if has, err = h.Consume(ctx, t.Handle); err == nil {
				return has, nil
			}
		}
		switch {
		case errors.Is(err, sayso.ErrUnreachable) && !errors.Is(err, ErrBroken) && p.with(ctx, ErrUndecided) == nil:
		case errors.Is(err, ErrOpen): // undone just now
			open := *t
			open.Outcome = nil
			t, lost = &open, 0
		case errors.Is(err, ErrNotFound) && lost < 3:
			if lost++; closed != nil && !closed.Open() {
				return closed, nil // the outcome is ours, and nobody is left to undo it
			}
			again, err := h.Submit(ctx, t.Ask)
			if err != nil && (!errors.Is(err, sayso.ErrUnreachable) || errors.Is(err, ErrBroken)) {
				return t, err
			}
			if err == nil {
				t = again
			}
		default:
			return t, err
		}
	}
}

// Settle closes an ask that was answered outside the hub with that outcome, and
// says that the asker has it. An ask that does not take such an answer is closed as
// superseded: nobody is asked any more, and it is not told as answered.
func Settle(ctx context.Context, h Asker, t *Ticket, o *sayso.Outcome) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if t.Handle == "" { // perhaps it was stored, perhaps not
		var err error
		if t, err = h.Submit(ctx, t.Ask); err != nil {
			return err
		}
	}
	_, err := h.Relay(ctx, t, o)
	if err != nil && closedBy(err) == nil {
		_, err = h.Withdraw(ctx, t.Handle, sayso.StatusSuperseded, "answered elsewhere")
	}
	if closedBy(err) != nil {
		return nil
	}
	if err == nil {
		_, err = h.Consume(ctx, t.Handle)
	}
	return err
}

// SubmitSame stores an ask that has no tool call to know it by: an ask with the
// same questions in the same conversation is the same one until the asker has had
// its outcome, and after that a new one. kind tells the asks of different programs
// apart.
func SubmitSame(ctx context.Context, h Asker, kind string, a *sayso.Ask) (*Ticket, error) {
	digest := a.Digest()
	for n := 1; ; n++ {
		next := *a
		next.Origin.ToolCall = kind + ":" + digest[:16] + ":" + strconv.Itoa(n)
		next.ID = next.DeriveID()
		t, err := h.Submit(ctx, &next)
		if err != nil || t.Consumed.IsZero() {
			return t, err
		}
	}
}

// fresh is how long an outcome is left to whoever waits for it: an asker that is
// alive has it, and says so, in far less.
const fresh = 2 * time.Second

// TakeLate returns what people said in the conversation after the call that asked had
// ended, each outcome once: the hub is told that the asker has it, and whoever is
// told first is the one who hands it on. An outcome that is fresh at the time now
// is left to the call that may still wait for it.
//
// An approval is never late: what was allowed when the call had ended is not allowed
// the next one.
//
// open is how many asks of the conversation may still become late: they are open,
// or fresh.
func TakeLate(ctx context.Context, h Asker, conversation string, now time.Time) (late []*Ticket, open int, err error) {
	var broken error
	err = Each(ctx, h, &Filter{Conversation: conversation, Status: AnyStatus, Unconsumed: true}, func(t *Ticket) bool {
		switch {
		case t.Ask.Approval != nil:
		case t.Open():
			open++
		case !t.Consumed.IsZero() || !t.Outcome.By.Kind.Human():
		case now.Sub(t.Outcome.At) < fresh:
			open++
		default:
			has, err := h.Consume(ctx, t.Handle)
			switch {
			case errors.Is(err, ErrOpen): // taken back just now
				open++
			case err != nil:
				broken = err
			case !has.Replayed:
				late = append(late, has)
			}
		}
		return broken == nil
	})
	return late, open, errors.Join(err, broken)
}

// LateText words outcomes that [TakeLate] returned for the model that asked. Every
// agent is told in the same words, with its next prompt. A secret is part of them, as
// it would have been of the result of the call. Those that take the place of an earlier
// one come last, and it says so. Without outcomes it is empty.
func LateText(late []*Ticket) string {
	var b strings.Builder
	var first, changed []*Ticket
	for _, t := range late {
		if t.Changed() {
			changed = append(changed, t)
		} else {
			first = append(first, t)
		}
	}
	lateText(&b, first, "The user has responded to a question that you asked earlier, after the call had ended:\n",
		"The user has responded to questions that you asked earlier, after the calls had ended:\n")
	if len(first) > 0 && len(changed) > 0 {
		b.WriteString("\n")
	}
	lateText(&b, changed, "The user has changed the answer to a question that you asked earlier. This one replaces it:\n",
		"The user has changed the answers to questions that you asked earlier. These replace them:\n")
	return b.String()
}

func lateText(b *strings.Builder, late []*Ticket, one, several string) {
	switch len(late) {
	case 0:
		return
	case 1:
		b.WriteString(one)
	default:
		b.WriteString(several)
	}
	for _, t := range late {
		a := *t.Ask
		a.Questions = slices.Clone(a.Questions)
		for i := range a.Questions {
			a.Questions[i].Secret = false
		}
		b.WriteString("\n" + sayso.Summary(&a, t.Outcome) + "\n")
	}
}
