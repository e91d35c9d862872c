package agent

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
