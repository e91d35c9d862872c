package natsstore_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

// TestFigure_P4 measures what waiting asks cost in one process: 100,000 of them, or 1,000,000 in the long form; and P5, what
// it costs to wait for 100,000.
func TestFigure_P4(t *testing.T) {
	measure(t)
	n := 100_000
	if long() {
		n = 1_000_000
	}
	dir := t.TempDir()
	node := enginetest.NewNode(t, enginetest.Spec{Dir: dir, Program: "waiting", Args: []string{strconv.Itoa(n)}})
	node.Restart()
	for done := 0; ; {
		node.WaitLines(done + 1)
		line := node.Lines()[done]
		done++
		if line == "end" {
			break
		}
		if f := strings.Fields(line); f[0] != "#" {
			figure(t, f[0], f[1], f[2])
		}
	}
	restart := func(id string) {
		began := time.Now()
		node.Spec.Args = []string{"0"}
		report := node.Restart()
		node.WaitLines(1)
		figure(t, id, fmt.Sprintf("%.2f", time.Since(began).Seconds()), "s")
		figure(t, id+"-server", fmt.Sprintf("%.2f", report.Took.Seconds()), "s")
	}
	node.Stop()
	figure(t, "P4-disk", diskUse(t, dir)/int64(n), "B")
	restart("P4-restart-clean")
	node.Kill()
	restart("P4-restart-kill")
	node.Stop()
}

// diskUse is how many bytes the files of a folder have.
func diskUse(t *testing.T, dir string) (sum int64) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	}))
	return sum
}

// waiting is a program with a hub. It fills it with asks, measures, and prints "id value unit" and at last "end"; lines that
// begin with # only say that it is still at work.
func waiting(ctx context.Context, srv *natsserver.Server, args []string, out io.Writer) error {
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	nc, err := srv.Conn(ctx, "")
	if err != nil {
		return err
	}
	s, err := natsstore.Open(ctx, nc, &natsstore.Options{Mark: srv, NoAudit: true})
	if err != nil {
		return err
	}
	defer s.Close()
	h, err := hub.Open(ctx, s, nil)
	if err != nil {
		return err
	}
	defer h.Stop()
	w := &waitingRoom{h: h, out: out}
	if n == 0 { // after a restart
		_, err := w.list(ctx, 0, "")
		fmt.Fprintln(out, "serving")
		return errors.Join(err, wait(ctx))
	}
	if err := w.measure(ctx, n); err != nil {
		return err
	}
	fmt.Fprintln(out, "end")
	return wait(ctx)
}

