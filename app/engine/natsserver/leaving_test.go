package natsserver_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/app/engine/natsserver"
)

// What a crash leaves of a stream that is being removed, or whose configuration is being changed.
func TestStreamCutShort(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := natsserver.Start(t.Context(), &natsserver.Options{Dir: dir})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close(context.Background())) })
	nc, err := s.Conn(t.Context(), "")
	must(t, err)
	js, err := jetstream.New(nc)
	must(t, err)
	for _, name := range []string{"STAYS", "LEAVES"} {
		_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: name, Subjects: []string{name + ".>"}, MaxMsgsPerSubject: 1})
		must(t, err)
		ack, err := js.Publish(t.Context(), name+".one", []byte("one"))
		must(t, err)
		must(t, s.Note(name, ack.Sequence))
	}
	_, err = js.UpdateStream(t.Context(), jetstream.StreamConfig{
		Name: "LEAVES", Subjects: []string{"LEAVES.>"}, MaxMsgsPerSubject: 1, Metadata: map[string]string{natsserver.MetaMoved: natsserver.MovedRemove},
	})
	must(t, err)
	must(t, s.Checkpoint())

	for _, c := range []struct {
		name   string
		stream string
		cut    func(folder string) error
		want   bool // it is served
	}{
		{"removed", "LEAVES", os.RemoveAll, true},
		{"without a description", "LEAVES", func(f string) error { return os.Remove(filepath.Join(f, "meta.inf")) }, true},
		{"moved away", "LEAVES", func(f string) error { return os.Rename(f, filepath.Join(filepath.Dir(f), ".LEAVES")) }, true},
		{"purged", "LEAVES", func(f string) error { return os.RemoveAll(filepath.Join(f, "msgs")) }, true},
		{"removed, and nobody said so", "STAYS", os.RemoveAll, false},
		{"without a description, and nobody said so", "STAYS", func(f string) error { return os.Remove(filepath.Join(f, "meta.inf")) }, false},
		{"purged, and nobody said so", "STAYS", func(f string) error { return os.RemoveAll(filepath.Join(f, "msgs")) }, false},
		{"a change that was cut short", "STAYS", func(f string) error { return os.WriteFile(filepath.Join(f, "meta.inf"), []byte(`{"name":"STA`), 0o600) }, true},
		{"the same, and nothing is known of it", "STAYS", func(f string) error {
			return errors.Join(os.WriteFile(filepath.Join(f, "meta.inf"), []byte(`{"name":"STA`), 0o600), os.Remove(filepath.Join(f, "../../../../guard/marks/HUB/STAYS.meta")))
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			crashed := filepath.Join(t.TempDir(), "crashed")
			must(t, os.CopyFS(crashed, os.DirFS(dir)))
			must(t, c.cut(filepath.Join(crashed, "jetstream", "HUB", "streams", c.stream)))
			_, look := natsserver.Look(t.Context(), crashed, "")
			again, err := natsserver.Start(t.Context(), &natsserver.Options{Dir: crashed})
			if (look == nil) != (err == nil) {
				t.Errorf("to look says %v, to start %v", look, err)
			}
			if !c.want {
				var damaged *natsserver.DamagedError
				if !errors.As(err, &damaged) {
					t.Fatalf("it is served: %v", err)
				}
				return
			}
			must(t, err)
			defer func() { must(t, again.Close(context.Background())) }()
			nc, err := again.Conn(t.Context(), "")
			must(t, err)
			js, err := jetstream.New(nc)
			must(t, err)
			st, err := js.Stream(t.Context(), "STAYS")
			must(t, err)
			if n := st.CachedInfo().State.Msgs; n != 1 {
				t.Errorf("the stream that stays has %d records", n)
			}
			must(t, again.Checkpoint())
		})
	}
}
