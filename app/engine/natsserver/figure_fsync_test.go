package natsserver_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/app/engine/enginetest"
)

// TestFigure_FSYNC measures what one fsync for several writes would give a server
// that is alone: compare-and-set writes of 800 bytes to one, four and sixteen
// streams, each write synced as the server does it; and to one stream without, where
// many writers wait for one sync of its newest file. The last is a stand-in for a
// server that does so itself, see docs/records/shared-fsync.md. It promises the
// same: nothing is acknowledged to a writer before it is on the disk.
func TestFigure_FSYNC(t *testing.T) {
	figures(t)
	synced := fsyncNode(t, "", map[string]int{"a": 1, "b": 4, "c": 16})
	shared := fsyncNode(t, "no sync", map[string]int{"d": 1})
	group := newGroup(filepath.Join(shared.dir, "jetstream", "HUB", "streams", "d0", "msgs"))
	defer group.close()
	sides := []struct {
		id    string
		write func(n uint64) error
	}{
		{"1-stream", func(n uint64) error { return synced.write("a0", n) }},
		{"4-streams", func(n uint64) error { return synced.write(fmt.Sprint("b", n%4), n) }},
		{"16-streams", func(n uint64) error { return synced.write(fmt.Sprint("c", n%16), n) }},
		{"shared", func(n uint64) error {
			if err := shared.write("d0", n); err != nil {
				return err
			}
			return group.sync()
		}},
	}
	var number atomic.Uint64
	for _, writers := range []int{1, 16, 64, 256} {
		rates := make([][]float64, len(sides))
		for range 5 {
			for i, side := range sides { // turn by turn
				start, done := time.Now(), atomic.Int64{}
				var work sync.WaitGroup
				for range writers {
					work.Go(func() {
						for time.Since(start) < 700*time.Millisecond {
							if err := side.write(number.Add(1)); err != nil {
								t.Error(err)
								return
							}
							done.Add(1)
						}
					})
				}
				work.Wait()
				rates[i] = append(rates[i], float64(done.Load())/time.Since(start).Seconds())
			}
		}
		for i, side := range sides {
			slices.Sort(rates[i])
			t.Logf("FIGURE FSYNC-%d-%s %.0f messages/s", writers, side.id, rates[i][len(rates[i])/2])
		}
	}
}

// fsyncSide is a server with streams to write to.
type fsyncSide struct {
	dir string
	nc  *nats.Conn
}

func fsyncNode(t *testing.T, tweak string, streams map[string]int) *fsyncSide {
	t.Helper()
	dir := t.TempDir()
	nc := enginetest.StartNode(t, enginetest.Spec{Dir: dir, Tweak: tweak}).Connect()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range streams {
		for i := range n {
			one := fmt.Sprint(name, i)
			if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: one, Subjects: []string{one + ".>"}, MaxMsgsPerSubject: 1}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return &fsyncSide{dir, nc}
}

var fsyncData = bytes.Repeat([]byte("x"), 800)

func (s *fsyncSide) write(stream string, n uint64) error {
	m := &nats.Msg{Subject: fmt.Sprintf("%s.%d", stream, n), Header: nats.Header{"Nats-Expected-Last-Subject-Sequence": {"0"}}, Data: fsyncData}
	answer, err := s.nc.RequestMsg(m, time.Minute)
	if err != nil {
		return err
	}
	var ack struct {
		Seq   uint64
		Error json.RawMessage
	}
	if err := json.Unmarshal(answer.Data, &ack); err != nil || ack.Seq == 0 {
		return fmt.Errorf("%s: %w", answer.Data, err)
	}
	return nil
}

// group syncs the newest files of a stream, once for everybody who waits.
type group struct {
	dir  string
	wake chan struct{}
	end  chan struct{}

	mu   sync.Mutex
	wait []chan error
}

func newGroup(dir string) *group {
	g := &group{dir: dir, wake: make(chan struct{}, 1), end: make(chan struct{})}
	go g.run()
	return g
}

// sync waits for a sync that begins after this call.
func (g *group) sync() error {
	ch := make(chan error, 1)
	g.mu.Lock()
	g.wait = append(g.wait, ch)
	g.mu.Unlock()
	select {
	case g.wake <- struct{}{}:
	default:
	}
	return <-ch
}

func (g *group) close() { close(g.wake); <-g.end }

func (g *group) run() {
	defer close(g.end)
	for range g.wake {
		g.mu.Lock()
		wait := g.wait
		g.wait = nil
		g.mu.Unlock()
		err := g.newest()
		for _, ch := range wait {
			ch <- err
		}
	}
}

// newest syncs the two newest blocks: a write may have begun a new one.
func (g *group) newest() error {
	entries, err := os.ReadDir(g.dir)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".blk") {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int { // by number
		return cmp.Or(len(a)-len(b), strings.Compare(a, b))
	})
	for _, name := range names[max(0, len(names)-2):] {
		f, err := os.OpenFile(filepath.Join(g.dir, name), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		err = f.Sync()
		if err2 := f.Close(); err == nil {
			err = err2
		}
		if err != nil {
			return err
		}
	}
	return nil
}
