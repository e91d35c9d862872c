package historytest

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// History is what was done to an ask, and what came of it. Its methods may be called from several goroutines.
type History struct {
	ID string // of the ask

	mu  sync.Mutex
	ops []porcupine.Operation
}

// New returns the history of an ask to which nothing was done.
func New(id string) *History { return &History{ID: id} }

var began = time.Now()

// Do runs an operation and writes it down. An operation of unknown outcome may take effect until the end of time.
func (h *History) Do(client int, in Input, op func() Output) Output {
	call := time.Since(began)
	out := op()
	end := time.Since(began)
	if out.State == Unknown {
		if in.Op == Get {
			return out // it says nothing and does nothing
		}
		end = math.MaxInt64
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	note := func(in Input, out Output) {
		h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: in, Call: int64(call), Output: out, Return: int64(end)})
	}
	if later(in, out) { // it was tried again: the effect of one try, and what another one read
		note(in, Output{State: Unknown})
		in = Input{Op: Get}
	}
	note(in, out)
	return out
}

// later reports whether the state cannot be that right after the operation's own effect: others did something before its
// caller was told.
func later(in Input, out Output) bool {
	switch {
	case out.State == Unknown || out.Refused:
		return false
	case in.Op == Submit:
		return out.State != Open
	}
	return in.Op == Close && out.State == in.Nonce+consumed
}

// Event writes down that the ask was in a state before now, as an event stream told.
func (h *History) Event(state string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: -1, Input: Input{Op: Get}, Output: Output{State: state}, Return: int64(time.Since(began))})
}

// Check counts the operations and says whether they can be told in an order that the model allows.
func (h *History) Check() (ops int, result porcupine.CheckResult) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.ops), porcupine.CheckOperationsTimeout(oneWinner, h.ops, 2*time.Minute)
}

func (h *History) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	text := h.ID
	for _, o := range h.ops {
		text += fmt.Sprintf("\n%14v … %14v  client %d: %+v → %+v", time.Duration(o.Call), time.Duration(o.Return), o.ClientId, o.Input, o.Output)
	}
	return text
}