func wait(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// waitingRoom has asks with numbers: five in a conversation, twenty conversations a person.
type waitingRoom struct {
	h     *hub.Hub
	out   io.Writer
	extra atomic.Int64 // asks that come and go
}

func (w *waitingRoom) say(id string, value float64, unit string) {
	fmt.Fprintf(w.out, "%s %.2f %s\n", id, value, unit)
}

func person(i int) string       { return fmt.Sprintf("u%06d", i/100) }
func conversation(i int) string { return fmt.Sprintf("c%08d", i/5) }

func address(i int) hub.Address {
	return hub.Address{Tenant: "acme", Person: person(i), Conversation: conversation(i), ID: fmt.Sprintf("ask_%08d", i)}
}

func (w *waitingRoom) measure(ctx context.Context, n int) error {
	empty := resident()
	have := 0
	for _, size := range []int{1000, 100_000, 1_000_000} {
		if size > n {
			break
		}
		if err := w.fill(ctx, have, size); err != nil {
			return err
		}
		have = size
		rate, cpu, err := w.churn(ctx)
		if err != nil {
			return err
		}
		w.say(fmt.Sprintf("P4-ask-answer-%d", size), rate, "asks/s")
		w.say(fmt.Sprintf("P4-cpu-%d", size), cpu, "µs")
	}
	w.say("P4-rss", float64(resident()-empty)/float64(n), "B")
	random := rand.New(rand.NewPCG(1, uint64(n)))
	for _, id := range []string{"person", "conversation"} {
		var took []time.Duration
		for range 500 {
			i := random.IntN(n)
			c := ""
			if id == "conversation" {
				c = conversation(i)
			}
			d, err := w.list(ctx, i, c)
			if err != nil {
				return err
			}
			took = append(took, d)
		}
		slices.Sort(took)
		w.say("P4-list-"+id+"-p50", float64(percentile(took, 0.5).Microseconds())/1000, "ms")
		w.say("P4-list-"+id, float64(percentile(took, 0.99).Microseconds())/1000, "ms")
	}
	return w.attach(ctx, min(n, 100_000))
}

// fill submits asks from one number up to another.
func (w *waitingRoom) fill(ctx context.Context, from, to int) error {
	return parallel(64, func(k int) error {
		for i := from + k; i < to; i += 64 {
			if _, err := w.h.Submit(ctx, "acme", question(fmt.Sprintf("ask_%08d", i), person(i), conversation(i))); err != nil {
				return err
			}
			if i%10_000 == 0 {
				fmt.Fprintln(w.out, "#", i)
			}
		}
		return nil
	})
}

// churn asks and answers for a while, beside those that wait.
func (w *waitingRoom) churn(ctx context.Context) (rate, cpu float64, err error) {
	began, used, before := time.Now(), cpuTime(), w.extra.Load()
	err = parallel(16, func(int) error {
		for time.Since(began) < 3*time.Second {
			i := int(w.extra.Add(1))
			t, err := w.h.Submit(ctx, "acme", question(fmt.Sprintf("more_%08d", i), person(i), conversation(i)))
			if err == nil {
				_, err = w.h.Close(ctx, t, reply(person(i)), nil)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	asks := float64(w.extra.Load() - before)
	return asks / time.Since(began).Seconds(), float64((cpuTime() - used).Microseconds()) / asks, err
}

// list reads the first page of what waits for the person of an ask.
func (w *waitingRoom) list(ctx context.Context, i int, conversation string) (time.Duration, error) {
	began := time.Now()
	got, err := w.h.List(ctx, "acme", &hub.Filter{Person: person(i), Conversation: conversation})
	if err != nil {
		return 0, err
	}
	if want := map[bool]int{true: 100, false: 5}[conversation == ""]; len(got.Tickets) < want {
		return 0, fmt.Errorf("a list has %d tickets, want %d", len(got.Tickets), want)
	}
	return time.Since(began), nil
}

// attach waits for n asks at once, and then answers some of them.
func (w *waitingRoom) attach(ctx context.Context, n int) error {
	before := resident()
	waits, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	const some = 1000
	got := make(chan time.Time, some)
	for i := range n {
		addr := address(i) // made here, so that the goroutine does nothing but wait, on a small stack
		wg.Add(1)
		go func() {
			defer wg.Done()
			if t, err := w.h.Wait(waits, addr); err == nil && !t.Open() {
				got <- time.Now()
			}
		}()
	}
	settle(n)
	w.say("P5-memory", float64(resident()-before)/float64(n), "B")
	for _, phase := range []string{"begin", "idle"} { // the hub reads again more and more rarely
		used, began := cpuTime(), time.Now()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Second):
		}
		w.say("P5-"+phase, 100*float64(cpuTime()-used)/float64(time.Since(began)), "%")
	}
	var took []time.Duration
	for i := range some {
		at := time.Now()
		t, err := w.h.Get(ctx, address(i))
		if err != nil {
			return err
		}
		if _, err := w.h.Close(ctx, t, reply(person(i)), nil); err != nil {
			return err
		}
		select {
		case woken := <-got:
			took = append(took, woken.Sub(at))
		case <-time.After(20 * time.Second):
			return errors.New("a waiter did not wake")
		}
	}
	slices.Sort(took)
	w.say("P5-wake", float64(percentile(took, 0.99).Microseconds())/1000, "ms")
	return nil
}

// settle waits until the goroutines of n waiters wait.
func settle(n int) {
	var last uint64
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if m.Mallocs-last < uint64(n/4) {
			return
		}
		last = m.Mallocs
	}
}

// resident is the memory of the process after everything that can be given back was.
func resident() int64 {
	for range 4 { // a stack shrinks by half each time
		debug.FreeOSMemory()
	}
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		panic(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(b))[1], 10, 64)
	if err != nil {
		panic(err)
	}
	return pages * int64(os.Getpagesize())
}

// parallel runs fn in n goroutines and returns the first error.
func parallel(n int, fn func(k int) error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for k := range n {
		wg.Go(func() { errs[k] = fn(k) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
