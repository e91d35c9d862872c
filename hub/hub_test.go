package hub_test

import (
	"testing"

	"github.com/saysohq/sayso/hub"
	"github.com/saysohq/sayso/hub/hubtest"
)

// The suites run on the memory store twice: in virtual time, and in real time
// under the race detector's eyes.
var onMemory = &hubtest.Options{
	Virtual: true,
	Limited: func(t *testing.T, n int) hub.Store { return hub.NewMemory(&hub.MemoryOptions{MaxRecords: n}) },
}

func newMemory(*testing.T) hub.Store { return hub.NewMemory(nil) }

func TestMemory(t *testing.T) { hubtest.Run(t, newMemory, onMemory) }

func TestRules(t *testing.T) { hubtest.RunHub(t, newMemory, onMemory) }

func TestRulesInRealTime(t *testing.T) {
	opts := *onMemory
	opts.Virtual = false
	hubtest.RunHub(t, newMemory, &opts)
}
