package storecheck

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// folder is one store of the server on disk: a stream, or the log of a Raft group (which has the same form).
type folder struct {
	id   string // "ACCOUNT/STREAM", or "raft/GROUP"
	name string // the key of its hashes
	path string
	raft bool
}

// config is the part of a stream's description that says how records may leave it.
type config struct {
	Name       string        `json:"name"`
	Created    time.Time     `json:"created"`
	Retention  string        `json:"retention"`
	Discard    string        `json:"discard"`
	MaxMsgs    int64         `json:"max_msgs"`
	MaxBytes   int64         `json:"max_bytes"`
	MaxAge     time.Duration `json:"max_age"`
	PerSubject int64         `json:"max_msgs_per_subject"`
	Replicas   int           `json:"num_replicas"`
	TTL        bool          `json:"allow_msg_ttl"`
	Mirror     any           `json:"mirror"`
	Sources    []any         `json:"sources"`
}

// folders lists the stores under the server's root, in order.
func folders(root string) ([]folder, error) {
	var all []folder
	for _, place := range []struct {
		glob string
		raft bool
	}{{"*/" + streamsDir + "/*", false}, {"*/" + raftDir + "/*", true}} {
		paths, err := filepath.Glob(filepath.Join(escapeGlob(root), place.glob))
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			if st, err := os.Stat(p); err != nil || !st.IsDir() {
				continue
			}
			name := filepath.Base(p)
			f := folder{id: filepath.Base(filepath.Dir(filepath.Dir(p))) + "/" + name, name: name, path: p, raft: place.raft}
			if f.raft {
				f.id = "raft/" + name
			}
			all = append(all, f)
		}
	}
	return all, nil
}

func escapeGlob(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// describe reads the folder's description and verifies it against its checksum.
func (f *folder) describe() (*config, error) {
	b, err := readSummed(f.path, f.name)
	if err != nil {
		return nil, err
	}
	var c config
	if err := json.Unmarshal(b, &c); err != nil {
		return nil, fmt.Errorf("meta.inf: %w", err)
	}
	return &c, nil
}

// readSummed reads the description in dir and verifies it against its checksum.
func readSummed(dir, key string) ([]byte, error) {
	b, err := os.ReadFile(filepath.Join(dir, metaFile))
	if err != nil {
		return nil, err
	}
	sum, err := os.ReadFile(filepath.Join(dir, metaSumFile))
	if err != nil {
		return nil, err
	}
	h := keyedHash(key)
	h.Write(b)
	if hex.EncodeToString(h.Sum(nil)) != string(sum) {
		return nil, errors.New("meta.inf does not match its checksum")
	}
	return b, nil
}

// blocks lists the block files, lowest index first.
func (f *folder) blocks() ([]uint32, error) {
	entries, err := os.ReadDir(filepath.Join(f.path, blocksDir))
	if err != nil {
		return nil, err
	}
	var all []uint32
	for _, e := range entries {
		if i, ok := blockIndex(e.Name()); ok {
			all = append(all, i)
		}
	}
	slices.Sort(all)
	return all, nil
}

func (f *folder) blockPath(index uint32) string {
	return filepath.Join(f.path, blocksDir, blockName(index))
}

// read reads all blocks, several at a time, and returns them in order. account asks for the entries of the accounting.
func (f *folder) read(ctx context.Context, seed maphash.Seed, account bool) ([]*block, error) {
	indexes, err := f.blocks()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	found := make([]*block, len(indexes))
	errs := make([]error, len(indexes))
	next := make(chan int)
	var readers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(indexes)) {
		readers.Go(func() {
			var buf []byte
			for i := range next {
				if buf, errs[i] = readFile(f.blockPath(indexes[i]), buf); errs[i] == nil {
					found[i] = readBlock(f.name, indexes[i], buf, seed, account)
				}
			}
		})
	}
	for i := range indexes {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	readers.Wait()
	return found, errors.Join(append(errs, ctx.Err())...)
}

// readFile reads a whole file into buf, which it may grow.
func readFile(path string, buf []byte) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return buf, err
	}
	defer file.Close()
	st, err := file.Stat()
	if err != nil {
		return buf, err
	}
	buf = slices.Grow(buf[:0], int(st.Size()))[:st.Size()]
	_, err = io.ReadFull(file, buf)
	return buf, err
}

// drop removes files of a folder; one that is not there is no error.
func (f *folder) drop(names ...string) error {
	for _, name := range names {
		if err := remove(filepath.Join(f.path, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	return nil
}
