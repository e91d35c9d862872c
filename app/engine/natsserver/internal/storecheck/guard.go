package storecheck

import (
	"errors"
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Guard watches over one store.
type Guard struct {
	dir, root string
	advice    string
	marks     *marks

	mu        sync.Mutex // of what follows
	followers map[string]*follower
	described map[string]described
	seed      maphash.Seed
}

// Open opens the guard's own files in dir/guard; the server's root is dir/jetstream. The caller must own dir alone. advice
// is what a DamagedError tells the person to do.
func Open(dir, advice string) (*Guard, error) {
	g := &Guard{dir: dir, root: filepath.Join(dir, rootDir), advice: advice, followers: map[string]*follower{}, described: map[string]described{}, seed: maphash.MakeSeed()}
	if err := os.MkdirAll(g.marksDir(), 0o700); err != nil {
		return nil, err
	}
	var err error
	if g.marks, err = openMarks(g.marksDir()); err != nil {
		return nil, err
	}
	return g, nil
}

func (g *Guard) marksDir() string          { return filepath.Join(g.dir, "guard", "marks") }
func (g *Guard) deadPath(id string) string { return filepath.Join(g.marksDir(), id+".dead") }
func (g *Guard) manifestPath() string      { return filepath.Join(g.dir, "guard", "manifest.json") }

func (g *Guard) bootPath() string { return filepath.Join(g.dir, "guard", "boot") }

// Begin says that the server is about to write: from now on a stop is unclean until End.
func (g *Guard) Begin() error {
	if err := remove(g.manifestPath()); err != nil {
		return err
	}
	return writeFile(g.bootPath(), []byte(bootID()))
}

// sameBoot reports whether the machine has been running since Begin: then no write is lost that reached the kernel.
func (g *Guard) sameBoot() bool {
	was, err := os.ReadFile(g.bootPath())
	return err == nil && len(was) > 0 && string(was) == bootID()
}

// bootID names this run of the machine, "" where it cannot be told.
func bootID() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // only Linux has it
	return strings.TrimSpace(string(b))
}

// Note says that everything up to seq was acknowledged. It is cheap enough for every acknowledged write: one small write
// into the kernel's cache.
func (g *Guard) Note(id string, seq uint64) error { return g.marks.note(id, seq) }

// Observe remembers the state of every stream as the running server reports it, and forgets the streams that it deleted.
// What read returns, by "ACCOUNT/STREAM", must be on the disk for good. Call it about once a second, and after records were
// removed on purpose.
func (g *Guard) Observe(read func() (map[string]State, error)) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	all, err := folders(g.root)
	if err != nil {
		return err
	}
	type files struct{ n, top, size uint64 }
	there := map[string]files{}
	for _, f := range all { // before the states: a block that leaves in between is then explained, not accused
		blocks, err := f.blocks()
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		n := files{n: uint64(len(blocks))}
		if len(blocks) > 0 {
			n.top = uint64(blocks[len(blocks)-1])
			if st, err := os.Stat(f.blockPath(blocks[len(blocks)-1])); err == nil {
				n.size = uint64(st.Size())
			}
		}
		there[f.id] = n
		if err := errors.Join(g.follow(&f, blocks), g.describe(&f)); err != nil {
			return fmt.Errorf("%s: %w", f.id, err)
		}
	}
	now, err := read()
	if err != nil {
		return err
	}
	for _, id := range sortedKeys(now) {
		s := now[id]
		s.blocks, s.topBlock, s.topSize = there[id].n, there[id].top, there[id].size
		if was, ok := g.marks.get(id); ok && !was.Created.IsZero() && !was.Created.Equal(s.Created) { // made anew
			if err := g.forgetDead(id); err != nil {
				return fmt.Errorf("%s: %w", id, err)
			}
		}
		if err := errors.Join(g.marks.observe(id, s), g.leave(id, s.Leaving)); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
	}
	for _, id := range g.marks.ids() {
		_, running := now[id]
		if _, onDisk := there[id]; !running && !onDisk {
			if err := g.gone(id); err != nil {
				return fmt.Errorf("%s: %w", id, err)
			}
		}
	}
	return nil
}

func (g *Guard) forgetDead(id string) error {
	delete(g.followers, id)
	return remove(g.deadPath(id))
}

// follow learns which records of a stream were replaced since it last looked.
func (g *Guard) follow(f *folder, blocks []uint32) error {
	w := g.followers[f.id]
	if w == nil {
		if f.raft {
			return nil
		}
		if c, err := f.describe(); err != nil || !c.replacesItself() {
			return nil // being made or deleted, or not of that kind; the next look will tell
		}
		w = &follower{dead: newDead(g.deadPath(f.id))}
		g.followers[f.id] = w
	}
	return w.follow(f, blocks, g.seed)
}

// Opened holds the streams that the server has opened against the marks: it may have dropped one that could be read. It
// returns a *DamagedError if so.
func (g *Guard) Opened(now map[string]State) error {
	var lost []Damage
	for _, id := range g.marks.ids() {
		was, _ := g.marks.get(id)
		have, ok := now[id]
		switch {
		case g.leaving(id):
		case !ok:
			lost = append(lost, Damage{Stream: id, What: lostStream, Want: was.mark, Records: was.mark})
		case have.Last < was.mark:
			lost = append(lost, Damage{Stream: id, What: lostEnd, Have: have.Last, Want: was.mark, Records: was.mark - have.Last})
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return &DamagedError{Dir: g.dir, Damage: lost, Advice: g.advice}
}

// Flush makes the marks survive a power cut.
func (g *Guard) Flush() error { return g.marks.flush() }

// End says that the server has stopped cleanly, and writes down what it left.
func (g *Guard) End() error {
	if err := g.marks.flush(); err != nil {
		return fmt.Errorf("flush the high-water marks: %w", err)
	}
	return writeManifest(g.manifestPath(), g.root, syncFile)
}

// Close closes the guard's files.
func (g *Guard) Close() error { return g.marks.close() }
