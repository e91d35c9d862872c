package storecheck

import (
	"errors"
	"hash/maphash"
	"io/fs"
	"os"
)

// follower reads what a running server appends to a stream, to learn which records were replaced.
type follower struct {
	dead *deadSet
	top  uint32 // the block it has come to
	off  int64  // and how far
}

// replacesItself reports whether the records of a stream name the records they replaced.
func (c *config) replacesItself() bool {
	return c.PerSubject == 1 && c.Mirror == nil && len(c.Sources) == 0
}

// started is a follower of a stream whose blocks have just been read.
func started(dead *deadSet, blocks []*block) (*follower, error) {
	w := &follower{dead: dead}
	for _, b := range blocks {
		w.learn(b)
		w.top, w.off = b.index, int64(b.size)
	}
	err := dead.keep(func(yield func(uint64)) {
		for _, b := range blocks {
			for _, e := range b.entries {
				yield(e.seq)
			}
		}
	})
	return w, err
}

func (w *follower) learn(b *block) {
	for _, e := range b.entries {
		if e.replaces != 0 && e.replaces != unknown {
			w.dead.add(e.replaces)
		}
	}
}

// follow reads on to the end.
func (w *follower) follow(f *folder, indexes []uint32, seed maphash.Seed) error {
	for _, i := range indexes {
		if i < w.top {
			continue
		}
		if i > w.top {
			w.top, w.off = i, 0
		}
		buf, err := readFrom(f.blockPath(i), w.off)
		if errors.Is(err, fs.ErrNotExist) {
			continue // emptied in the meantime
		}
		if err != nil {
			return err
		}
		b := readBlock(f.name, i, buf, seed, true)
		w.learn(b)
		if s, ok := b.tail(); ok {
			w.off += int64(s.from) // the rest is being written
		} else {
			w.off += int64(len(buf))
		}
	}
	return w.dead.save()
}

// readFrom reads a file from an offset to its end.
func readFrom(path string, off int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || st.Size() <= off {
		return nil, err
	}
	buf := make([]byte, st.Size()-off)
	n, err := f.ReadAt(buf, off)
	if err != nil && n == 0 {
		return nil, err
	}
	return buf[:n], nil
}
