package faulttest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/app/testenv"
	"github.com/saysohq/sayso/hub"
)

// TestSequences plays random sequences of operations on hubs that share a store, and on a model of what the rules say.
// A sequence that fails is made as short as it can be.
func TestSequences(t *testing.T) {
	faults(t)
	t.Run("memory", func(t *testing.T) {
		m := hub.NewMemory(nil)
		sequences(t, either(500, 10_000), openHub(t, m), openHub(t, m))
	})
	t.Run("one node", func(t *testing.T) {
		srv, err := natsserver.Start(t.Context(), &natsserver.Options{Dir: t.TempDir()})
		must(t, err)
		t.Cleanup(func() { must(t, srv.Close(context.Background())) })
		nc, err := srv.Conn(t.Context(), "")
		must(t, err)
		o := &natsstore.Options{Mark: srv}
		sequences(t, either(100, 2000), openHub(t, openStore(t, nc, o)), openHub(t, openStore(t, nc, o)))
	})
	t.Run("three nodes", func(t *testing.T) {
		e := newEngine(t)
		s := e.store(t, natsstore.Options{})
		sequences(t, either(20, 500), openHub(t, s), openHub(t, e.peer(t, s)), openHub(t, e.peer(t, s)))
	})
}

var played atomic.Uint64

func sequences(t *testing.T, checks int, hubs ...*hub.Hub) {
	must(t, flag.Set("rapid.checks", strconv.Itoa(checks)))
	must(t, flag.Set("rapid.nofailfile", "true"))
	must(t, flag.Set("rapid.seed", fmt.Sprint(1+testenv.Rand(t).Uint64N(1<<62)))) // 0 would draw one
	var operations int
	rapid.Check(t, func(rt *rapid.T) {
		p := &play{ctx: t.Context(), hubs: hubs, id: fmt.Sprint("play_", played.Add(1))}
		p.addr = hub.AddressOf(tenant, newAsk(p.id))
		p.digest = newAsk(p.id).Digest()
		rt.Repeat(map[string]func(*rapid.T){
			"submit":  p.submit,
			"close":   p.close,
			"undo":    p.undo,
			"amend":   p.amend,
			"consume": p.consume,
			"":        func(rt *rapid.T) { operations++; p.look(rt) },
		})
	})
	t.Logf("%d sequences, %d operations", checks, operations)
}

// play is one ask, and what the rules say it must be.
type play struct {
	ctx    context.Context
	hubs   []*hub.Hub
	id     string
	addr   hub.Address
	digest string

	stored   bool
	said     string // by the winner: "person option"; empty: open
	nonce    string
	consumed bool
	history  []past
}

// past is an outcome that no longer counts.
type past struct {
	who, nonce string
	undone     bool
}

func (p *play) hub(rt *rapid.T) *hub.Hub { return rapid.SampledFrom(p.hubs).Draw(rt, "hub") }
func (p *play) who(rt *rapid.T) string {
	return rapid.SampledFrom([]string{"ann", "bob"}).Draw(rt, "who")
}
func (p *play) says(rt *rapid.T) (who, option, nonce string) {
	return p.who(rt), rapid.SampledFrom([]string{"o1", "o2"}).Draw(rt, "option"), rapid.SampledFrom([]string{"n1", "n2", "n3", "n4"}).Draw(rt, "nonce")
}

func (p *play) submit(rt *rapid.T) {
	t, err := p.hub(rt).Submit(p.ctx, tenant, newAsk(p.id))
	want := "done"
	if p.stored {
		want = "replayed"
	}
	p.stored = true
	p.want(rt, "submit", verdict(t, err), want)
}

func (p *play) close(rt *rapid.T) {
	who, option, nonce := p.says(rt)
	t, err := p.hub(rt).Close(p.ctx, &hub.Ticket{Address: p.addr, Digest: p.digest}, answer(who, option), &hub.CloseOptions{Nonce: nonce})
	var want string
	switch {
	case !p.stored:
		want = "not found"
	case p.was(nonce):
		want = "undone"
	case p.said == "":
		want, p.said, p.nonce = "done", who+" "+option, nonce
	case p.nonce == nonce || p.said == who+" "+option:
		want = "replayed"
	default:
		want = "closed by " + p.said
	}
	p.want(rt, "close", verdict(t, err), want)
}

