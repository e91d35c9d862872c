package faulttest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/saysohq/sayso/hub"
)

// An ask is absent, open, or closed; closed is spelled as the nonce of the close that won.
const (
	absent  = "absent"
	open    = "open"
	unknown = "unknown" // of a result: the operation may have had its effect, or may still have it
)

// input is an operation on an ask.
type input struct {
	op    string // submit, close or get
	nonce string // of a close
}

// output is what came of it: the state of the ask as the caller was told, or unknown.
type output struct {
	state   string
	refused bool // a close that lost, and was told who won
}

// oneWinner is what the rules promise of a single ask: the first close wins, everybody who is told anything is told that,
// and from then on nobody is told anything else.
var oneWinner = porcupine.Model{
	Init: func() any { return absent },
	Step: func(state, in, out any) (bool, any) {
		s, i, o := state.(string), in.(input), out.(output)
		after := s
		switch {
		case i.op == "submit" && s == absent:
			after = open
		case i.op == "close" && s == open:
			after = i.nonce
		}
		switch {
		case o.state == unknown:
			return true, after
		case o.refused:
			return s == o.state && s != i.nonce, s
		}
		return after == o.state, after
	},
	DescribeOperation: func(in, out any) string { return fmt.Sprint(in, " → ", out) },
}

// history is what was done to an ask, and what came of it.
type history struct {
	id   string
	addr hub.Address

	mu  sync.Mutex
	ops []porcupine.Operation
}

func newHistory(id string) *history {
	return &history{id: id, addr: hub.AddressOf(tenant, newAsk(id))}
}

var began = time.Now()

// do runs an operation and writes it down. An operation of unknown outcome may take effect until the end of time.
func (h *history) do(client int, in input, op func() (*hub.Ticket, error)) output {
	call := time.Since(began)
	t, err := op()
	end := time.Since(began)
	out := told(t, err)
	if out.state == unknown {
		if in.op == "get" {
			return out // it says nothing and does nothing
		}
		end = math.MaxInt64
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: in, Call: int64(call), Output: out, Return: int64(end)})
	return out
}

// told is what the caller of an operation now believes.
func told(t *hub.Ticket, err error) output {
	var closed *hub.ClosedError
	switch {
	case err == nil && t.Open():
		return output{state: open}
	case err == nil:
		return output{state: t.Nonce}
	case errors.As(err, &closed):
		return output{state: closed.Ticket.Nonce, refused: true}
	case errors.Is(err, hub.ErrNotFound):
		return output{state: absent}
	}
	return output{state: unknown}
}

// patience is how long an operation may take before its outcome counts as unknown.
const patience = time.Second

func (h *history) submit(ctx context.Context, client int, by *hub.Hub) output {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return h.do(client, input{op: "submit"}, func() (*hub.Ticket, error) { return by.Submit(ctx, tenant, newAsk(h.id)) })
}

// close answers as a surface that has only a link.
func (h *history) close(ctx context.Context, client int, by *hub.Hub, nonce string) output {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	seen := &hub.Ticket{Address: h.addr, Digest: newAsk(h.id).Digest()}
	return h.do(client, input{"close", nonce}, func() (*hub.Ticket, error) {
		return by.Close(ctx, seen, answer(nonce, "o1"), &hub.CloseOptions{Nonce: nonce})
	})
}

func (h *history) get(ctx context.Context, client int, by *hub.Hub) output {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return h.do(client, input{op: "get"}, func() (*hub.Ticket, error) { return by.Get(ctx, h.addr) })
}

// wait is a get that takes its time.
func (h *history) wait(ctx context.Context, client int, by *hub.Hub) output {
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	return h.do(client, input{op: "get"}, func() (*hub.Ticket, error) { return by.Wait(ctx, h.addr) })
}

// check counts the operations and says whether they can be told in an order that the model allows.
func (h *history) check() (ops int, result porcupine.CheckResult) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.ops), porcupine.CheckOperationsTimeout(oneWinner, h.ops, 2*time.Minute)
}

func (h *history) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	text := h.id
	for _, o := range h.ops {
		text += fmt.Sprintf("\n%14v … %14v  client %d: %+v → %+v", time.Duration(o.Call), time.Duration(o.Return), o.ClientId, o.Input, o.Output)
	}
	return text
}
