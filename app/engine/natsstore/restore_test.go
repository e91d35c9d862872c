package natsstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/app/testenv"
	"github.com/saysohq/sayso/hub"
)

// TestBackupBits: a flipped bit in any file of a backup is refused, also one that leaves the manifest with the same values:
// in the case of a name, or between them.
func TestBackupBits(t *testing.T) {
	t.Parallel()
	random := testenv.Rand(t)
	s := alone(t, &natsstore.Options{Shards: 2})
	answered(t, room(t, s), 0, 5)
	dir := filepath.Join(t.TempDir(), "backup")
	report, err := s.Backup(t.Context(), natsstore.BackupFolder(dir), natsstore.BackupFile{Name: "keys.json", Data: []byte("a secret")})
	must(t, err)
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	if report.Files != len(names) || report.Shards != 2 || report.Tickets < 5 {
		t.Errorf("%+v, and there are %d files", report, len(names))
	}
	refuses := func(name string, at int, bit byte) {
		t.Helper()
		b, err := os.ReadFile(name)
		must(t, err)
		b[at] ^= bit
		must(t, os.WriteFile(name, b, 0o600))
		if _, err := natsstore.CheckBackup(natsstore.BackupFolder(dir)); err == nil {
			t.Errorf("bit %#x of byte %d of %s is another, and the backup is said to be sound", bit, at, filepath.Base(name))
		}
		b[at] ^= bit
		must(t, os.WriteFile(name, b, 0o600))
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		must(t, err)
		for range 20 {
			refuses(name, random.IntN(len(b)), 1<<random.IntN(8))
		}
		if filepath.Base(name) == "manifest.json" {
			for at, c := range b {
				switch {
				case c == '\t':
					refuses(name, at, 0x04) // becomes a carriage return
				case c >= 'a' && c <= 'z' && at%7 == 0:
					refuses(name, at, 0x20) // becomes a capital
				}
			}
		}
	}
	_, nc := serve(t)
	_, files, err := natsstore.Restore(t.Context(), nc, natsstore.BackupFolder(dir), nil)
	must(t, err)
	if len(files) != 1 || files[0].Name != "keys.json" || !bytes.Equal(files[0].Data, []byte("a secret")) {
		t.Errorf("the files are %q", files)
	}
}

// TestRestoreShapes: one server becomes three and one again. What was there has its revisions, and the streams of a hub
// that was only started are replaced, also if they are more.
func TestRestoreShapes(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a cluster; run without -short")
	}
	t.Parallel()
	s := alone(t, &natsstore.Options{Shards: 2})
	answered(t, room(t, s), 0, 20)
	put(t, s, ticket(100, "ann", "open"), 0)
	want := everything(t, s)
	move := func(from *natsstore.Store, nc *nats.Conn, fresh natsstore.Options) *natsstore.Store {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "backup")
		backUp(t, from, dir)
		empty, err := natsstore.Open(t.Context(), nc, &fresh)
		must(t, err)
		_, err = empty.Get(t.Context(), hub.KindTicket, ticket(1, "ann", "").Address) // writes a fence in a cluster
		wantError(t, err, hub.ErrNotFound)
		must(t, empty.Close())
		report, _, err := natsstore.Restore(t.Context(), nc, natsstore.BackupFolder(dir), &natsstore.RestoreOptions{Replicas: fresh.Replicas})
		must(t, err)
		back := open(t, nc, &natsstore.Options{Replicas: fresh.Replicas})
		if back.Shards() != report.Shards {
			t.Errorf("%d shards, the backup had %d", back.Shards(), report.Shards)
		}
		wantSame(t, everything(t, back), want)
		if _, _, err := natsstore.Restore(t.Context(), nc, natsstore.BackupFolder(dir), nil); !errors.Is(err, natsstore.ErrNotEmpty) {
			t.Errorf("a store with records is replaced: %v", err)
		}
		if _, _, err := natsstore.Restore(t.Context(), nc, natsstore.BackupFolder(dir), &natsstore.RestoreOptions{Shards: 5}); err == nil {
			t.Error("the shards can be others than those of the backup")
		}
		return back
	}
	c := enginetest.StartCluster(t, t.TempDir(), nil, enginetest.Spec{})
	three := move(s, c.Nodes[0].Connect(), natsstore.Options{Shards: 3, Replicas: 3})
	for i := range 5 {
		put(t, three, ticket(200+i, "bob", fmt.Sprint("on three ", i)), 0)
	}
	want = everything(t, three)
	_, nc := serve(t)
	move(three, nc, natsstore.Options{Shards: 1, Replicas: 1})
}
