package natsstore_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// measure skips a test that measures, unless figures are wanted.
func measure(t *testing.T) {
	t.Helper()
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
}

// long reports whether the long form of a figure is wanted.
func long() bool { return os.Getenv("SAYSO_LONG") != "" }

func figure(t *testing.T, id string, value any, unit string) {
	t.Helper()
	t.Logf("FIGURE %s %v %s", id, value, unit)
}

// load runs fn in n goroutines for a while, and returns how long each run took.
func load(t *testing.T, n int, d time.Duration, fn func(n uint64)) (took []time.Duration) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	began := time.Now()
	for range n {
		wg.Go(func() {
			var own []time.Duration
			for time.Since(began) < d && !t.Failed() {
				at := time.Now()
				fn(number.Add(1))
				own = append(own, time.Since(at))
			}
			mu.Lock()
			took = append(took, own...)
			mu.Unlock()
		})
	}
	wg.Wait()
	return took
}

// cpuTime is what this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// processTime is what another process has used.
func processTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	must(t, err)
	_, rest, _ := strings.Cut(string(b), ") ")
	f := strings.Fields(rest)
	user, err := strconv.ParseInt(f[11], 10, 64)
	must(t, err)
	system, err := strconv.ParseInt(f[12], 10, 64)
	must(t, err)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// percentile of durations that are sorted.
func percentile(took []time.Duration, p float64) time.Duration {
	if len(took) == 0 {
		return 0
	}
	return took[min(int(p*float64(len(took))), len(took)-1)]
}

func quantile(v []float64, q float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[min(int(q*float64(len(v))), len(v)-1)]
}
