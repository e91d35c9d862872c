package faulttest

import (
	"testing"

	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
	"github.com/saysohq/sayso/hub/hubtest"
)

// TestStoreOnThree is the contract of a store, on three processes.
func TestStoreOnThree(t *testing.T) {
	faults(t)
	e := newEngine(t)
	hubtest.Run(t, func(t *testing.T) hub.Store { return e.store(t, natsstore.Options{}) }, e.options())
}

// TestRulesOnThree is the contract of the hub, on three processes.
func TestRulesOnThree(t *testing.T) {
	faults(t)
	e := newEngine(t)
	hubtest.RunHub(t, func(t *testing.T) hub.Store { return e.store(t, natsstore.Options{}) }, e.options())
}

func (e *engine) options() *hubtest.Options {
	return &hubtest.Options{
		Peer:      e.peer,
		Limited:   func(t *testing.T, n int) hub.Store { return e.store(t, natsstore.Options{MaxAsks: int64(n)}) },
		Races:     either(20, 1000),
		Sequences: either(5, 50),
	}
}
