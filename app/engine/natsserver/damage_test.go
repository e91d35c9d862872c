package natsserver_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/testenv"
)

var flips = flag.Int("damage.flips", 20, "how many bits TestFigure_R03 flips in each kind of file, one at a time")

const fixtureAsks = 240

// fixture writes a small store with every kind of file: several blocks, records that were replaced, records that expire, a
// consumer, a stream that copies another. It prints a line when all is written.
func fixture(ctx context.Context, s *natsserver.Server, _ []string, out io.Writer) error {
	nc, err := s.Conn(ctx, "fixture")
	if err != nil {
		return err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	ask := askConfig("ASK")
	ask.MaxBytes = 127_000 // the largest that makes small blocks
	if _, err := js.CreateStream(ctx, ask); err != nil {
		return err
	}
	aud, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "AUD", Sources: []*jetstream.StreamSource{{Name: "ASK"}}})
	if err != nil {
		return err
	}
	put := func(subject, body, ttl string, replaces uint64) (uint64, error) {
		m := nats.NewMsg(subject)
		m.Data = []byte(body)
		m.Header.Set("Q-State", "p")
		if ttl != "" {
			m.Header.Set("Nats-TTL", ttl)
		}
		ack, err := js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(replaces))
		if err != nil {
			return 0, err
		}
		return ack.Sequence, s.Note("ASK", ack.Sequence)
	}
	for i := range fixtureAsks {
		subject := fmt.Sprintf("ask.%d", i)
		seq, err := put(subject, strings.Repeat("question ", 30), "", 0)
		if err != nil {
			return err
		}
		if i%4 == 0 {
			if _, err = put(subject, strings.Repeat("answer ", 20), "1h", seq); err != nil {
				return err
			}
		}
	}
	for err = jetstream.ErrMsgNotFound; errors.Is(err, jetstream.ErrMsgNotFound); { // until the copy is whole
		_, err = aud.GetLastMsgForSubject(ctx, fmt.Sprintf("ask.%d", fixtureAsks-1))
	}
	if err != nil {
		return err
	}
	cons, err := aud.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: "export", AckPolicy: jetstream.AckExplicitPolicy})
	if err != nil {
		return err
	}
	for range 7 {
		m, err := cons.Next()
		if err != nil {
			return err
		}
		if err := m.DoubleAck(ctx); err != nil {
			return err
		}
	}
	if err := s.Checkpoint(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, "done")
	return err
}

// sound makes a store with the fixture in it and stops its server, "clean" or "killed".
func sound(t *testing.T, stop string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "sound")
	node := enginetest.StartNode(t, enginetest.Spec{Dir: dir, Program: "fixture"})
	node.WaitLines(1)
	if stop == "clean" {
		node.Stop()
	} else {
		node.Kill()
	}
	return dir
}

// TestFigure_R03 damages every kind of file of a store, one at a time, and none is silent. The store is refused, or every
// record reads back as it was, or the reading fails.
func TestFigure_R03(t *testing.T) {
	faults(t)
	var mu sync.Mutex
	all, total := map[string]int{}, 0
	for _, stop := range []string{"clean", "killed"} {
		t.Run(stop, func(t *testing.T) {
			sound := sound(t, stop)
			want := view(t, duplicate(t, sound))
			if want.err != nil || want.reading != nil || len(want.records) < 2*fixtureAsks {
				t.Fatalf("the sound store: %d records, %v, %v", len(want.records), want.err, want.reading)
			}
			for _, file := range kinds(t, sound) {
				t.Run(strings.ReplaceAll(file, "/", " "), func(t *testing.T) {
					t.Parallel()
					count := map[string]int{}
					for _, harm := range harms(t, filepath.Join(sound, file)) {
						dir := duplicate(t, sound)
						harm.do(t, filepath.Join(dir, file))
						got := view(t, dir)
						verdict := got.against(want)
						if verdict == silent && strings.HasSuffix(file, "o.dat") && strings.Contains(got.notes, "could not be verified") {
							verdict = "noted"
						}
						count[verdict]++
						if verdict == silent {
							t.Errorf("%s: silent: %s", harm.name, got.difference(want))
						}
						if err := os.RemoveAll(dir); err != nil {
							t.Fatal(err)
						}
					}
					t.Logf("%v", count)
					mu.Lock()
					defer mu.Unlock()
					for verdict, n := range count {
						all[verdict] += n
						total += n
					}
				})
			}
		})
	}
	t.Logf("FIGURE R03-one %d silent/%d-damages (%v)", all[silent], total, all)
}

