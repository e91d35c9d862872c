package hub

// lately remembers the last things that were put into it, and forgets the oldest. It
// has no lock of its own.
type lately[K comparable, V any] struct {
	all  map[K]V
	ring [1024]K
	next int
}

func (l *lately[K, V]) put(k K, v V) {
	if l.all == nil {
		l.all = map[K]V{}
	}
	delete(l.all, l.ring[l.next])
	l.all[k], l.ring[l.next] = v, k
	l.next = (l.next + 1) % len(l.ring)
}
