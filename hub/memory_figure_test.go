package hub_test

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// maxPerWaiter is what a waiter may cost, its goroutine's stack included.
const maxPerWaiter = 4 << 10

func TestWaitersAreCheap(t *testing.T) {
	if got := bytesPerWaiter(t, 5_000); got > slack*maxPerWaiter {
		t.Errorf("a waiter costs %d bytes, more than %d", got, slack*maxPerWaiter)
	}
}

func TestFigure_P5MEM(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	t.Logf("FIGURE %s %v %s", "P5MEM", bytesPerWaiter(t, 100_000), "B/waiter")
}

// bytesPerWaiter is what n asks with a waiter each take more than n without.
func bytesPerWaiter(t *testing.T, n int) int {
	return (bytesInUse(t, n, true) - bytesInUse(t, n, false)) / n
}

// bytesInUse submits n asks, has somebody wait for each, and answers them all.
func bytesInUse(t *testing.T, n int, waiters bool) int {
	ctx := t.Context()
	before := inUse()
	h, err := hub.Open(ctx, hub.NewMemory(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	addrs := make([]hub.Address, n)
	var wg sync.WaitGroup
	for i := range addrs {
		a := yearAsk(fmt.Sprintf("ask_%026d", i), sayso.Ask{}.Deadline)
		a.Origin.Conversation = fmt.Sprint("conversation ", i/5)
		ticket, err := h.Submit(ctx, "acme", a)
		if err != nil {
			t.Fatal(err)
		}
		addrs[i] = ticket.Address
		if waiters {
			wg.Go(func() { check(t)(h.Wait(ctx, addrs[i])) })
		}
	}
	for _, addr := range addrs {
		for waiters && !h.Attached(addr) {
			runtime.Gosched()
		}
	}
	after := inUse()
	by := sayso.Responder{Kind: sayso.ByPerson, ID: "alice"}
	for _, addr := range addrs {
		seen, err := h.Get(ctx, addr)
		if err == nil {
			_, err = h.Close(ctx, seen, &sayso.Outcome{Status: sayso.StatusAnswered, Reply: "yes", By: by}, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	return int(after - before)
}

// check is for itself, as a waiter's stack is measured.
func check(t *testing.T) func(*hub.Ticket, error) {
	return func(ticket *hub.Ticket, err error) {
		if err != nil || ticket.Outcome.Reply != "yes" {
			t.Errorf("%+v, %v", ticket, err)
		}
	}
}

// inUse is what heap and stacks take, after the garbage is gone and stacks have
// shrunk to what they hold.
func inUse() uint64 {
	for range 6 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