// TestDamageMutation shows that TestFigure_R03 can fail: without the check, one flipped bit loses records in silence.
func TestDamageMutation(t *testing.T) {
	sound := sound(t, "killed")
	want := view(t, duplicate(t, sound))
	dir := duplicate(t, sound)
	flip(t, filepath.Join(dir, "jetstream/HUB/streams/ASK/msgs/2.blk"), 9000, 3)
	if got := view(t, dir, natsserver.WithoutCheck); got.against(want) != silent {
		t.Errorf("the server noticed by itself: %s, %v", got.against(want), got.err)
	}
}

// TestAccept shows what a person gets who accepts a loss: all but the record that was hit, and no sequence twice.
func TestAccept(t *testing.T) {
	sound := sound(t, "killed")
	want := view(t, duplicate(t, sound))
	lost := func(t *testing.T, dir string) int {
		t.Helper()
		if got := view(t, duplicate(t, dir)); got.err == nil {
			t.Fatal("the damaged store was served")
		}
		a, err := natsserver.Accept(t.Context(), dir)
		must(t, err)
		t.Log((&natsserver.DamagedError{Dir: dir, Damage: a.Damage}).Error())
		got := view(t, dir)
		if got.err != nil {
			t.Fatalf("refused after the loss was accepted: %v", got.err)
		}
		n := 0
		for k := range want.records {
			if _, ok := got.records[k]; !ok {
				n++
			}
		}
		if again, err := natsserver.Accept(t.Context(), dir); again != nil || err != nil {
			t.Errorf("a sound store had something to accept: %v, %v", again, err)
		}
		return n
	}
	t.Run("a flipped bit", func(t *testing.T) {
		dir := duplicate(t, sound)
		flip(t, filepath.Join(dir, "jetstream/HUB/streams/ASK/msgs/2.blk"), 9000, 3)
		if n := lost(t, dir); n > 1 {
			t.Errorf("%d records are gone, want at most the one that was hit", n)
		}
	})
	t.Run("the end", func(t *testing.T) {
		dir := duplicate(t, sound)
		path := filepath.Join(dir, "jetstream/HUB/streams/ASK/msgs/4.blk")
		must(t, os.Remove(path))
		if n := lost(t, dir); n == 0 {
			t.Error("nothing is gone")
		}
		s := start(t, dir)
		js := stream(t, s)
		if seq := put(t, s, js, "ask.new", "question", 0); seq != fixtureAsks+fixtureAsks/4+1 {
			t.Errorf("the next sequence is %d: one was given out twice", seq)
		}
	})
	t.Run("the description", func(t *testing.T) {
		dir := duplicate(t, sound)
		must(t, os.Remove(filepath.Join(dir, "jetstream/HUB/streams/ASK/meta.sum")))
		kept := 0
		must(t, filepath.WalkDir(filepath.Join(dir, "guard", "marks"), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".meta" {
				return err
			}
			kept++
			return os.Remove(path) // with it, the store mends itself
		}))
		if kept == 0 {
			t.Fatal("no description was kept")
		}
		if n := lost(t, dir); n > 0 {
			t.Errorf("%d records are gone", n)
		}
	})
	t.Run("a stream", func(t *testing.T) {
		dir := duplicate(t, sound)
		must(t, os.RemoveAll(filepath.Join(dir, "jetstream/HUB/streams/ASK")))
		lost(t, dir)
	})
}

// kinds lists one file of each kind, and of blocks the first, one in the middle and the last.
func kinds(t *testing.T, dir string) (all []string) {
	t.Helper()
	var blocks []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(dir, path)
		switch {
		case err != nil || relErr != nil:
			return errors.Join(err, relErr)
		case d.IsDir() || d.Name() == "lock":
		case strings.Contains(rel, "ASK/msgs") && strings.HasSuffix(rel, ".blk"):
			blocks = append(blocks, rel)
		default:
			all = append(all, rel)
		}
		return nil
	})
	if err != nil || len(blocks) < 3 {
		t.Fatalf("%d blocks, %v", len(blocks), err)
	}
	return append(all, blocks[0], blocks[len(blocks)/2], blocks[len(blocks)-1])
}

type harm struct {
	name string
	do   func(t *testing.T, path string)
}

