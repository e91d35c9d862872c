package storecheck

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// The server writes the description of a stream and its checksum one after the other. A crash between the two, while the
// configuration is changed, leaves a description that the server does not accept: it would drop the whole stream. So the
// last description that was whole is kept beside the mark, and takes the place of one that was cut short: the change was
// not acknowledged yet.

// described is what is known of a description in the folder of a stream.
type described struct {
	size int64
	time time.Time
}

func (g *Guard) descriptionPath(id string) string { return g.marksDir() + "/" + id + ".meta" }

// describe remembers the description of a stream, if it is another than the last time.
func (g *Guard) describe(f *folder) error {
	if f.raft || f.removed() {
		return nil
	}
	st, err := os.Stat(filepath.Join(f.path, metaSumFile))
	if err != nil {
		return nil // being made or deleted
	}
	now := described{st.Size(), st.ModTime()}
	if g.described[f.id] == now {
		return nil
	}
	b, err := readSummed(f.path, f.name)
	if err != nil {
		return nil // being changed; the next look will tell
	}
	if kept, err := os.ReadFile(g.descriptionPath(f.id)); err != nil || !bytes.Equal(kept, summed(f.name, b)) {
		if err := os.MkdirAll(filepath.Dir(g.descriptionPath(f.id)), 0o700); err != nil {
			return err
		}
		if err := writeFile(g.descriptionPath(f.id), summed(f.name, b)); err != nil {
			return err
		}
	}
	g.described[f.id] = now
	return nil
}

// summed puts the checksum before a description.
func summed(name string, b []byte) []byte {
	h := keyedHash(name)
	h.Write(b)
	return append([]byte(hex.EncodeToString(h.Sum(nil))), b...)
}

// undescribed reports whether the description of a stream is one that a crash has cut short, and puts the last one that was
// whole in its place.
func (c *check) undescribed(f *folder) (bool, error) {
	if c.report.Clean || f.raft {
		return false, nil
	}
	const n = 16 // digits of a checksum
	kept, err := os.ReadFile(c.descriptionPath(f.id))
	if err != nil || len(kept) < n || !bytes.Equal(kept, summed(f.name, kept[n:])) {
		return false, nil
	}
	if _, err := os.Stat(filepath.Join(f.path, metaFile)); err != nil {
		return false, nil // not changed, but removed
	}
	c.report.Notes = append(c.report.Notes, f.id+": a change of its configuration was cut short before it was acknowledged, and is undone")
	if c.look {
		return true, nil
	}
	return true, errors.Join(
		writeFile(filepath.Join(f.path, metaFile), kept[n:]),
		writeFile(filepath.Join(f.path, metaSumFile), kept[:n]))
}
