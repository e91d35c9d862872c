package hubtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// model says what the waiting room should do, in the simplest way: one ask, one
// goroutine, no store, nothing that fails.
type model struct {
	stored   bool
	question int // which of the questions it asks
	deadline time.Time
	outcome  *sayso.Outcome
	nonce    string
	consumed bool
	held     *sayso.Outcome // does not count before until
	heldAs   string         // its nonce
	until    time.Time
	history  []string // why, nonce, choice, who
}

// What an operation can come to.
const (
	done     = "done"
	replayed = "replayed"
	lost     = "lost"
	late     = "lost, kept as late"
)

func (m *model) submit(question int, deadline, now time.Time) string {
	switch {
	case !m.stored:
		*m = model{stored: true, question: question, deadline: deadline}
		m.look(now)
		return done
	case m.question != question:
		return "changed"
	}
	m.look(now)
	return replayed
}

// look closes an ask whose hold or deadline has passed.
func (m *model) look(now time.Time) {
	if m.held != nil && !now.Before(m.until) {
		m.release()
	}
	if m.stored && m.outcome == nil && !m.deadline.IsZero() && !now.Before(m.deadline) {
		m.outcome, m.nonce = expired(), ""
	}
}

func (m *model) release() {
	m.outcome, m.nonce, m.held = m.held, m.heldAs, nil
}

func (m *model) close(o *sayso.Outcome, nonce string, hold time.Duration, now time.Time) string {
	if !m.stored {
		return hub.ErrNotFound.Error()
	}
	for _, e := range m.history {
		if m.was(e, "undone", nonce) || m.was(e, "amended", nonce) {
			return hub.ErrUndone.Error()
		}
	}
	m.look(now)
	asker := o.By.Kind == sayso.ByAsker
	switch {
	case m.held != nil && (m.heldAs == nonce || choice(m.held) == choice(o)):
		if hold > 0 && !asker {
			return replayed
		}
		m.release()
		return done
	case m.held != nil && !asker:
		return lost
	case m.outcome == nil && hold > 0 && !asker:
		m.held, m.heldAs, m.until = o, nonce, now.Add(hold)
		if !m.deadline.IsZero() && m.deadline.Before(m.until) {
			m.until = m.deadline
		}
		return done
	case m.outcome == nil:
		if m.held != nil {
			m.remember("late", m.heldAs, m.held)
			m.held = nil
		}
		m.outcome, m.nonce = o, nonce
		return done
	case m.nonce == nonce || choice(m.outcome) == choice(o):
		return replayed
	case m.has("late", nonce):
		return late
	case o.Status == sayso.StatusAnswered && (m.outcome.Status == sayso.StatusExpired || m.outcome.Status == sayso.StatusCancelled) && m.count("late") < 8:
		m.remember("late", nonce, o)
		return late
	}
	return lost
}

func (m *model) undo(who string) string {
	switch {
	case !m.stored:
		return hub.ErrNotFound.Error()
	case m.held != nil && m.held.By.ID == who:
		m.remember("undone", m.heldAs, m.held)
		m.held = nil
		return done
	case m.outcome == nil:
		for _, e := range slices.Backward(m.history) {
			if m.is(e, "undone") {
				if m.by(e, who) {
					return replayed
				}
				break
			}
		}
		if m.held != nil {
			return lost
		}
		return hub.ErrOpen.Error()
	case m.outcome.By.Kind != sayso.ByPerson || m.outcome.By.ID != who:
		return lost
	case m.consumed || m.count("amended") > 0:
		return hub.ErrConsumed.Error()
	}
	m.remember("undone", m.nonce, m.outcome)
	m.outcome, m.nonce = nil, ""
	return done
}

func (m *model) amend(o *sayso.Outcome, nonce string) string {
	switch {
	case !m.stored:
		return hub.ErrNotFound.Error()
	case m.outcome == nil:
		return hub.ErrOpen.Error()
	case choice(m.outcome) == choice(o):
		return replayed
	case m.outcome.By.Kind != o.By.Kind || m.outcome.By.ID != o.By.ID:
		return lost
	}
	why := "undone"
	if m.consumed {
		why = "amended"
	}
	m.remember(why, m.nonce, m.outcome)
	m.outcome, m.nonce, m.consumed = o, nonce, false
	return done
}

func (m *model) consume() string {
	switch {
	case !m.stored:
		return hub.ErrNotFound.Error()
	case m.outcome == nil:
		return hub.ErrOpen.Error()
	case m.consumed:
		return replayed
	}
	m.consumed = true
	return done
}

func (m *model) remember(why, nonce string, o *sayso.Outcome) {
	m.history = append(m.history, entry(why, nonce, o))
	if n := len(m.history) - 32; n > 0 {
		m.history = m.history[n:]
	}
}

func entry(why, nonce string, o *sayso.Outcome) string {
	return fmt.Sprintf("%s|%s|%s|%s", why, nonce, o.By.ID, choice(o))
}

func part(e string, n int) string { return strings.SplitN(e, "|", 4)[n] }

func (m *model) is(e, why string) bool         { return part(e, 0) == why }
func (m *model) was(e, why, nonce string) bool { return part(e, 0) == why && part(e, 1) == nonce }
func (m *model) by(e, who string) bool         { return part(e, 2) == who }

func (m *model) has(why, nonce string) bool {
	return slices.ContainsFunc(m.history, func(e string) bool { return m.was(e, why, nonce) })
}

func (m *model) count(why string) (n int) {
	for _, e := range m.history {
		if m.is(e, why) {
			n++
		}
	}
	return n
}

// state is all that can be seen of the model.
func (m *model) state() string {
	held := ""
	if m.held != nil {
		held = fmt.Sprintf(" held=%s nonce=%s until=%v", choice(m.held), m.heldAs, m.until.UnixNano())
	}
	return fmt.Sprintf("%s nonce=%s consumed=%v history=%q%s", choice(m.outcome), m.nonce, m.consumed, m.history, held)
}

// stateOf is the same of a ticket.
func stateOf(t *hub.Ticket) string {
	m := model{outcome: t.Outcome, nonce: t.Nonce, consumed: !t.Consumed.IsZero()}
	if t.Held != nil {
		m.held, m.heldAs, m.until = t.Held.Outcome, t.Held.Nonce, t.Held.Until
	}
	for _, e := range t.History {
		m.history = append(m.history, entry(string(e.Why), e.Nonce, e.Outcome))
	}
	return m.state()
}

// result is what an operation of the hub came to, in the model's words.
func result(t *hub.Ticket, err error) string {
	var closed *hub.ClosedError
	var changed *hub.ChangedError
	switch {
	case err == nil && t.Replayed:
		return replayed
	case err == nil:
		return done
	case errors.As(err, &closed) && closed.Late:
		return late
	case errors.As(err, &closed):
		return lost
	case errors.As(err, &changed):
		return "changed"
	}
	for _, known := range []error{hub.ErrNotFound, hub.ErrUndone, hub.ErrOpen, hub.ErrConsumed} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return err.Error()
}