// harms lists what is done to one file.
func harms(t *testing.T, path string) []harm {
	t.Helper()
	random := testenv.Rand(t)
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	size := st.Size()
	all := []harm{
		{"delete", func(t *testing.T, p string) { must(t, os.Remove(p)) }},
		{"empty", func(t *testing.T, p string) { must(t, os.Truncate(p, 0)) }},
		{"halve", func(t *testing.T, p string) { must(t, os.Truncate(p, size/2)) }},
		{"cut the end", func(t *testing.T, p string) { must(t, os.Truncate(p, max(0, size-11))) }},
		{"zero a page", func(t *testing.T, p string) { overwrite(t, p, size/2, make([]byte, min(512, size-size/2))) }},
	}
	for i := range *flips {
		off, bit := random.Int64N(max(size, 1)), random.IntN(8)
		if i < 2 { // the ends
			off = int64(i) * (size - 1)
		}
		all = append(all, harm{fmt.Sprintf("flip bit %d of byte %d", bit, off), func(t *testing.T, p string) { flip(t, p, off, bit) }})
	}
	return all
}

func flip(t *testing.T, path string, off int64, bit int) {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	overwrite(t, path, off, []byte{b[off] ^ 1<<bit})
}

func overwrite(t *testing.T, path string, off int64, b []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteAt(b, off)
	must(t, errors.Join(err, f.Close()))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// duplicate copies a store.
func duplicate(t *testing.T, dir string) string {
	t.Helper()
	to, err := os.MkdirTemp(t.TempDir(), "copy")
	must(t, err)
	must(t, os.CopyFS(filepath.Join(to, "store"), os.DirFS(dir)))
	return filepath.Join(to, "store")
}

// seen is all that can be seen of a store.
type seen struct {
	err      error // it was refused
	reading  error // it was served, but something could not be read
	records  map[string]string
	consumer string
	notes    string
}

const silent = "silent"

func (s *seen) against(want *seen) string {
	switch {
	case s.err != nil:
		return "refused"
	case s.difference(want) == "":
		return "whole"
	case s.reading != nil:
		return "found at read"
	}
	return silent
}

func (s *seen) difference(want *seen) string {
	for k, v := range want.records {
		if s.records[k] != v {
			return fmt.Sprintf("%s is %.60q instead of %.60q (of %d records %d are there)", k, s.records[k], v, len(want.records), len(s.records))
		}
	}
	if len(s.records) != len(want.records) {
		return fmt.Sprintf("%d records instead of %d", len(s.records), len(want.records))
	}
	if s.consumer != want.consumer {
		return fmt.Sprintf("consumer %s instead of %s", s.consumer, want.consumer)
	}
	return ""
}

// view starts a server on a store and reads everything there is.
func view(t *testing.T, dir string, tweaks ...func(*natsserver.Options)) *seen {
	t.Helper()
	v := &seen{records: map[string]string{}}
	o := &natsserver.Options{Dir: dir}
	for _, tweak := range tweaks {
		tweak(o)
	}
	s, err := natsserver.Start(t.Context(), o)
	if err != nil {
		v.err = err
		var damaged *natsserver.DamagedError
		if !errors.As(err, &damaged) {
			t.Errorf("refused without a DamagedError: %v", err)
		}
		return v
	}
	defer closeServer(t, s)
	v.notes = strings.Join(s.Report().Store.Notes, "; ")
	nc, err := s.Conn(t.Context(), "view")
	must(t, err)
	js, err := jetstream.New(nc)
	must(t, err)
	for _, name := range []string{"ASK", "AUD"} {
		str, err := js.Stream(t.Context(), name)
		if err != nil {
			v.reading = err
			continue
		}
		st := str.CachedInfo().State
		v.records[name+" state"] = fmt.Sprint(st.FirstSeq, st.LastSeq, st.Msgs, st.NumSubjects)
		for seq := st.FirstSeq; seq <= st.LastSeq; seq++ {
			m, err := str.GetMsg(t.Context(), seq)
			switch {
			case errors.Is(err, jetstream.ErrMsgNotFound):
			case err != nil:
				v.reading = err
			default:
				v.records[fmt.Sprint(name, " ", seq)] = fmt.Sprint(m.Subject, m.Header, m.Time, string(m.Data))
			}
		}
		if name == "AUD" {
			c, err := str.Consumer(t.Context(), "export")
			if err != nil {
				v.reading = err
				continue
			}
			i := c.CachedInfo()
			v.consumer = fmt.Sprint(i.Delivered.Stream, i.AckFloor.Stream, i.NumPending, i.NumAckPending)
		}
	}
	return v
}
