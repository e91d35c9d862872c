package storecheck

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// State is what is remembered of a stream outside of the stream. Observe takes what the server reports; the rest it finds
// out itself.
type State struct {
	Created time.Time // tells two streams of the same name apart
	mark    uint64    // the highest sequence known to be acknowledged
	// The rest was true of the stream at one moment, the last Observe.
	Last      uint64    // its last sequence
	Messages  uint64    // how many records were live
	Bytes     uint64    // and their size in the blocks
	First     uint64    // the first live sequence
	FirstTime time.Time // and its time
	blocks    uint64    // how many block files it had
	topBlock  uint64    // the highest index among them
	topSize   uint64    // and the size of that one
	replaying bool      // it was shorter than it had been, and was being made whole from the log

	Leaving bool // it is about to be removed on purpose; kept beside the mark
}

// marks holds one small file per stream. A file has two slots that are written in turn, each within one sector, so that a
// write cut short leaves the other. Slots are overwritten in place: a full disk cannot stop a mark.
type marks struct {
	dir string
	mu  sync.RWMutex
	all map[string]*mark // nil where the file is there but cannot be read
}

type mark struct {
	mu    sync.Mutex
	file  *os.File
	gen   uint64
	state State
	dirty bool
	err   error // the first failed write; a mark that cannot be written must not stay silent
}

const (
	slotSize  = 4096
	slotBytes = 104
	slotMagic = 0x6b72616d6f737973 // "sysomark"
)

var errNoSlot = errors.New("neither slot can be read")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// openMarks reads the marks under dir.
func openMarks(dir string) (*marks, error) {
	m := &marks{dir: dir, all: map[string]*mark{}}
	paths, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*", "*.mark"))
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		account, name := filepath.Base(filepath.Dir(p)), filepath.Base(p)
		id := account + "/" + name[:len(name)-len(".mark")]
		k, err := openMark(p)
		if err != nil && !errors.Is(err, errNoSlot) {
			return nil, errors.Join(fmt.Errorf("high-water mark of %s: %w", id, err), m.close())
		}
		m.all[id] = k
	}
	return m, nil
}

func (m *marks) path(id string) string { return filepath.Join(m.dir, id+".mark") }

// note raises the mark of a stream to seq.
func (m *marks) note(id string, seq uint64) error {
	return m.update(id, func(s *State) bool {
		if seq <= s.mark {
			return false
		}
		s.mark = seq
		return true
	})
}

// observe replaces all but the mark, which only ever rises in the life of a stream.
func (m *marks) observe(id string, s State) error {
	return m.update(id, func(old *State) bool {
		s.mark = s.Last
		if s.Created.Equal(old.Created) || old.Created.IsZero() {
			s.mark = max(old.mark, s.Last)
			s.replaying = old.replaying && s.Last < s.mark
		}
		changed := s != *old
		*old = s
		return changed
	})
}

// replay says that the server is about to cut off the end of a stream, which goes up to last, and to write it again.
func (m *marks) replay(id string, last uint64) error {
	return m.update(id, func(s *State) bool {
		s.mark, s.replaying = max(s.mark, last), true
		return true
	})
}

