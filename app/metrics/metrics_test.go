package metrics

import (
	"context"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestWriter(t *testing.T) {
	t.Parallel()
	var w Writer
	w.One("sayso_streams", Gauge, "Open event\nstreams.", 3)
	w.Family("sayso_peers", Gauge, "Nodes.").Value(2, "state", "current").Value(0, "state", `a"b\c`+"\n")
	w.Family("sayso_peers", Gauge, "Nodes.").Value(1, "state", "offline")
	w.One("sayso_x", Gauge, "Numbers.", 1e21)
	w.One("sayso_y", Gauge, "Numbers.", math.Inf(1))
	want := `# HELP sayso_streams Open event\nstreams.
# TYPE sayso_streams gauge
sayso_streams 3
# HELP sayso_peers Nodes.
# TYPE sayso_peers gauge
sayso_peers{state="current"} 2
sayso_peers{state="a\"b\\c\n"} 0
sayso_peers{state="offline"} 1
# HELP sayso_x Numbers.
# TYPE sayso_x gauge
sayso_x 1e+21
# HELP sayso_y Numbers.
# TYPE sayso_y gauge
sayso_y +Inf
`
	if got := w.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestHistogram(t *testing.T) {
	t.Parallel()
	h := NewHistogram([]float64{.1, 1})
	for _, v := range []float64{.05, .1, .5, 3} {
		h.Observe(v)
	}
	var w Writer
	h.Write(&w, "sayso_request_seconds", "Time.", "route", "/v1/asks")
	for _, line := range []string{
		`sayso_request_seconds_bucket{route="/v1/asks",le="0.1"} 2`,
		`sayso_request_seconds_bucket{route="/v1/asks",le="1"} 3`,
		`sayso_request_seconds_bucket{route="/v1/asks",le="+Inf"} 4`,
		`sayso_request_seconds_sum{route="/v1/asks"} 3.65`,
		`sayso_request_seconds_count{route="/v1/asks"} 4`,
	} {
		if !strings.Contains(w.String(), line+"\n") {
			t.Errorf("no line %q in\n%s", line, w.String())
		}
	}
	(*Histogram)(nil).Observe(1)
}

func TestCounts(t *testing.T) {
	t.Parallel()
	c := Counts{Labels: []string{"status", "surface"}}
	c.Add(1, "declined", "web")
	c.Add(2, "answered", "web")
	c.Add(1, "answered", "web")
	var w Writer
	c.Write(&w, "sayso_outcomes_total", "Outcomes.")
	new(Counts).Write(&w, "sayso_asks_total", "Asks.")
	want := `# HELP sayso_outcomes_total Outcomes.
# TYPE sayso_outcomes_total counter
sayso_outcomes_total{status="answered",surface="web"} 3
sayso_outcomes_total{status="declined",surface="web"} 1
# HELP sayso_asks_total Asks.
# TYPE sayso_asks_total counter
sayso_asks_total 0
`
	if got := w.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestCached(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reads := 0
		s := Cached(10*time.Second, time.Second, func(ctx context.Context) Source {
			reads++
			n := float64(reads)
			if _, bound := ctx.Deadline(); !bound {
				t.Error("a reading has no limit")
			}
			return func(_ context.Context, w *Writer) { w.One("sayso_x", Gauge, "X.", n) }
		})
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		for range 3 {
			var w Writer
			s(gone, &w)
			if !strings.Contains(w.String(), "sayso_x 1\n") {
				t.Fatal(w.String())
			}
			<-time.After(3 * time.Second)
		}
		<-time.After(2 * time.Second)
		var w Writer
		if s(gone, &w); reads != 2 {
			t.Errorf("%d readings", reads)
		}
	})
}

func TestProcess(t *testing.T) {
	t.Parallel()
	var w Writer
	Process(time.Unix(1_700_000_000, 0))(t.Context(), &w)
	for _, name := range []string{"go_goroutines ", "process_start_time_seconds 1700000000\n", "go_memstats_heap_alloc_bytes "} {
		if !strings.Contains(w.String(), "\n"+name) {
			t.Errorf("no %q in\n%s", name, w.String())
		}
	}
	if strings.Contains(w.String(), "heap_alloc_bytes 0\n") {
		t.Error("no heap")
	}
}
