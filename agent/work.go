package agent

import (
	"context"
	"sync"

	"github.com/saysohq/sayso/conversation"
)

// works are the goroutines that run beside a family, by name.
type works struct {
	wg      sync.WaitGroup
	running map[string]*job // the family's own
}

type job struct {
	cancel context.CancelFunc
	over   chan struct{}
}

// wait returns when the job, if there is one, is over, and reports whether it is.
func (j *job) wait(ctx context.Context) bool {
	if j == nil {
		return true
	}
	select {
	case <-j.over:
		return true
	case <-ctx.Done():
		return false
	}
}

func (w *works) none() bool { return len(w.running) == 0 }
func (w *works) wait()      { w.wg.Wait() }
func (w *works) end(name string) {
	delete(w.running, name)
}

// stop ends a job early. Its result, if there is one already, still comes.
func (w *works) stop(name string) {
	if j := w.running[name]; j != nil {
		j.cancel()
	}
}

// begin runs a job beside the family, once at a time under its name, and gives the
// family what it returns as mail. A job that was stopped with the host returns
// nothing that is saved: the family does not read its mail any more.
func (f *family) begin(ctx context.Context, name string, run func(context.Context) []mail) {
	if f.work.running[name] != nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	j := &job{cancel: cancel, over: make(chan struct{})}
	if f.work.running == nil {
		f.work.running = map[string]*job{}
	}
	f.work.running[name] = j
	f.work.wg.Go(func() {
		defer cancel()
		out := run(ctx)
		close(j.over)
		if len(out) == 0 {
			out = []mail{{}}
		}
		out[0].work = name
		f.h.mu.Lock()
		defer f.h.mu.Unlock()
		f.inbox = append(f.inbox, out...)
		f.ring()
	})
}

// happened is the mail of one event.
func happened(to string, e conversation.Event) []mail { return []mail{{to: to, event: e}} }
