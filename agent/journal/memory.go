package journal

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Memory is a Journal in the memory of one process. What it holds ends with it.
type Memory struct {
	mu       sync.Mutex
	seq      uint64
	logs     map[string]*Log
	hosts    map[string]presence // by name
	attended map[Owner]bool      // have been there once
}

type presence struct {
	life  string
	until time.Time
}

var _ Journal = (*Memory)(nil)

// NewMemory returns an empty journal.
func NewMemory() *Memory {
	return &Memory{logs: map[string]*Log{}, hosts: map[string]presence{}, attended: map[Owner]bool{}}
}

// Read returns a log; see Journal.
func (m *Memory) Read(ctx context.Context, id string) (*Log, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.logs[id]
	if l == nil {
		return nil, ErrNotFound
	}
	return &Log{Records: slices.Clone(l.Records), Last: l.Last}, ctx.Err()
}

// Append adds a record; see Journal.
func (m *Memory) Append(ctx context.Context, id string, r Record, after uint64) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if _, err := encode(r); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.logs[id]
	if l == nil {
		l = &Log{}
	}
	if l.Last != after {
		return 0, ErrConflict
	}
	m.seq++
	l.Records, l.Last = append(l.Records, r), m.seq
	m.logs[id] = l
	return m.seq, nil
}

// Purge removes a log; see Journal.
func (m *Memory) Purge(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.logs, id)
	return nil
}

// Heads tells the ends of all logs; see Journal.
func (m *Memory) Heads(ctx context.Context, fn func(Head) bool) error {
	m.mu.Lock()
	heads := make([]Head, 0, len(m.logs))
	for id, l := range m.logs {
		heads = append(heads, Head{id, l.Last, l.Records[len(l.Records)-1]})
	}
	m.mu.Unlock()
	for _, h := range heads {
		if ctx.Err() != nil || !fn(h) {
			break
		}
	}
	return ctx.Err()
}

// Attend says that a host is there; see Journal.
func (m *Memory) Attend(ctx context.Context, o Owner, ttl time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	had, ok := m.hosts[o.Name]
	if ok && had.life != o.Life && m.attended[o] {
		return ErrReplaced
	}
	m.hosts[o.Name] = presence{o.Life, time.Now().Add(ttl)}
	m.attended[o] = true
	return ctx.Err()
}

// Leave says that a host is gone; see Journal.
func (m *Memory) Leave(ctx context.Context, o Owner) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.hosts[o.Name].life == o.Life {
		delete(m.hosts, o.Name)
	}
	return ctx.Err()
}

// Attends reports whether a host is there; see Journal.
func (m *Memory) Attends(ctx context.Context, o Owner) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.hosts[o.Name]
	return ok && p.life == o.Life && time.Now().Before(p.until), ctx.Err()
}

// Hosts returns who is there; see Journal.
func (m *Memory) Hosts(ctx context.Context) ([]Owner, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []Owner
	for name, p := range m.hosts {
		if time.Now().Before(p.until) {
			all = append(all, Owner{name, p.life})
		}
	}
	return all, ctx.Err()
}
