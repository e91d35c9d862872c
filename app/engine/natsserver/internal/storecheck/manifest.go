package storecheck

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A manifest is written after a clean stop and removed before the next start: where it is, every file is known.
type manifest struct {
	Version int                 `json:"version"`
	Files   map[string]fileInfo `json:"files"` // by path relative to the server's root
	Sum     string              `json:"sum"`   // of the manifest itself, with this field empty
}

type fileInfo struct {
	Size int64  `json:"size"`
	Sum  string `json:"sum,omitempty"` // empty for blocks: their records carry checksums of their own
}

// derived reports whether the server can make a file anew from the blocks.
func derived(file string) bool {
	base := path.Base(file)
	return base == path.Base(indexFile) || slices.ContainsFunc(unsummed, func(name string) bool { return base == path.Base(name) })
}

func isBlock(path string) bool {
	_, ok := blockIndex(filepath.Base(path))
	return ok
}

// survey lists the files under root as a manifest would. A file that goes away meanwhile is an error.
func survey(root string) (map[string]fileInfo, error) {
	files := map[string]fileInfo{}
	return files, eachFile(root, func(path, rel string, size int64) (err error) {
		info := fileInfo{Size: size}
		if !isBlock(path) {
			info.Sum, err = fileSum(path)
		}
		files[rel] = info
		return err
	})
}

// eachFile calls f for the files under root, if there is one.
func eachFile(root string, f func(path, rel string, size int64) error) error {
	if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		return f(path, filepath.ToSlash(rel), st.Size())
	})
}

func fileSum(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	h := keyedHash("sayso file")
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (m *manifest) sum() string {
	c := *m
	c.Sum = ""
	b, err := json.Marshal(&c) // maps are written in the order of their keys
	if err != nil {
		panic(err) // plain strings and numbers
	}
	h := keyedHash("sayso manifest")
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

// The Raft log of a server goes on for a moment after the server has stopped (2.15.2).
const (
	stillTries = 20
	stillPause = 50 * time.Millisecond
)

// errMoving says that a file changed while the manifest was made.
var errMoving = errors.New("the store is still being written")

// writeManifest swears to the files under root, once they stand still. sync is syncFile.
func writeManifest(path, root string, sync func(string) error) error {
	var m *manifest
	err := errMoving
	for try := 0; try < stillTries && (errors.Is(err, errMoving) || errors.Is(err, fs.ErrNotExist)); try++ {
		if try > 0 {
			time.Sleep(stillPause)
		}
		m, err = makeManifest(root, sync)
	}
	if err != nil {
		return err
	}
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return writeFile(path, b)
}

func makeManifest(root string, sync func(string) error) (*manifest, error) {
	files, err := survey(root)
	if err != nil {
		return nil, fmt.Errorf("survey the store: %w", err)
	}
	for name := range files { // what the manifest swears to must not be in a cache only
		if err := sync(filepath.Join(root, filepath.FromSlash(name))); err != nil {
			return nil, fmt.Errorf("sync the store: %w", err)
		}
	}
	n := 0
	if err := eachFile(root, func(_, rel string, size int64) error {
		if have, ok := files[rel]; !ok || have.Size != size {
			return fmt.Errorf("%w: %s", errMoving, rel)
		}
		n++
		return nil
	}); err != nil {
		return nil, err
	}
	if n < len(files) {
		return nil, fmt.Errorf("%w: %d files, then %d", errMoving, len(files), n)
	}
	m := &manifest{Version: 1, Files: files}
	m.Sum = m.sum()
	return m, nil
}

// readManifest returns nil without an error when there is no manifest, or none that can be trusted: then the stop was not
// clean and the store is checked the long way.
func readManifest(path string) (*manifest, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var m manifest
	if json.Unmarshal(b, &m) != nil || m.Version != 1 || m.Sum != m.sum() {
		return nil, nil
	}
	return &m, nil
}

// compare holds the files under root against the manifest. Derived files that differ are returned apart: they are made anew.
func (m *manifest) compare(root string) (damage []Damage, stale []string, err error) {
	now, err := survey(root)
	if err != nil {
		return nil, nil, err
	}
	for _, path := range sortedKeys(m.Files) {
		want := m.Files[path]
		have, ok := now[path]
		switch {
		case ok && have == want:
		case derived(path):
			if ok {
				stale = append(stale, path)
			}
		case !ok:
			damage = append(damage, Damage{Stream: streamOf(path), What: lostFile, File: path, Want: uint64(want.Size), Detail: "the file is gone"})
		case have.Size != want.Size:
			damage = append(damage, Damage{Stream: streamOf(path), What: lostFile, File: path, Have: uint64(have.Size), Want: uint64(want.Size)})
		default:
			damage = append(damage, Damage{Stream: streamOf(path), What: lostFile, File: path, Have: uint64(have.Size), Want: uint64(want.Size), Detail: "its content changed while nobody was running"})
		}
	}
	for _, path := range sortedKeys(now) {
		if _, ok := m.Files[path]; ok {
			continue
		}
		if derived(path) {
			stale = append(stale, path)
		} else if isBlock(path) {
			damage = append(damage, Damage{Stream: streamOf(path), What: foreign, File: path, Have: uint64(now[path].Size)})
		}
	}
	return damage, stale, nil
}

// streamOf names the stream to which a file under the server's root belongs.
func streamOf(path string) string {
	parts := strings.Split(path, "/")
	if len(parts) > 3 && parts[1] == streamsDir {
		return parts[0] + "/" + parts[2]
	}
	if len(parts) > 3 && parts[1] == raftDir {
		return "raft/" + parts[2]
	}
	return path
}
