package historytest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/saysohq/sayso/hub"
)

// An ask is absent, open, or closed. Closed is spelled as the nonce of the close that won, with [consumed] behind it once
// its asker has said that it has the outcome.
const (
	Absent  = "absent"
	Open    = "open"
	Unknown = "unknown" // of a result: the operation may have had its effect, or may still have it

	consumed = "!"
)

// The operations.
const (
	Submit  = "submit"
	Close   = "close"
	Get     = "get"
	Consume = "consume"
)

// Input is an operation on an ask.
type Input struct {
	Op    string
	Nonce string // of a close
}

// Output is what came of it: the state of the ask as the caller was told, or unknown.
type Output struct {
	State   string
	Refused bool // a close that lost, and was told who won
}

// Told is what the caller of an operation believes now. nonce names the close that a closed ticket has.
func Told(t *hub.Ticket, err error, nonce func(*hub.Ticket) string) Output {
	var closed *hub.ClosedError
	switch {
	case err == nil:
		return Output{State: stateOf(t, nonce)}
	case errors.As(err, &closed):
		return Output{State: stateOf(closed.Ticket, nonce), Refused: true}
	case errors.Is(err, hub.ErrNotFound):
		return Output{State: Absent}
	case errors.Is(err, hub.ErrOpen): // said to who would consume it
		return Output{State: Open}
	}
	return Output{State: Unknown}
}

func stateOf(t *hub.Ticket, nonce func(*hub.Ticket) string) string {
	switch {
	case t.Open():
		return Open
	case t.Consumed.IsZero():
		return nonce(t)
	}
	return nonce(t) + consumed
}

// Winner returns the nonce of a closed state without what became of it later.
func Winner(state string) string { return strings.TrimSuffix(state, consumed) }

// oneWinner is what the rules promise of a single ask: the first close wins, everybody who is told anything is told that,
// and from then on nobody is told anything else. What was consumed stays so.
var oneWinner = porcupine.Model{
	Init: func() any { return Absent },
	Step: func(state, in, out any) (bool, any) {
		s, i, o := state.(string), in.(Input), out.(Output)
		after := s
		switch {
		case i.Op == Submit && s == Absent:
			after = Open
		case i.Op == Close && s == Open:
			after = i.Nonce
		case i.Op == Consume && s != Absent && s != Open:
			after = Winner(s) + consumed
		}
		switch {
		case o.State == Unknown:
			return true, after
		case o.Refused:
			return s == o.State && s != Absent && s != Open && Winner(s) != i.Nonce, s
		}
		return after == o.State, after
	},
	DescribeOperation: func(in, out any) string { return fmt.Sprint(in, " → ", out) },
}
