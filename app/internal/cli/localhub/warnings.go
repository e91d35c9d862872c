package localhub

import (
	"log/slog"
	"slices"
	"sync"
)

// Warning is something that whoever runs a hub should know, although the hub works.
type Warning struct {
	Name string `json:"name"` // of what was looked at, as doctor prints it
	Text string `json:"text"` // what is wrong, with the value
	Fix  string `json:"fix"`  // what to do

	Wrong bool `json:"wrong"` // it does harm already; else it may
}

// warned has the warnings that hold now, one for each name.
type warned struct {
	log *slog.Logger

	mu  sync.Mutex
	all []Warning
}

// set notes a warning. It is logged when there was none of that name.
func (w *warned) set(one Warning) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.IndexFunc(w.all, func(o Warning) bool { return o.Name == one.Name })
	if i >= 0 {
		w.all[i] = one
		return
	}
	w.all = append(w.all, one)
	w.log.Warn(one.Text, "fix", one.Fix)
}

// clear takes a warning back, and reports whether there was one.
func (w *warned) clear(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(w.all)
	w.all = slices.DeleteFunc(w.all, func(o Warning) bool { return o.Name == name })
	return len(w.all) < n
}

// now returns the warnings that hold.
func (w *warned) now() []Warning {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.all)
}
