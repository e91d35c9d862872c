package loadtest

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestSoak has the program at work for a long time beside much that waits, and fails
// if its memory, its goroutines or its descriptors grow. SAYSO_SOAK is for how many
// minutes, SAYSO_RATE how many cycles a second, SAYSO_WAITING how many asks wait,
// SAYSO_CLIENTS how many event streams are open and how many requests wait; make soak
// sets them.
func TestSoak(t *testing.T) {
	minutes := number(t, "SAYSO_SOAK", 0)
	if minutes == 0 {
		t.Skip("takes minutes: run make soak")
	}
	rate, waiting, attached := number(t, "SAYSO_RATE", 50), number(t, "SAYSO_WAITING", 20_000), number(t, "SAYSO_CLIENTS", 64)
	v := versions(t)[len(versions(t))-1]
	const clients = 64 // a busy machine takes long for a cycle
	keys := subjects(clients, max(clients, attached)).add("admin", "metrics")
	p := newHome(t, v, filled(t, v, waiting), keys).serve()
	l := &load{t: t, keys: keys, at: func(int) string { return p.url }, askers: clients, persons: max(clients, attached)}
	l.attend()
	wait(t, p.url, keys.of(asker(0)), attached)
	every := time.Minute
	if minutes < 12 {
		every = 10 * time.Second
	}
	var memory, files, routines []float64
	var all times
	for len(memory) < int(time.Duration(minutes)*time.Minute/every) {
		took, _ := l.run(every, time.Second*clients/time.Duration(rate))
		all = append(all, took...)
		memory, files = append(memory, resident(t, p.pid)), append(files, float64(descriptors(t, p.pid)))
		routines = append(routines, metric(t, p.url, keys.of("metrics"), "go_goroutines"))
		t.Logf("%v: %d cycles, p99 %.1f ms, %.0f MB, %.0f descriptors, %.0f goroutines", time.Duration(len(memory))*every, len(took), took.ms(0.99), memory[len(memory)-1], files[len(files)-1], routines[len(routines)-1])
	}
	skip, buffers := filling*len(memory)/max(len(all), 1), 0.0
	if skip > 2*len(memory)/3 { // too short to leave out the time in which they fill
		skip, buffers = min(len(memory)/6, 10), bufferBytes/(1<<20)
	}
	memory, files, routines = memory[skip:], files[skip:], routines[skip:]
	cycles := float64(len(all)) * float64(len(memory)) / float64(len(memory)+skip)
	grown := slope(memory) * float64(len(memory)-1)
	t.Logf("FIGURE SOAK-memory %.1f MB in %.0f cycles, of %.0f", grown, cycles, mean(memory))
	t.Logf("FIGURE SOAK-descriptors %.1f of %.0f", slope(files)*float64(len(files)-1), mean(files))
	t.Logf("FIGURE SOAK-goroutines %.1f of %.0f", slope(routines)*float64(len(routines)-1), mean(routines))
	t.Logf("FIGURE SOAK-p99 %.1f ms", all.ms(0.99))
	if want := float64(minutes * 60 * rate); float64(len(all)) < 0.95*want {
		t.Errorf("%d cycles were done, want %.0f", len(all), want)
	}
	// What is closed is kept in the audit, whose index is in memory. The rest is how far
	// the heap of a Go program moves by itself.
	if kept := cycles * historyBytes / (1 << 20); grown > kept+buffers+64+0.1*mean(memory) {
		t.Errorf("the memory has grown by %.0f MB; %.0f are of the asks that are kept, %.0f of the blocks that the server writes, and 64 and a tenth are noise", grown, kept, buffers)
	}
	if more := slope(files) * float64(len(files)-1); more > 10 {
		t.Errorf("%.0f descriptors more are open in the end", more)
	}
	// Those of the requests that are being served come and go.
	if more := slope(routines) * float64(len(routines)-1); more > 20+0.01*mean(routines) {
		t.Errorf("%.0f goroutines more run in the end", more)
	}
}

// wait asks n times and waits for each answer, which nobody gives, until the test ends.
func wait(t *testing.T, addr, key string, n int) {
	t.Helper()
	var waiting sync.WaitGroup
	var over atomic.Bool
	name := fmt.Sprintf("w%x", time.Now().UnixNano())
	all := make([]*caller, n)
	for i := range all {
		c := newCaller(addr, key)
		all[i] = c
		body := fmt.Appendf(nil, `{"id":"%s-%d","to":["nobody"],"origin":{"conversation":"waits"},"questions":[{"id":"q","text":"Who is there?"}]}`, name, i)
		must(t, c.do("POST", "/v1/asks", body, nil))
		waiting.Go(func() {
			for !over.Load() { // again with the same id is the same ask
				if err := c.try("POST", "/v1/asks?wait=10m", body, nil); err != nil && !over.Load() {
					t.Errorf("a request that waits: %v", err)
					return
				}
			}
		})
	}
	t.Cleanup(func() {
		over.Store(true)
		for _, c := range all {
			if conn := c.conn; conn != nil {
				conn.SetDeadline(time.Now()) // it closes itself
			}
		}
		waiting.Wait()
	})
}

// metric reads one value that the program tells.
func metric(t *testing.T, addr, key, name string) float64 {
	t.Helper()
	c := newCaller(addr, key)
	defer c.close()
	resp, err := c.send("GET", "/metrics", nil)
	must(t, err)
	text, err := io.ReadAll(resp.Body)
	must(t, err)
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			must(t, err)
			return n
		}
	}
	t.Fatalf("the metrics have no %s: %s", name, text)
	return 0
}

const (
	// historyBytes is what a closed ask takes of the memory, as in docs/records/scale.md.
	historyBytes = 350

	// The server holds the block of 4 MB that each of 32 streams is writing, and the
	// collector leaves as much again to be collected. They have filled after so many
	// cycles.
	bufferBytes = 2 * 32 * 4 << 20
	filling     = 100_000
)

func number(t *testing.T, name string, byDefault int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return byDefault
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%s is no number", name, text)
	}
	return n
}

func mean(v []float64) (m float64) {
	for _, x := range v {
		m += x / float64(len(v))
	}
	return m
}

// slope is the rise from one value to the next, of the straight line that fits
// best.
func slope(v []float64) float64 {
	mid, avg := float64(len(v)-1)/2, mean(v)
	var up, across float64
	for i, y := range v {
		x := float64(i) - mid
		up, across = up+x*(y-avg), across+x*x
	}
	if across == 0 {
		return 0
	}
	return up / across
}

func TestSlope(t *testing.T) {
	for _, c := range []struct {
		v    []float64
		want float64
	}{{[]float64{5}, 0}, {[]float64{5, 5, 5}, 0}, {[]float64{1, 3, 5, 7}, 2}, {[]float64{0, 4, 0, 4}, 0.8}} {
		if got := slope(c.v); fmt.Sprintf("%.3f", got) != fmt.Sprintf("%.3f", c.want) {
			t.Errorf("slope(%v) = %v, want %v", c.v, got, c.want)
		}
	}
}
