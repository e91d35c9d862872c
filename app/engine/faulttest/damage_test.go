package faulttest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/app/testenv"
)

// TestFigure_R03 damages the copy of one node of three, one file at a time: a bit, the end, all of it. The node either
// refuses to serve, and says so, or has all asks as they were. What must not be is a node that serves something else.
func TestFigure_R03(t *testing.T) {
	faults(t)
	d := newDamaged(t)
	n := either(20, 200)
	refused, away := 0, 0
	for i := range n {
		hurt := d.damage(i)
		_, err := d.node.TryRestart()
		if err != nil {
			if !strings.Contains(err.Error(), "is damaged") && !strings.Contains(err.Error(), "start the server") {
				t.Errorf("%s: it does not say what is wrong: %v", hurt, err)
			}
			refused++
			d.mend()
			continue
		}
		switch err := d.intact(); {
		case errors.Is(err, errAway):
			away++
			t.Logf("%s: the node starts, and %v", hurt, err)
			d.node.Kill()
			d.mend()
			continue
		case err != nil:
			t.Fatalf("%s: the node serves, and %v", hurt, err)
		}
		if i%2 == 0 {
			d.node.Stop()
		} else {
			d.kill()
		}
		d.snapshot()
	}
	t.Logf("damaged: %v", d.count)
	figure(t, "R03", 0, fmt.Sprintf("silent/%d-damages-of-one-of-three", n))
	figure(t, "R03", refused, fmt.Sprintf("refused/%d", n))
	figure(t, "R03", away, fmt.Sprintf("started-but-not-serving/%d", n))
	if refused == 0 || refused == n {
		t.Error("all damages had the same end: this test shows nothing")
	}
}

// TestLostEnd takes the newest block from a node that was killed, whose index still remembers how far it went. The server
// would believe the index, and the node would lead with a hole that nobody sees.
func TestLostEnd(t *testing.T) {
	faults(t)
	d := newDamaged(t)
	d.node.Restart()
	must(t, d.intact())
	d.kill() // it remembers where it ends, and has an index
	blocks, err := filepath.Glob(filepath.Join(d.node.Spec.Dir, "jetstream/HUB/streams/ASK2-00/msgs/*.blk"))
	must(t, err)
	slices.SortFunc(blocks, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	if len(blocks) < 2 {
		t.Fatalf("%d blocks: this test shows nothing", len(blocks))
	}
	must(t, os.Remove(blocks[len(blocks)-1]))
	if _, err := d.node.TryRestart(); err == nil || !strings.Contains(err.Error(), "is damaged: HUB/ASK2-00 lost ") {
		t.Fatalf("only the process was killed, and the node does not say what is lost: %v", err)
	}
	// After a power cut the end may be missing for a good reason: the node goes on where it ends, and gets the rest.
	must(t, os.WriteFile(filepath.Join(d.node.Spec.Dir, "guard/boot"), []byte("another"), 0o600))
	d.node.Restart()
	if err := d.intact(); errors.Is(err, errAway) {
		t.Logf("the node has not caught up yet, and says so: %v", err)
	} else {
		must(t, err)
	}
}

// damaged is a cluster with asks in it, of which one node is down.
type damaged struct {
	t      *testing.T
	node   *enginetest.Node
	nc     *nats.Conn        // to any node
	asks   map[string]string // what the node held
	before map[string][]byte // what the node's files held
	kinds  []string
	rand   *rand.Rand
	count  map[string]int
}

func newDamaged(t *testing.T) *damaged {
	c := enginetest.StartCluster(t, t.TempDir(), nil, enginetest.Spec{})
	d := &damaged{t: t, node: c.Nodes[2], rand: testenv.Rand(t), count: map[string]int{}}
	d.nc = c.Connect()
	h := openHub(t, openStore(t, d.nc, &natsstore.Options{Replicas: 3}))
	for i := range 250 { // large ones, so that there are several files of them
		a := newAsk(fmt.Sprint("ask_", i))
		a.Questions[0].Body = strings.Repeat("何", 16_000)
		tk, err := h.Submit(t.Context(), tenant, a)
		must(t, err)
		if i%2 == 0 {
			_, err = h.Close(t.Context(), tk, answer("ann", "o1"), nil)
			must(t, err)
		}
	}
	h.Stop()
	var err error
	d.asks, err = d.read()
	must(t, err)
	d.kill()
	d.snapshot()
	return d
}

// kill kills the node once its guard has seen everything that the node holds. The guard looks once a second, and cannot
// miss what came and went since.
func (d *damaged) kill() {
	d.node.Stop() // looks a last time
	d.node.Restart()
	d.node.Kill()
}

// read returns what the node holds.
func (d *damaged) read() (map[string]string, error) {
	for try := 1; ; try++ {
		ctx, cancel := context.WithTimeout(d.t.Context(), time.Minute) // to catch up takes a while
		have, err := copyOf(ctx, d.nc, "ASK2-00", d.node.Spec.Name)
		cancel()
		if err == nil || errors.Is(err, errAway) || try == 4 {
			return have, err
		}
		pause(d.t.Context(), 2*time.Second) // slow, or between two leaders; what cannot be read stays so
	}
}

// intact compares what the node holds with what it held.
func (d *damaged) intact() error {
	have, err := d.read()
	if err != nil {
		return err
	}
	for subject, want := range d.asks {
		if have[subject] != want && !strings.HasSuffix(subject, ".fence") {
			return fmt.Errorf("holds %d of %d asks, and of %s %q", len(have), len(d.asks), subject, have[subject])
		}
	}
	return nil
}

// numbers make one kind of all blocks, or all names of Raft groups.
var numbers = regexp.MustCompile(`[0-9]+|S-R3F-[^/]*|C-R3F-[^/]*`)

// snapshot keeps what the files of the node hold while it is down.
func (d *damaged) snapshot() {
	d.before = map[string][]byte{}
	kinds := map[string]bool{}
	must(d.t, filepath.WalkDir(d.node.Spec.Dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		d.before[path], err = os.ReadFile(path)
		if len(d.before[path]) > 0 {
			kinds[d.kind(path)] = true
		}
		return err
	}))
	d.kinds = nil
	for k := range kinds {
		d.kinds = append(d.kinds, k)
	}
	slices.Sort(d.kinds)
}

