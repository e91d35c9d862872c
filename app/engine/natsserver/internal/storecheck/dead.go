package storecheck

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// deadSet remembers which records of a stream were replaced. The server itself does not: a replaced record stays in its
// block until that is rewritten, and is dead only because a later one on its subject is there. When the later one has
// expired and its block was rewritten, a crash brings the replaced record back: an answered question would wait again.
//
// It is a bitmap in a sparse file, in pages with a checksum. A page that cannot be read is forgotten: the worst is that a
// record comes back, which Check then reports.
type deadSet struct {
	path  string
	pages map[uint64]*deadPage
}

type deadPage struct {
	bits  [deadBytes]byte
	dirty bool
}

const (
	deadPageSize = 4096
	deadBytes    = deadPageSize - 4 // the rest is the checksum
	deadPerPage  = deadBytes * 8
)

func newDead(path string) *deadSet { return &deadSet{path: path, pages: map[uint64]*deadPage{}} }

// read takes what is in the file, if there is one.
func (d *deadSet) read() error {
	f, err := os.Open(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	var buf [deadPageSize]byte
	for n := uint64(0); ; n++ {
		if _, err := io.ReadFull(f, buf[:]); err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil
		} else if err != nil {
			return err
		}
		sum := binary.LittleEndian.Uint32(buf[deadBytes:])
		if sum != 0 && sum == crc32.Checksum(buf[:deadBytes], castagnoli) {
			d.pages[n] = &deadPage{bits: [deadBytes]byte(buf[:deadBytes])}
		}
	}
}

func (d *deadSet) has(seq uint64) bool {
	p := d.pages[seq/deadPerPage]
	bit := seq % deadPerPage
	return p != nil && p.bits[bit/8]&(1<<(bit%8)) != 0
}

func (d *deadSet) add(seq uint64) {
	n := seq / deadPerPage
	p := d.pages[n]
	if p == nil {
		p = &deadPage{}
		d.pages[n] = p
	}
	bit := seq % deadPerPage
	if p.bits[bit/8]&(1<<(bit%8)) == 0 {
		p.bits[bit/8] |= 1 << (bit % 8)
		p.dirty = true
	}
}

// save writes the pages that changed, and syncs them.
func (d *deadSet) save() error {
	var f *os.File
	for n, p := range d.pages {
		if !p.dirty {
			continue
		}
		if f == nil {
			var err error
			if err = os.MkdirAll(filepath.Dir(d.path), 0o700); err != nil {
				return err
			}
			if f, err = os.OpenFile(d.path, os.O_WRONLY|os.O_CREATE, 0o600); err != nil {
				return err
			}
			defer f.Close()
		}
		buf := binary.LittleEndian.AppendUint32(append([]byte(nil), p.bits[:]...), crc32.Checksum(p.bits[:], castagnoli))
		if _, err := f.WriteAt(buf, int64(n)*deadPageSize); err != nil {
			return err
		}
		p.dirty = false
	}
	if f == nil {
		return nil
	}
	return f.Sync()
}

// keep forgets all but what keep wants: records that are in no block any more cannot come back.
func (d *deadSet) keep(present func(yield func(seq uint64))) error {
	fresh := newDead(d.path)
	present(func(seq uint64) {
		if d.has(seq) {
			fresh.add(seq)
		}
	})
	if err := remove(d.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	d.pages = fresh.pages
	return d.save()
}

// revivals lists the records that a server would serve again although they were replaced. It takes the records with a
// tombstone out first, and then keeps the last of each subject: if that one was replaced, all that are left were.
func (d *deadSet) revivals(blocks []*block) (seqs []uint64) {
	subjects := map[uint64]uint64{} // with a replaced record; the last record that is left
	removed := map[uint64]bool{}
	for _, b := range blocks {
		for _, e := range b.entries {
			if d.has(e.seq) {
				subjects[e.subject] = 0
			}
		}
		for _, g := range b.graves {
			removed[g.seq] = true
		}
	}
	each := func(do func(e entry)) {
		for _, b := range blocks {
			for _, e := range b.entries {
				if _, ok := subjects[e.subject]; ok && !removed[e.seq] {
					do(e)
				}
			}
		}
	}
	each(func(e entry) { subjects[e.subject] = max(subjects[e.subject], e.seq) })
	each(func(e entry) {
		if d.has(subjects[e.subject]) {
			seqs = append(seqs, e.seq)
		}
	})
	return seqs
}

// bury writes tombstones for records into a block of their own, so that the server leaves them dead.
func (f *folder) bury(seqs []uint64, blocks []*block, now int64) error {
	next := blocks[len(blocks)-1].index + 1
	h := blockHash(f.name, next)
	var b []byte
	for _, seq := range seqs {
		b = appendTombstone(b, seq, now, h)
	}
	return writeFile(f.blockPath(next), b)
}
