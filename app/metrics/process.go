package metrics

import (
	"context"
	"os"
	"runtime"
	"runtime/metrics"
	"time"
)

// Process writes what every Go program tells about itself, under the names that
// dashboards know.
func Process(start time.Time) Source {
	names := []string{"/memory/classes/heap/objects:bytes", "/memory/classes/total:bytes", "/memory/classes/heap/released:bytes", "/gc/cycles/total:gc-cycles"}
	return func(_ context.Context, w *Writer) {
		samples := make([]metrics.Sample, len(names))
		for i, name := range names {
			samples[i].Name = name
		}
		metrics.Read(samples)
		value := func(i int) float64 {
			if samples[i].Value.Kind() != metrics.KindUint64 {
				return 0
			}
			return float64(samples[i].Value.Uint64())
		}
		w.Family("go_info", Gauge, "The version of Go.").Value(1, "version", runtime.Version())
		w.One("go_goroutines", Gauge, "Goroutines.", float64(runtime.NumGoroutine()))
		w.One("go_memstats_heap_alloc_bytes", Gauge, "Bytes of objects in the heap.", value(0))
		w.One("go_memstats_sys_bytes", Gauge, "Bytes that Go has of the system.", value(1)-value(2))
		w.One("go_gc_cycles_total", Counter, "Collections of garbage.", value(3))
		w.One("process_start_time_seconds", Gauge, "When the process began, since 1970.", float64(start.UnixMilli())/1000)
		if p, ok := usage(os.Getpid()); ok {
			w.One("process_cpu_seconds_total", Counter, "Processor time, of user and system.", p.cpu)
			w.One("process_resident_memory_bytes", Gauge, "Memory that the process takes now.", p.resident)
			w.One("process_open_fds", Gauge, "Open file descriptors.", p.files)
			w.One("process_max_fds", Gauge, "File descriptors that the process may open.", p.maxFiles)
		}
	}
}

// used is what a process uses.
type used struct{ cpu, resident, files, maxFiles float64 }
