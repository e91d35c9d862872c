package storecheck

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// consumers verifies the descriptions and the positions of a stream's consumers. A position carries no checksum; after a
// crash it is only held to what it can be, because a server that reads a wrong length from it takes all memory there is.
func (c *check) consumers(f *folder) error {
	entries, err := os.ReadDir(filepath.Join(f.path, consumersDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		dir := filepath.Join(f.path, consumersDir, e.Name())
		if _, err := readSummed(dir, consumerKey(f.name, e.Name())); err != nil {
			c.damage = append(c.damage, Damage{Stream: f.id, What: badDescription, Detail: "consumer " + e.Name() + ": " + err.Error()})
		}
		if c.report.Clean {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, positionFile))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case !possiblePosition(b, c.last[f.id]):
			c.damage = append(c.damage, Damage{Stream: f.id, What: badPosition, File: c.relative(filepath.Join(dir, positionFile)), Detail: "the position of consumer " + e.Name() + " cannot be right"})
			continue
		}
		c.report.Notes = append(c.report.Notes, fmt.Sprintf("%s: the position of consumer %s carries no checksum and could not be verified", f.id, e.Name()))
	}
	return err
}

// possiblePosition reports whether b can be the position of a consumer of a stream that ends at last: a header, four
// sequences (acknowledged and delivered, of the consumer and of the stream), and two lists.
func possiblePosition(b []byte, last uint64) bool {
	if len(b) == 0 {
		return true // it has not begun
	}
	if len(b) < 2 || b[0] != positionMagic || b[1] < positionOldest || b[1] > positionNewest {
		return false
	}
	version := b[1]
	r := varints{b: b[2:]}
	r.next()
	acked := r.next()
	r.next()
	delivered := r.next()
	if version == 1 && acked > 1 {
		delivered += acked - 1
	}
	if acked > last || delivered > last {
		return false
	}
	if pending := r.next(); pending > 0 {
		r.next() // a time
		fields := uint64(version) + 1
		if pending > uint64(len(r.b))/fields {
			return false
		}
		for range pending * fields {
			r.next()
		}
	}
	redelivered := r.next()
	if redelivered > uint64(len(r.b))/2 {
		return false
	}
	for range redelivered * 2 {
		r.next()
	}
	return !r.bad
}

// varints reads one number after the other; signed ones have the same length.
type varints struct {
	b   []byte
	bad bool
}

func (r *varints) next() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.b = r.b[n:]
	return v
}
