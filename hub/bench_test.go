package hub_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// BenchmarkAskAnswer measures an ask from beginning to end on the memory store:
// asked, seen by a surface, answered, heard by who asked. What it costs is what
// the hub adds to a store.
func BenchmarkAskAnswer(b *testing.B) {
	ctx := b.Context()
	h, err := hub.Open(ctx, hub.NewMemory(nil), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer h.Stop()
	shown, ready := make(chan *hub.Ticket, 1), make(chan struct{})
	listening := sync.OnceFunc(func() { close(ready) })
	go h.Watch(ctx, "acme", nil, func(c hub.Change) {
		listening()
		if c.Ticket != nil && c.Ticket.Open() {
			shown <- c.Ticket
		}
	})
	<-ready
	go func() {
		for ticket := range shown {
			o := &sayso.Outcome{Status: sayso.StatusAnswered, Reply: "yes", By: sayso.Responder{Kind: sayso.ByPerson, ID: "alice"}}
			if _, err := h.Close(ctx, ticket, o, nil); err != nil {
				b.Error(err)
			}
		}
	}()
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		a := &sayso.Ask{ID: fmt.Sprint(n), Questions: []sayso.Question{{ID: "q1", Text: "Which database should the payments service use?", Options: []sayso.Option{{ID: "o1", Label: "PostgreSQL"}, {ID: "o2", Label: "SQLite"}}}}}
		if _, err := h.Ask(ctx, "acme", a); err != nil {
			b.Fatal(err)
		}
	}
}
