package natsserver_test

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/testenv"
)

var (
	killRounds = flag.Int("kill.rounds", 20, "how often TestKill kills the server")
	killWrites = flag.Int("kill.writes", 1500, "after how many writes at most")
	killMarker = flag.Duration("kill.marker", time.Hour, "how long the server's markers of expired records live")
)

// TestKill is R01: whatever was acknowledged survives kill -9, and the next start never takes the store for damaged.
func TestKill(t *testing.T) {
	rounds := *killRounds
	if testing.Short() {
		rounds = min(rounds, 3)
	}
	node := enginetest.NewNode(t, enginetest.Spec{Dir: t.TempDir(), Program: "writer"})
	acked, random := ledger{}, testenv.Rand(t)
	for i := range rounds {
		node.Spec.Args = []string{fmt.Sprint(i), "16", killMarker.String()}
		node.Restart()
		node.WaitLines(1 + random.IntN(*killWrites))
		node.Kill()
		acked.add(t, node.Lines())
	}
	node.Spec.Program = ""
	r := node.Restart()
	if r.Store.Clean {
		t.Error("the last stop is reported as clean")
	}
	if n := acked.lost(t, node); n > 0 {
		t.Errorf("%d of %d acknowledged questions are gone", n, len(acked))
	}
	t.Logf("%d rounds, %d questions, last boot %v (store read in %v), notes %q", rounds, len(acked), r.Took, r.Store.Took, r.Store.Notes)
}
