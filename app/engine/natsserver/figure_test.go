package natsserver_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/engine/natsserver"
)

func figures(t *testing.T) {
	t.Helper()
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
}

// TestFigure_B1 measures a server with nothing in it.
func TestFigure_B1(t *testing.T) {
	figures(t)
	node := enginetest.NewNode(t, enginetest.Spec{Dir: t.TempDir()})
	for range 3 {
		r := node.Restart()
		t.Logf("FIGURE B1 %.1f ms to start", float64(r.Took.Microseconds())/1000)
		t.Logf("FIGURE B1 %.1f MB resident", resident(t, node))
		node.Stop()
	}
}

// TestFigure_B2 measures starts on a store of a million waiting questions.
func TestFigure_B2(t *testing.T) {
	figures(t)
	const n = 1_000_000
	node := enginetest.NewNode(t, enginetest.Spec{Dir: t.TempDir(), Program: "loader", Args: []string{strconv.Itoa(n)}, Tweak: "no sync"})
	node.Restart()
	node.WaitLines(1)
	node.Kill()
	node.Spec.Program, node.Spec.Tweak = "", ""
	for i, stop := range []func(){node.Kill, node.Kill, node.Stop, node.Stop, node.Kill} {
		if node.Spec.Tweak = ""; i == 4 {
			node.Spec.Tweak = "no check" // the bare server, for comparison
		}
		r := node.Restart()
		if i == 4 {
			t.Logf("FIGURE B2 %.2f s to start the bare server after a clean stop, %.2f s of processor time", r.Took.Seconds(), processorTime(t, node))
			node.Kill()
			r = node.Restart()
			t.Logf("FIGURE B2 %.2f s to start the bare server after kill -9, %.2f s of processor time", r.Took.Seconds(), processorTime(t, node))
			continue
		}
		how := map[bool]string{true: "a clean stop", false: "kill -9"}[r.Store.Clean]
		t.Logf("FIGURE B2 %.2f s to start with %d records after %s", r.Took.Seconds(), r.Store.Records, how)
		t.Logf("FIGURE B2 %.2f s of it to read %d MB (%.0f MB/s)", r.Store.Took.Seconds(), r.Store.Bytes>>20, float64(r.Store.Bytes>>20)/r.Store.Took.Seconds())
		t.Logf("FIGURE B2 %.2f s of processor time for it", processorTime(t, node))
		t.Logf("FIGURE B2 %.0f MB resident", resident(t, node))
		started := time.Now()
		stop()
		t.Logf("FIGURE B2 %.2f s to stop", time.Since(started).Seconds())
	}
}

// loader writes as many questions as its argument says, notes the last, and prints a line.
func loader(ctx context.Context, s *natsserver.Server, args []string, out io.Writer) error {
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	nc, err := s.Conn(ctx, "loader")
	if err != nil {
		return err
	}
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(2000))
	if err != nil {
		return err
	}
	if _, err := js.CreateStream(ctx, askConfig("ASK")); err != nil {
		return err
	}
	body := []byte(strings.Repeat("question", 700/8))
	for i := range n {
		m := nats.NewMsg(fmt.Sprintf("ask.00.tenant%03d.user%05d.conversation%06d.question%07d", i%100, i%10_000, i/5, i))
		m.Data = body
		m.Header.Set("Nats-Expected-Last-Subject-Sequence", "0")
		if _, err := js.PublishMsgAsync(m, jetstream.WithStallWait(time.Minute)); err != nil {
			return err
		}
	}
	select {
	case <-js.PublishAsyncComplete():
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := s.Note("ASK", uint64(n)); err != nil {
		return err
	}
	if err := s.Checkpoint(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, "done")
	return err
}

// resident is the memory of a node in MB.
func resident(t *testing.T, n *enginetest.Node) float64 {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(n.PID()), "status"))
	must(t, err)
	_, rest, _ := strings.Cut(string(b), "VmRSS:")
	kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	must(t, err)
	return kb / 1024
}

// processorTime is what a node has used so far, in seconds.
func processorTime(t *testing.T, n *enginetest.Node) float64 {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(n.PID()), "stat"))
	must(t, err)
	_, rest, _ := strings.Cut(string(b), ") ")
	f := strings.Fields(rest)
	user, err := strconv.ParseFloat(f[11], 64)
	must(t, err)
	system, err := strconv.ParseFloat(f[12], 64)
	must(t, err)
	return (user + system) / 100
}