func (p *play) undo(rt *rapid.T) {
	who := p.who(rt)
	t, err := p.hub(rt).Undo(p.ctx, &hub.Ticket{Address: p.addr}, answer(who, "").By)
	var want string
	switch {
	case !p.stored:
		want = "not found"
	case p.said == "" && p.lastUndone() == who:
		want = "replayed"
	case p.said == "":
		want = "open"
	case p.winner() != who:
		want = "closed by " + p.said
	case p.consumed || p.amended():
		want = "consumed"
	default:
		want = "done"
		p.history = append(p.history, past{who, p.nonce, true})
		p.said, p.nonce = "", ""
	}
	p.want(rt, "undo", verdict(t, err), want)
}

func (p *play) amend(rt *rapid.T) {
	who, option, nonce := p.says(rt)
	t, err := p.hub(rt).Amend(p.ctx, &hub.Ticket{Address: p.addr, Digest: p.digest}, answer(who, option), &hub.CloseOptions{Nonce: nonce})
	var want string
	switch {
	case !p.stored:
		want = "not found"
	case p.said == "":
		want = "open"
	case p.nonce == nonce || p.said == who+" "+option:
		want = "replayed"
	case p.winner() != who:
		want = "closed by " + p.said
	default:
		want = "done"
		p.history = append(p.history, past{who, p.nonce, !p.consumed})
		p.said, p.nonce, p.consumed = who+" "+option, nonce, false
	}
	p.want(rt, "amend", verdict(t, err), want)
}

func (p *play) consume(rt *rapid.T) {
	t, err := p.hub(rt).Consume(p.ctx, &hub.Ticket{Address: p.addr})
	var want string
	switch {
	case !p.stored:
		want = "not found"
	case p.said == "":
		want = "open"
	case p.consumed:
		want = "replayed"
	default:
		want, p.consumed = "done", true
	}
	p.want(rt, "consume", verdict(t, err), want)
}

// look compares what each hub has with the model.
func (p *play) look(rt *rapid.T) {
	p.history = p.history[max(0, len(p.history)-32):] // as many as a ticket remembers
	for _, h := range p.hubs {
		t, err := h.Get(p.ctx, p.addr)
		if !p.stored {
			p.want(rt, "get", verdict(t, err), "not found")
			continue
		}
		if err != nil {
			rt.Fatal(err)
		}
		if said(t.Outcome) != p.said || t.Nonce != p.nonce || t.Consumed.IsZero() == p.consumed || len(t.History) != len(p.history) {
			rt.Fatalf("%q %q %v, %d past; want %q %q %v, %d past", said(t.Outcome), t.Nonce, t.Consumed, len(t.History), p.said, p.nonce, p.consumed, len(p.history))
		}
	}
}

func (p *play) winner() string { return p.said[:3] }

func (p *play) was(nonce string) bool {
	for _, h := range p.history {
		if h.nonce == nonce {
			return true
		}
	}
	return false
}

// amended reports whether the asker had another outcome before.
func (p *play) amended() bool {
	return slices.ContainsFunc(p.history, func(h past) bool { return !h.undone })
}

func (p *play) lastUndone() (who string) {
	for _, h := range p.history {
		if h.undone {
			who = h.who
		}
	}
	return who
}

func (p *play) want(rt *rapid.T, what, got, want string) {
	if got != want {
		rt.Fatalf("%s: %s, want %s", what, got, want)
	}
}

// said is an outcome in two words.
func said(o *sayso.Outcome) string {
	if o == nil {
		return ""
	}
	return o.By.ID + " " + o.Answers[0].Selected[0]
}

// verdict is what an operation came to, in the words of the model.
func verdict(t *hub.Ticket, err error) string {
	var closed *hub.ClosedError
	switch {
	case err == nil && t.Replayed:
		return "replayed"
	case err == nil:
		return "done"
	case errors.As(err, &closed):
		return "closed by " + said(closed.Ticket.Outcome)
	case errors.Is(err, hub.ErrNotFound):
		return "not found"
	case errors.Is(err, hub.ErrUndone):
		return "undone"
	case errors.Is(err, hub.ErrOpen):
		return "open"
	case errors.Is(err, hub.ErrConsumed):
		return "consumed"
	}
	return err.Error()
}