// update changes the state of a stream if change says so, and writes it through to the kernel: a crash of the process
// does not lose it.
func (m *marks) update(id string, change func(*State) bool) error {
	m.mu.RLock()
	k := m.all[id]
	m.mu.RUnlock()
	if k == nil {
		var err error
		if k, err = m.create(id); err != nil {
			return err
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if change(&k.state) {
		k.write()
	}
	return k.err
}

func (m *marks) create(id string) (*mark, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.all[id]; k != nil {
		return k, nil
	}
	path := m.path(id)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	// Under another name until it is whole: a process that is killed in between must
	// not leave a mark that cannot be read.
	file, err := os.OpenFile(path+".new", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	k := &mark{file: file}
	k.write()
	k.write() // both slots, so that later writes need no space
	err = errors.Join(k.err, file.Sync())
	if err == nil {
		err = errors.Join(os.Rename(path+".new", path), syncDir(filepath.Dir(path)), syncDir(m.dir))
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	k.dirty = false
	m.all[id] = k
	return k, nil
}

// get returns what is remembered of a stream.
func (m *marks) get(id string) (State, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	k := m.all[id]
	if k == nil {
		return State{}, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.state, true
}

// ids lists the streams that have a mark.
func (m *marks) ids() []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return sortedKeys(m.all)
}

// forget removes the mark of a stream that was deleted on purpose.
func (m *marks) forget(id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.all[id]
	if !ok {
		return nil
	}
	delete(m.all, id)
	if k != nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		if err := k.file.Close(); err != nil {
			return err
		}
	}
	return remove(m.path(id))
}

// flush makes every mark survive a power cut.
func (m *marks) flush() error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var errs []error
	for _, id := range sortedKeys(m.all) {
		k := m.all[id]
		if k == nil {
			continue
		}
		k.mu.Lock()
		if k.dirty {
			k.dirty = false
			if err := k.file.Sync(); err != nil && k.err == nil {
				k.err = err
			}
		}
		errs = append(errs, k.err)
		k.mu.Unlock()
	}
	return errors.Join(errs...)
}

func (m *marks) close() error {
	err := m.flush()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range m.all {
		if k != nil {
			err = errors.Join(err, k.file.Close())
		}
	}
	m.all = map[string]*mark{}
	return err
}

func openMark(path string) (*mark, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	k := &mark{file: file}
	good := false
	for slot := range int64(2) {
		var b [slotBytes]byte
		if _, err := file.ReadAt(b[:], slot*slotSize); err != nil {
			continue
		}
		if gen, s, ok := decodeSlot(b[:]); ok && (!good || gen > k.gen) {
			k.gen, k.state, good = gen, s, true
		}
	}
	if !good {
		return nil, errors.Join(errNoSlot, file.Close())
	}
	return k, nil
}

// write puts the state into the slot whose turn it is. The caller holds the lock.
func (k *mark) write() {
	k.gen++
	b := encodeSlot(k.gen, &k.state)
	if _, err := k.file.WriteAt(b[:], int64(k.gen%2)*slotSize); err != nil && k.err == nil {
		k.err = err
	}
	k.dirty = true
}

// replayingBit is in the word of topBlock, which needs half of it.
const replayingBit = 1 << 63

func encodeSlot(gen uint64, s *State) (b [slotBytes]byte) {
	le := binary.LittleEndian
	top := s.topBlock
	if s.replaying {
		top |= replayingBit
	}
	for i, v := range []uint64{slotMagic, gen, uint64(unixNano(s.Created)), s.mark, s.Last, s.Messages, s.First, uint64(unixNano(s.FirstTime)), s.blocks, top, s.Bytes, s.topSize} {
		le.PutUint64(b[i*8:], v)
	}
	le.PutUint64(b[slotBytes-8:], uint64(crc32.Checksum(b[:slotBytes-8], castagnoli)))
	return b
}

func decodeSlot(b []byte) (gen uint64, s State, ok bool) {
	le := binary.LittleEndian
	at := func(i int) uint64 { return le.Uint64(b[i*8:]) }
	if at(0) != slotMagic || at(12) != uint64(crc32.Checksum(b[:slotBytes-8], castagnoli)) {
		return 0, s, false
	}
	return at(1), State{
		Created: fromUnixNano(int64(at(2))), mark: at(3), Last: at(4), Messages: at(5), First: at(6),
		FirstTime: fromUnixNano(int64(at(7))), blocks: at(8), topBlock: at(9) &^ replayingBit, Bytes: at(10), topSize: at(11), replaying: at(9)&replayingBit != 0,
	}, true
}

func unixNano(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromUnixNano(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
