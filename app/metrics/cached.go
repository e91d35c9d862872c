package metrics

import (
	"context"
	"sync"
	"time"
)

// Cached returns a source that reads another one at most once in so long, however
// many ask, and writes what was read last. One reading ends after limit, also if
// nobody waits for it any more; what it wrote until then counts.
func Cached(age, limit time.Duration, read func(ctx context.Context) Source) Source {
	var (
		mu   sync.Mutex
		at   time.Time
		last Source
	)
	return func(ctx context.Context, w *Writer) {
		mu.Lock()
		if at.IsZero() || time.Since(at) >= age {
			bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
			last = read(bound)
			cancel()
			at = time.Now()
		}
		from := last
		mu.Unlock()
		from(ctx, w)
	}
}
