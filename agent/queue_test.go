package agent_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/app/modeltest"
)

// narrow is a journal that counts how many logs are read at the same time, and lets
// a read through for every token.
type narrow struct {
	journal.Journal
	tokens  chan struct{}
	reading chan string // who is let in

	mu   sync.Mutex
	now  int
	most int
}

func (n *narrow) Read(ctx context.Context, id string) (*journal.Log, error) {
	n.mu.Lock()
	n.now++
	n.most = max(n.most, n.now)
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		n.now--
		n.mu.Unlock()
	}()
	n.reading <- id
	select {
	case <-n.tokens:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return n.Journal.Read(ctx, id)
}

// After a restart, conversations that were answered meanwhile are read a few at a
// time, and whoever speaks to one does not wait for them.
func TestBacklog(t *testing.T) {
	t.Parallel()
	w := newClosedWorld(t, wires[0], modeltest.Route(
		modeltest.Steps(uses(use("ask_user", questions("Which?", "a", "b"))), modeltest.Say("done")),
		modeltest.RouteTo{Word: "QUICK", Script: modeltest.Steps(modeltest.Say("done"))},
	))
	const sleeping, active, share = 20, 32, 4 // the share is an eighth
	w.opts.MaxActive = active
	w.open()
	for i := range sleeping {
		w.send(fmt.Sprint("c", i), "m1", "Go")
	}
	var asked []*agent.Conversation
	for i := range sleeping {
		asked = append(asked, w.rest(fmt.Sprint("c", i), "awaiting_user_response"))
	}
	w.host.Stop()
	for _, c := range asked {
		w.answer(c.Asks()[0], chose("o1"))
	}

	n := &narrow{Journal: w.journal, tokens: make(chan struct{}), reading: make(chan string, 1000)}
	w.opts.Journal = n
	w.open()
	for range share {
		<-n.reading
	}
	// The places for the backlog are taken, and none of them goes on. Another one does.
	sent := make(chan error, 1)
	go func() { sent <- w.host.Send(w.context(), "new", "m1", "QUICK") }()
	if id := <-n.reading; id != "new" {
		t.Errorf("%s was read before the one that somebody speaks to", id)
	}
	n.mu.Lock()
	most := n.most
	n.mu.Unlock()
	if most != share+1 {
		t.Errorf("%d were read at once, want %d of the backlog and the new one", most, share)
	}
	close(n.tokens)
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	for i := range sleeping {
		w.rest(fmt.Sprint("c", i), "idle")
	}
}

// A message to a conversation of the backlog takes it out of there.
func TestBacklogIsLeft(t *testing.T) {
	t.Parallel()
	w := newClosedWorld(t, wires[0], modeltest.Steps(uses(use("ask_user", questions("Which?", "a", "b"))), modeltest.Say("done")))
	w.opts.MaxActive = 8 // one of the backlog at a time
	w.open()
	var asked []*agent.Conversation
	for _, id := range []string{"c1", "c2", "c3"} {
		w.send(id, "m1", "Go")
		asked = append(asked, w.rest(id, "awaiting_user_response"))
	}
	w.host.Stop()
	for _, c := range asked {
		w.answer(c.Asks()[0], chose("o1"))
	}
	n := &narrow{Journal: w.journal, tokens: make(chan struct{}), reading: make(chan string, 1000)}
	w.opts.Journal = n
	w.open()
	first := <-n.reading
	other := map[string]string{"c1": "c2", "c2": "c3", "c3": "c1"}[first]
	cancelled := make(chan error, 1)
	go func() { cancelled <- w.host.Cancel(w.context(), other, "enough") }()
	if id := <-n.reading; id != other {
		t.Errorf("%s was read, not %s", id, other)
	}
	close(n.tokens)
	if err := <-cancelled; err != nil {
		t.Fatal(err)
	}
	for _, c := range asked {
		w.rest(c.ID, "idle")
	}
}
