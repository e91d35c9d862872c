package natsstore_test

import (
	"io"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/saysohq/sayso/app/engine/natsstore"
)

// meanwhile is a folder that does something once a snapshot has begun.
type meanwhile struct {
	natsstore.BackupFolder
	of string
	do func()
}

func (m meanwhile) Create(name string) (io.WriteCloser, error) {
	if name == m.of {
		m.do()
	}
	return m.BackupFolder.Create(name)
}

// The server walks through a stream that is larger than what it sends ahead while a record at its end is replaced, and
// another twice. Both are in the backup, as they are then.
func TestBackupReplaced(t *testing.T) {
	t.Parallel()
	s := alone(t, nil)
	noise := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 512<<10) // random, so that 60 of them are more than the 8 MB that the server sends ahead
	revisions := map[int]uint64{}
	for i := range 60 {
		for j := range data {
			data[j] = byte(noise.Uint32())
		}
		revisions[i] = put(t, s, ticket(i, "ann", string(data)), 0)
	}
	dir := natsstore.BackupFolder(filepath.Join(t.TempDir(), "backup"))
	replace := func() {
		put(t, s, ticket(58, "ann", "answered"), revisions[58])
		put(t, s, ticket(59, "ann", "answered"), put(t, s, ticket(59, "ann", "claimed"), revisions[59]))
	}
	_, err := s.Backup(t.Context(), meanwhile{dir, "ASK2-00.snapshot", replace})
	must(t, err)
	want := everything(t, s)

	srv, nc := serve(t)
	restore(t, nc, string(dir))
	wantSame(t, everything(t, open(t, nc, &natsstore.Options{Mark: srv})), want)
}
