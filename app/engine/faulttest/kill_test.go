package faulttest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/app/testenv"
	"github.com/saysohq/sayso/hub"
)

// TestFigure_R01 kills a process that has server, hub and agents in it, over and over. Whatever was acknowledged is
// there afterwards, as it was acknowledged, and what is done again after a crash has had one effect.
func TestFigure_R01(t *testing.T) {
	faults(t)
	const agents = 16
	rounds, random := either(20, 500), testenv.Rand(t)
	node := enginetest.NewNode(t, enginetest.Spec{Dir: t.TempDir()})
	l := newLedger(agents)
	for range rounds {
		node.Spec.Program, node.Spec.Args = "asker", l.next()
		node.Restart()
		node.WaitLines(1 + random.IntN(800))
		node.Kill()
		l.add(t, node.Lines())
	}
	node.Spec.Program = ""
	node.Restart()
	nc := node.Connect()
	store := openStore(t, nc, &natsstore.Options{})
	lost, doubled := l.compare(t, openHub(t, store)), l.extra(t, store, lastSequence(t, nc, "ASK2-00"))
	figure(t, "R01", lost, fmt.Sprintf("lost/%d-asks", len(l.steps)))
	figure(t, "R01", doubled, fmt.Sprintf("extra-effects/%d-kills", rounds))
}

// ledger is what was acknowledged, kept outside of the process that is killed.
type ledger struct {
	steps  map[string]step // by ask
	inHand []int           // by agent: the ask that it has not finished
	lives  int             // of the asker
}

type step struct{ name, choice string }

func newLedger(agents int) *ledger {
	return &ledger{steps: map[string]step{}, inHand: make([]int, agents)}
}

// next returns the arguments of the next life of the asker.
func (l *ledger) next() []string {
	l.lives++
	args := []string{strconv.Itoa(l.lives)}
	for _, i := range l.inHand {
		args = append(args, strconv.Itoa(i))
	}
	return args
}

func (l *ledger) add(t *testing.T, lines []string) {
	t.Helper()
	for _, line := range lines {
		var agent, i int
		var s step
		if _, err := fmt.Sscanf(line, "%d %d %s %s", &agent, &i, &s.name, &s.choice); err != nil {
			t.Fatalf("line %q of the ledger: %v", line, err)
		}
		id := askID(agent, i)
		if before := l.steps[id]; before.name == answered && before.choice != s.choice && s.name != asked {
			t.Errorf("%s was answered with %s, and with %s later", id, before.choice, s.choice)
		}
		if before := l.steps[id].name; before == "" || before == asked || s.name == received {
			l.steps[id] = s
		}
		if s.name == lastStep(i) {
			l.inHand[agent] = i + 1
		}
	}
}

// compare counts the asks that are not what they were acknowledged to be.
func (l *ledger) compare(t *testing.T, h *hub.Hub) (lost int) {
	t.Helper()
	for id, s := range l.steps {
		got, err := h.Get(t.Context(), hub.AddressOf(tenant, newAsk(id)))
		switch {
		case errors.Is(err, hub.ErrNotFound):
			lost++
			t.Errorf("%s was %s and is gone", id, s.name)
		case err != nil:
			t.Fatal(err)
		case s.name == asked:
		case got.Open(), got.Outcome.Answers[0].Selected[0] != s.choice, got.Nonce != id, s.name == received && got.Consumed.IsZero():
			lost++
			t.Errorf("%s was %s with %s and is %s with nonce %q", id, s.name, s.choice, said(got.Outcome), got.Nonce)
		}
		if lost > 10 {
			t.Fatal("and so on")
		}
	}
	return lost
}

// extra counts writes and asks that there should not be: each step of an ask is one write, whatever happened meanwhile.
func (l *ledger) extra(t *testing.T, store hub.Store, writes uint64) int {
	t.Helper()
	var steps uint64
	seen := map[hub.Address]bool{}
	for q := (hub.Query{Limit: 1000}); ; {
		page, err := store.List(t.Context(), q)
		must(t, err)
		for _, r := range page.Records {
			if seen[r.Address] || !strings.HasPrefix(r.Address.ID, "ask_") {
				t.Errorf("nobody asked %v, or not twice", r.Address)
			}
			seen[r.Address] = true
			steps++
			if r.Closed {
				steps++
			}
			if strings.Contains(string(r.Data), `"consumed":`) {
				steps++
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	if steps != writes {
		t.Errorf("the asks took %d steps and %d writes", steps, writes)
	}
	return int(writes) - int(steps)
}
