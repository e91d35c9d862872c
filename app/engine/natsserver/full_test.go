package natsserver_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/engine/natsserver"
)

// stubborn asks without end and prints what was acknowledged, as writer does, but goes on after a refusal, of which it
// prints "refused 0".
func stubborn(ctx context.Context, s *natsserver.Server, _ []string, out io.Writer) error {
	nc, err := s.Conn(ctx, "stubborn")
	if err != nil {
		return err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	if _, err := js.CreateOrUpdateStream(ctx, askConfig("ASK")); err != nil {
		return err
	}
	for i := 0; ctx.Err() == nil; i++ {
		m := nats.NewMsg(fmt.Sprintf("ask.%d", i))
		m.Data = []byte(strings.Repeat("question ", 500))
		m.Header.Set("Q-State", "p")
		once, cancel := context.WithTimeout(ctx, time.Second)
		ack, err := js.PublishMsg(once, m, jetstream.WithRetryAttempts(0))
		cancel()
		line := "refused 0\n"
		if err == nil {
			if err := s.Note("ASK", ack.Sequence); err != nil {
				return err
			}
			line = fmt.Sprintf("%s %d\n", m.Subject, ack.Sequence)
		} else {
			<-time.After(10 * time.Millisecond)
		}
		if _, err := io.WriteString(out, line); err != nil {
			return err
		}
	}
	return nil
}

// TestDiskFull is R15: nothing is acknowledged that could not be written, and once there is room again, writes go on in the
// same process.
func TestDiskFull(t *testing.T) {
	disk := enginetest.NewDisk(t, "ext4", 96<<20)
	node := enginetest.StartNode(t, enginetest.Spec{Dir: filepath.Join(disk.Dir, "store"), Program: "stubborn"})
	node.WaitLines(50)
	ballast := filepath.Join(disk.Dir, "ballast")
	fill(t, ballast)
	await(t, node, "refused", len(node.Lines()))
	must(t, os.Remove(ballast))
	await(t, node, "ask", len(node.Lines())+5) // none of the refusals still on their way
	node.Kill()
	acked := ledger{}
	acked.add(t, node.Lines())
	node.Spec.Program = ""
	r := node.Restart()
	if n := acked.lost(t, node); n > 0 {
		t.Errorf("%d of %d acknowledged questions are gone", n, len(acked))
	}
	t.Logf("%d questions, notes %q", len(acked), r.Store.Notes)
}

// await waits for a line that begins with prefix, behind the first lines.
func await(t *testing.T, node *enginetest.Node, prefix string, from int) {
	t.Helper()
	for n := from + 1; ; n++ {
		node.WaitLines(n)
		if strings.HasPrefix(node.Lines()[n-1], prefix) {
			return
		}
	}
}

// fill writes a file until the disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	must(t, err)
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}
