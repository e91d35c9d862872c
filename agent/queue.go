package agent

import "time"

// queue is who waits for a goroutine. Somebody who speaks to a conversation, or
// answers it, is served before what was left over from before.
type queue struct {
	running  int // at most Options.MaxActive
	resuming int // of those, how many came from the backlog and are being read
	pending  []*family
	backlog  []*family // to be resumed
}

// resumeShare is which part of MaxActive may read conversations of the backlog.
// After a restart all that was answered meanwhile would otherwise be read at the
// same moment, before anybody who speaks to a conversation now.
const resumeShare = 8

// post gives a family something to do, and a goroutine if it has none.
func (h *Host) post(root string, m mail) { h.deliver(root, m, false) }

// resume does the same for what may wait until there is time.
func (h *Host) resume(root string, m mail) { h.deliver(root, m, true) }

func (h *Host) deliver(root string, m mail, later bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		m.done(ErrStopped)
		return
	}
	f := h.active[root]
	if f == nil {
		f = &family{h: h, root: root, bell: make(chan struct{}, 1)}
		h.active[root] = f
		f.later = later
		if later {
			h.queue.backlog = append(h.queue.backlog, f)
		} else {
			h.queue.pending = append(h.queue.pending, f)
		}
	} else if f.later && !later && !f.started { // it need not wait any longer
		f.later = false
		h.queue.pending = append(h.queue.pending, f)
	}
	f.inbox = append(f.inbox, m)
	f.ring()
	h.admit()
}

// admit starts whoever may start. It is called with mu held.
func (h *Host) admit() {
	q := &h.queue
	for q.running < h.o.MaxActive {
		switch {
		case len(q.pending) > 0:
			f := q.pending[0]
			q.pending = q.pending[1:]
			h.start(f)
		case len(q.backlog) > 0 && !q.backlog[0].later: // it was started before its turn
			q.backlog = q.backlog[1:]
		case len(q.backlog) > 0 && q.resuming < max(1, h.o.MaxActive/resumeShare):
			f := q.backlog[0]
			q.backlog = q.backlog[1:]
			h.start(f)
		default:
			return
		}
	}
}

// start is called with mu held.
func (h *Host) start(f *family) {
	f.started = true
	h.queue.running++
	if f.later {
		h.queue.resuming++
	}
	h.wg.Go(func() {
		f.run(h.ctx)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.queue.running--
		h.resumed(f)
		h.admit()
	})
}

// resumed says that a family of the backlog has been read, and waits for a model or
// a tool like all others. It is called with mu held.
func (h *Host) resumed(f *family) {
	if f.later {
		f.later = false
		h.queue.resuming--
	}
}

// later posts mail again after a while.
func (h *Host) later(root string, m mail) {
	h.wg.Go(func() {
		select {
		case <-h.ctx.Done():
		case <-time.After(h.o.RetryDelay):
			h.post(root, m)
		}
	})
}

// leave takes a family out, if it has nothing left to do.
func (h *Host) leave(f *family, force bool) (left bool, rest []mail) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(f.inbox) > 0 && !force {
		return false, nil
	}
	delete(h.active, f.root)
	return true, f.inbox
}
