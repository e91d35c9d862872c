package agent

import "context"

// Point is a place between two effects.
type Point = point

// Probe has fn called at every point.
func (o *Options) Probe(fn func(Point)) { o.probe = fn }

// Active returns how many conversations have a goroutine.
func (h *Host) Active() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.active)
}

// Die ends the host as a crash does: it tells nobody.
func (h *Host) Die() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.cancel()
	h.wg.Wait()
}

// Plant writes a branch before the n-th question, and stops there.
func (h *Host) Plant(ctx context.Context, from string, n int, id string) error {
	c, err := h.Get(ctx, from)
	if err != nil {
		return err
	}
	entries, state := before(c.Transcript, h.Questions(c)[n-1], id)
	return h.plant(ctx, id, entries, nil, state)
}
