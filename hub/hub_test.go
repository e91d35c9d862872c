package hub_test

import (
	"context"
	"testing"

	"github.com/saysohq/sayso"
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

func TestDesk(t *testing.T) {
	hubtest.RunDesk(t, func(t *testing.T) hubtest.Team {
		h, err := hub.Open(t.Context(), newMemory(t), &hub.Options{People: func(context.Context, string) ([]string, error) {
			return []string{"ann", "bea", "cat"}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(h.Stop)
		desk := func(name string) hub.Desk {
			return h.Inbox("home", sayso.Responder{Kind: sayso.ByPerson, ID: name, Surface: "terminal"}).(hub.Desk)
		}
		return hubtest.Team{Asker: h.Asker("home", sayso.Responder{ID: "robot", Surface: "test"}), Ann: desk("ann"), Bea: desk("bea"), Cat: desk("cat")}
	})
}

func TestAsker(t *testing.T) {
	hubtest.RunAsker(t, func(t *testing.T) hubtest.Party {
		h, err := hub.Open(t.Context(), newMemory(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(h.Stop)
		return hubtest.Party{
			Asker:  h.Asker("home", sayso.Responder{ID: "robot", Surface: "test"}),
			Person: h.Inbox("home", sayso.Responder{Kind: sayso.ByPerson, ID: "ann", Surface: "terminal"}),
		}
	})
}
