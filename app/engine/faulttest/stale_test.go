package faulttest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/historytest"
	"github.com/saysohq/sayso/hub"
)

// TestFigure_R05 cuts the leader off from the other nodes, but not from its clients, and has an ask answered by the
// others. For some seconds more the server that was cut off tells everybody that the ask is open; the hub that is
// connected to it must not.
func TestFigure_R05(t *testing.T) {
	faults(t)
	network := enginetest.NewNetwork(t)
	c := enginetest.StartCluster(t, t.TempDir(), network, enginetest.Spec{})
	l := &linear{t: t}
	for _, n := range c.Nodes {
		l.open(n.Connect())
	}
	js, err := jetstream.New(c.Connect())
	must(t, err)
	want, stale, tries := either(1, 10), 0, 0
	for ; stale < want; tries++ {
		if tries == 12*want {
			t.Fatalf("of %d leaders that were cut off %d answered meanwhile: this test shows nothing", tries, stale)
		}
		h := newHistory(fmt.Sprint("ask_", tries))
		within(t, time.Minute, "ask", func(ctx context.Context) error {
			_, err := l.hubs[0].Submit(ctx, tenant, newAsk(h.ID))
			return err
		})
		old := awaitLeader(t, js, "ASK2-00")
		others := l.hubs[(old+1)%3]
		var closed *hub.Ticket
		network.IsolateRoutes(old)
		within(t, time.Minute, "answer by the other nodes", func(ctx context.Context) (err error) {
			closed, err = others.Close(ctx, &hub.Ticket{Address: h.addr, Digest: newAsk(h.ID).Digest()}, answer("ann", "o1"), &hub.CloseOptions{Nonce: h.ID})
			return err
		})
		if told := h.get(t.Context(), old, l.hubs[old]); told.State != historytest.Unknown && told.State != closed.Nonce {
			t.Fatalf("ask %d is answered, and the hub at the leader that was cut off says %+v", tries, told)
		}
		if isStale(t, c.Nodes[old].Connect(), h, closed) { // then it was so when the hub asked it, too
			stale++
		}
		network.Heal(old)
		c.Nodes[old].Stop() // it may need that, see docs/records/reliability.md
		c.Nodes[old].Restart()
	}
	figure(t, "R05", 0, fmt.Sprintf("stale-reads/%d-stale-leaders", stale))
	t.Logf("%d leaders were cut off for it", tries)
}

// isStale reports whether a server answers with less than was acknowledged elsewhere.
func isStale(t *testing.T, nc *nats.Conn, h *history, now *hub.Ticket) bool {
	t.Helper()
	var got struct {
		Message struct {
			Seq uint64 `json:"seq"`
		} `json:"message"`
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if err := ask(ctx, nc, "$JS.API.STREAM.MSG.GET.ASK2-00", map[string]string{"last_by_subj": "ask.00.*.*.*.*." + h.ID}, &got); err != nil {
		return false
	}
	return got.Message.Seq > 0 && got.Message.Seq < now.Revision
}

// awaitLeader returns which node leads a stream.
func awaitLeader(t *testing.T, js jetstream.JetStream, stream string) (node int) {
	t.Helper()
	within(t, time.Minute, "find the leader", func(context.Context) error {
		if node = leaderOf(t, js, stream); node < 0 {
			return fmt.Errorf("nobody leads %s", stream)
		}
		return nil
	})
	return node
}