func (d *damaged) kind(path string) string {
	return numbers.ReplaceAllString(strings.TrimPrefix(path, d.node.Spec.Dir), "#")
}

// damage hurts a file; every third time one that holds asks.
func (d *damaged) damage(i int) (what string) {
	kind := d.kinds[d.rand.IntN(len(d.kinds))]
	if i%3 == 0 {
		kind = "/jetstream/HUB/streams/ASK#-#/msgs/#.blk"
	}
	var paths []string
	for p := range d.before {
		if d.kind(p) == kind && len(d.before[p]) > 0 {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	path := paths[d.rand.IntN(len(paths))]
	was := d.before[path]
	d.count[kind]++
	switch d.rand.IntN(4) {
	case 0:
		what = fmt.Sprintf("%s is gone", kind)
		must(d.t, os.Remove(path))
	case 1:
		at := d.rand.IntN(len(was))
		what = fmt.Sprintf("%s ends at byte %d of %d", kind, at, len(was))
		must(d.t, os.Truncate(path, int64(at)))
	default:
		at := d.rand.IntN(len(was))
		what = fmt.Sprintf("%s has another bit in byte %d of %d", kind, at, len(was))
		now := slices.Clone(was)
		now[at] ^= 1 << d.rand.IntN(8)
		must(d.t, os.WriteFile(path, now, 0o600))
	}
	return what
}

// mend gives the node its files back: the damaged one, and those that it changed before it refused.
func (d *damaged) mend() {
	must(d.t, filepath.WalkDir(d.node.Spec.Dir, func(path string, e fs.DirEntry, err error) error {
		if _, was := d.before[path]; err == nil && e.Type().IsRegular() && !was {
			err = os.Remove(path)
		}
		return err
	}))
	for path, b := range d.before {
		must(d.t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(d.t, os.WriteFile(path, b, 0o600))
	}
}
