package faulttest

import (
	"context"
	"time"

	"github.com/saysohq/sayso/app/historytest"
	"github.com/saysohq/sayso/hub"
)

// history is what hubs in this process did to an ask, and what came of it.
type history struct {
	*historytest.History
	addr hub.Address
}

func newHistory(id string) *history {
	return &history{historytest.New(id), hub.AddressOf(tenant, newAsk(id))}
}

// do runs an operation and writes it down.
func (h *history) do(client int, in historytest.Input, op func() (*hub.Ticket, error)) historytest.Output {
	return h.Do(client, in, func() historytest.Output { return told(op()) })
}

// told is what the caller of an operation now believes.
func told(t *hub.Ticket, err error) historytest.Output {
	return historytest.Told(t, err, func(t *hub.Ticket) string { return t.Nonce })
}

// patience is how long an operation may take before its outcome counts as unknown.
const patience = time.Second

func (h *history) submit(ctx context.Context, client int, by *hub.Hub) historytest.Output {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return h.do(client, historytest.Input{Op: historytest.Submit}, func() (*hub.Ticket, error) { return by.Submit(ctx, tenant, newAsk(h.ID)) })
}

// close answers as a surface that has only a link.
func (h *history) close(ctx context.Context, client int, by *hub.Hub, nonce string) historytest.Output {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	seen := &hub.Ticket{Address: h.addr, Digest: newAsk(h.ID).Digest()}
	return h.do(client, historytest.Input{Op: historytest.Close, Nonce: nonce}, func() (*hub.Ticket, error) {
		return by.Close(ctx, seen, answer(nonce, "o1"), &hub.CloseOptions{Nonce: nonce})
	})
}

func (h *history) get(ctx context.Context, client int, by *hub.Hub) historytest.Output {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return h.do(client, historytest.Input{Op: historytest.Get}, func() (*hub.Ticket, error) { return by.Get(ctx, h.addr) })
}

// wait is a get that takes its time.
func (h *history) wait(ctx context.Context, client int, by *hub.Hub) historytest.Output {
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	return h.do(client, historytest.Input{Op: historytest.Get}, func() (*hub.Ticket, error) { return by.Wait(ctx, h.addr) })
}
