package loadtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/testenv"
)

// figures skips a test that measures, unless it is asked for.
func figures(t *testing.T) {
	t.Helper()
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
}

// long reports whether the long form of a figure is wanted.
func long() bool { return os.Getenv("SAYSO_LONG") != "" }

// say reports a figure. Those of an earlier version have its name.
func say(t *testing.T, v version, id string, value float64, unit string) {
	t.Helper()
	if v.before {
		id += "-before"
	}
	digits := 0
	for _, below := range []float64{100, 10, 1} {
		if value < below {
			digits++
		}
	}
	t.Logf("FIGURE %s %.*f %s", id, digits, value, unit)
}

// times are how long things took.
type times []time.Duration

func (d times) at(p float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(d))
	return s[min(int(p*float64(len(s))), len(s)-1)]
}

func (d times) ms(p float64) float64 { return float64(d.at(p).Microseconds()) / 1000 }

func (d times) String() string {
	return fmt.Sprintf("%d times, p50 %.1f, p99 %.1f, at most %.1f ms", len(d), d.ms(0.5), d.ms(0.99), d.ms(1))
}

// processor is how long processes have kept a processor busy. It counts the time of
// the threads that live: the runtime of Go ends none.
func processor(t testing.TB, pids ...int) (used time.Duration) {
	t.Helper()
	for _, pid := range pids {
		tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		if err != nil || len(tasks) == 0 {
			testenv.Missing(t, "/proc with schedstat")
		}
		for _, task := range tasks {
			text, err := os.ReadFile(task)
			if err != nil {
				continue // it has just ended
			}
			n, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
			must(t, err)
			used += time.Duration(n)
		}
	}
	return used
}

// resident is the resident memory of a process, in MB.
func resident(t testing.TB, pid int) float64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		testenv.Missing(t, "/proc: "+err.Error())
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	must(t, err)
	return float64(n) / 1024
}

// descriptors is how many files and connections a process has open.
func descriptors(t testing.TB, pid int) int {
	t.Helper()
	names, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	must(t, err)
	return len(names)
}
