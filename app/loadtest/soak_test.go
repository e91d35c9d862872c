package loadtest

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// TestSoak has the program at work for a long time beside much that waits, and fails
// if its memory or its descriptors grow. SAYSO_SOAK is for how many minutes,
// SAYSO_RATE how many cycles a second, SAYSO_WAITING how many asks wait; make soak
// sets them.
func TestSoak(t *testing.T) {
	minutes := number(t, "SAYSO_SOAK", 0)
	if minutes == 0 {
		t.Skip("takes minutes: run make soak")
	}
	rate, waiting := number(t, "SAYSO_RATE", 50), number(t, "SAYSO_WAITING", 20_000)
	v := versions(t)[len(versions(t))-1]
	const clients = 16
	keys := subjects(clients, clients)
	p := newHome(t, v, filled(t, v, waiting), keys).serve()
	l := &load{t: t, keys: keys, at: func(int) string { return p.url }, askers: clients, persons: clients}
	l.attend()
	every := time.Minute
	if minutes < 12 {
		every = 10 * time.Second
	}
	var memory, files []float64
	var all times
	for len(memory) < int(time.Duration(minutes)*time.Minute/every) {
		took, _ := l.run(every, time.Second*clients/time.Duration(rate))
		all = append(all, took...)
		memory, files = append(memory, resident(t, p.pid)), append(files, float64(descriptors(t, p.pid)))
		t.Logf("%v: %d cycles, p99 %.1f ms, %.0f MB, %.0f descriptors", time.Duration(len(memory))*every, len(took), took.ms(0.99), memory[len(memory)-1], files[len(files)-1])
	}
	skip, buffers := filling*len(memory)/max(len(all), 1), 0.0
	if skip > len(memory)/2 { // too short to leave out the time in which they fill
		skip, buffers = min(len(memory)/6, 10), bufferBytes/(1<<20)
	}
	memory, files = memory[skip:], files[skip:]
	cycles := float64(len(all)) * float64(len(memory)) / float64(len(memory)+skip)
	grown := slope(memory) * float64(len(memory)-1)
	t.Logf("FIGURE SOAK-memory %.1f MB in %.0f cycles, of %.0f", grown, cycles, mean(memory))
	t.Logf("FIGURE SOAK-descriptors %.1f of %.0f", slope(files)*float64(len(files)-1), mean(files))
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
