package faulttest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/app/testenv"
)

// TestFigure_R19 takes a backup of a node that is being written to, and restores it on another. Everything that was
// acknowledged before the backup began is there, as it was. A backup that is damaged is not restored.
func TestFigure_R19(t *testing.T) {
	faults(t)
	random := testenv.Rand(t)
	l := newLedger(8)
	node := enginetest.NewNode(t, enginetest.Spec{Dir: t.TempDir(), Program: "asker", Args: l.next()})
	node.Restart()
	node.WaitLines(either(2000, 100_000))
	l.add(t, node.Lines())
	dir := filepath.Join(t.TempDir(), "backup")
	_, err := openStore(t, node.Connect(), &natsstore.Options{}).Backup(t.Context(), natsstore.BackupFolder(dir))
	must(t, err)
	later := len(node.Lines())
	node.WaitLines(later + 500) // it was not in the way
	node.Kill()

	other := enginetest.StartNode(t, enginetest.Spec{Dir: t.TempDir()})
	_, _, err = natsstore.Restore(t.Context(), other.Connect(), natsstore.BackupFolder(dir), nil)
	must(t, err)
	other.Kill()
	other.Restart()
	lost := l.compare(t, openHub(t, openStore(t, other.Connect(), &natsstore.Options{})))
	figure(t, "R19", lost, fmt.Sprintf("lost/%d-asks", len(l.steps)))

	fresh := enginetest.StartNode(t, enginetest.Spec{Dir: t.TempDir()}).Connect()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	slices.Reverse(files) // the manifest first
	for _, f := range files {
		b, err := os.ReadFile(f)
		must(t, err)
		for range 10 {
			at := random.IntN(len(b))
			if i := bytes.Index(b, []byte(`"max_msgs_per_subject": `)); i > 0 {
				at = i + len(`"max_msgs_per_subject": `) // a digit, which only a sum over all can miss
			}
			b[at] ^= 1
			must(t, os.WriteFile(f, b, 0o600))
			if _, _, err := natsstore.Restore(t.Context(), fresh, natsstore.BackupFolder(dir), nil); err == nil {
				t.Fatalf("a backup with another bit in %s was restored", filepath.Base(f))
			}
			b[at] ^= 1
		}
		must(t, os.WriteFile(f, b, 0o600))
	}
}
