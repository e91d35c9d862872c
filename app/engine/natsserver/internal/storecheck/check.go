package storecheck

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Report is what a check found in a store that may be served.
type Report struct {
	Clean   bool          // the last stop was clean
	Records uint64        // messages verified
	Bytes   int64         // bytes verified
	Buried  uint64        // records that were replaced, and which the server would have brought back
	Took    time.Duration // how long it took
	Notes   []string      // what a person may want to know: a write cut short, an index made anew
}

// Check reads the whole store. It returns a *DamagedError when something is lost. It removes derived files (indexes) that
// it cannot vouch for, so that the server makes them anew, and in a sound store buries what the server would bring back;
// else it changes nothing.
func (g *Guard) Check(ctx context.Context) (*Report, error) { return g.check(ctx, false) }

// Look is Check for a store that nobody is about to serve: it changes nothing at all.
func (g *Guard) Look(ctx context.Context) (*Report, error) { return g.check(ctx, true) }

func (g *Guard) check(ctx context.Context, look bool) (*Report, error) {
	start := time.Now()
	c := &check{Guard: g, look: look, seed: maphash.MakeSeed(), report: &Report{}, last: map[string]uint64{}, shared: map[string]bool{}, remade: map[string]bool{}}
	err := c.run(ctx)
	c.report.Took = time.Since(start)
	if err == nil && len(c.damage) > 0 {
		err = &DamagedError{Dir: g.dir, Damage: c.damage, Advice: g.advice}
	}
	return c.report, err
}

type check struct {
	*Guard
	look   bool // nothing may be changed
	seed   maphash.Seed
	report *Report
	damage []Damage
	last   map[string]uint64 // last sequence on disk, by stream
	shared map[string]bool   // streams that other nodes have too
	remade map[string]bool   // streams that are not held against their marks
	finish []func() error    // what is left to do when the store is sound
}

func (c *check) run(ctx context.Context) error {
	m, err := readManifest(c.manifestPath())
	if err != nil {
		return fmt.Errorf("read the manifest: %w", err)
	}
	c.report.Clean = m != nil
	all, err := folders(c.root)
	if err != nil {
		return fmt.Errorf("list the store: %w", err)
	}
	if m != nil {
		damage, stale, err := m.compare(c.root)
		if err != nil {
			return fmt.Errorf("hold the store against its manifest: %w", err)
		}
		c.damage = append(c.damage, damage...)
		if err := c.discard(stale); err != nil {
			return err
		}
	} else if err := c.discardUnsummed(all); err != nil {
		return err
	}
	for i := range all {
		if err := c.folder(ctx, &all[i]); err != nil {
			return fmt.Errorf("read %s: %w", all[i].id, err)
		}
	}
	for _, id := range c.marks.ids() {
		_, there := c.last[id]
		switch {
		case c.leaving(id) && !there:
			c.finish = append(c.finish, func() error { return c.gone(id) })
		case !c.remade[id] && !c.leaving(id):
			c.mark(id)
		}
	}
	if len(c.damage) > 0 || c.look {
		return nil
	}
	for _, f := range c.finish {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// discard removes derived files (paths relative to the root).
func (c *check) discard(paths []string) error {
	if c.look {
		return nil
	}
	for _, p := range paths {
		if err := remove(filepath.Join(c.root, filepath.FromSlash(p))); err != nil {
			return fmt.Errorf("remove a stale index: %w", err)
		}
		c.report.Notes = append(c.report.Notes, p+" did not match and is made anew")
	}
	return nil
}

// discardUnsummed removes, after an unclean stop, the derived files that carry no checksum of their own: a flipped bit in
// one would make records expire at the wrong time, or be copied twice, and nobody could tell.
func (c *check) discardUnsummed(all []folder) error {
	if c.look {
		return nil
	}
	for _, f := range all {
		if err := f.drop(unsummed...); err != nil {
			return fmt.Errorf("remove an index without checksum: %w", err)
		}
	}
	return nil
}

// distrust removes, after an unclean stop, the index of a stream that other nodes have too. If blocks at the end are gone,
// the server takes the end from the index and believes that it has everything; without the index the node ends where its
// blocks end, and gets the rest from its log or from the others.
func (c *check) distrust(f *folder, cfg *config) error {
	if c.report.Clean || cfg.Replicas < 2 || c.look {
		return nil
	}
	if err := f.drop(indexFile); err != nil {
		return fmt.Errorf("remove an index that may know of lost blocks: %w", err)
	}
	return nil
}

// folder reads one store.
func (c *check) folder(ctx context.Context, f *folder) error {
	if f.removed() {
		return nil
	}
	if c.leaving(f.id) {
		return c.left(f)
	}
	cfg, err := f.describe()
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && c.neverUsed(f) {
			return nil
		}
		undone, failed := c.undescribed(f)
		if failed != nil {
			return failed
		}
		if undone && !c.look {
			return c.folder(ctx, f)
		}
		if undone {
			c.remade[f.id] = true
			return nil
		}
		c.damage = append(c.damage, Damage{Stream: f.id, What: badDescription, Detail: err.Error()})
		cfg = &config{Name: f.name}
	}
	if err := c.distrust(f, cfg); err != nil {
		return err
	}
	was, known := c.marks.get(f.id)
	if known && cfg.Created.After(was.Created) && !was.Created.IsZero() {
		was, known = State{}, false // the stream was made anew on purpose, just before the stop
		if c.look {
			c.remade[f.id] = true
		} else if err := errors.Join(c.marks.forget(f.id), c.forgetDead(f.id)); err != nil {
			return err
		}
	}
	blocks, err := f.read(ctx, c.seed, cfg.replacesItself() || known && !c.report.Clean)
	if err != nil {
		return err
	}
	c.count(blocks)
	c.last[f.id], c.shared[f.id] = lastSequence(blocks), cfg.Replicas > 1
	if err := c.consumers(f); err != nil {
		return err
	}
	sound := len(c.damage)
	c.unreadable(f, blocks, was.mark)
	dead := newDead(c.deadPath(f.id))
	if known && cfg.Created.Equal(was.Created) {
		if err := dead.read(); err != nil {
			return err
		}
	}
	switch {
	case c.report.Clean: // the manifest says whether all is there
	case !known:
		if !f.raft && c.last[f.id] > 0 {
			c.report.Notes = append(c.report.Notes, f.id+" has no high-water mark yet: its end could not be checked")
		}
	case was.replaying && cfg.Replicas > 1:
		c.report.Notes = append(c.report.Notes, f.id+" was being made whole from the log: its records could not be counted")
	case len(c.damage) == sound && c.last[f.id] >= was.Last: // else it is damaged already, or the mark will say so
		d, revived := account(cfg, &was, blocks, dead, time.Now())
		if d != nil {
			d.Stream = f.id
			c.damage = append(c.damage, *d)
		}
		if revived > 0 {
			c.report.Notes = append(c.report.Notes, fmt.Sprintf("%s: %s that had been replaced, and whose successors have expired, are back", f.id, records(revived)))
		}
	}
	if cfg.replacesItself() {
		c.finish = append(c.finish, func() error { return c.follow(f, blocks, dead) })
	}
	if known && cfg.Replicas > 1 && !c.report.Clean {
		// After a crash the server cuts the end off that its Raft log has too, and writes it again once the nodes have
		// a leader. What was replaced there is live until then. A second crash in that time is no damage.
		c.finish = append(c.finish, func() error { return c.marks.replay(f.id, c.last[f.id]) })
	}
	return nil
}

// follow buries what the server would bring back, and learns from the blocks what was replaced.
func (c *check) follow(f *folder, blocks []*block, dead *deadSet) error {
	_, err := os.Stat(filepath.Join(f.path, filepath.FromSlash(indexFile)))
	indexed := c.report.Clean && err == nil // then the server remembers by itself
	if seqs := dead.revivals(blocks); len(seqs) > 0 && !indexed {
		if err := c.Begin(); err != nil { // the manifest knows nothing of the new block
			return err
		}
		if err := f.bury(seqs, blocks, time.Now().UnixNano()); err != nil {
			return fmt.Errorf("bury what was replaced in %s: %w", f.id, err)
		}
		c.report.Buried += uint64(len(seqs))
	}
	if c.followers[f.id], err = started(dead, blocks); err != nil {
		return fmt.Errorf("remember what was replaced in %s: %w", f.id, err)
	}
	return nil
}

// neverUsed reports whether a folder without description is one whose creation was cut short.
func (c *check) neverUsed(f *folder) bool {
	was, known := c.marks.get(f.id) // a look may have come before the description
	blocks, err := f.blocks()
	if known && (was.Last > 0 || was.mark > 0) || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	for _, i := range blocks {
		if st, err := os.Stat(f.blockPath(i)); err != nil || st.Size() > 0 {
			return false
		}
	}
	return true
}

func (c *check) count(blocks []*block) {
	for _, b := range blocks {
		c.report.Records += uint64(b.messages)
		c.report.Bytes += int64(b.size)
	}
}

// unreadable turns what could not be read into damage, unless it may be a write that was cut short.
func (c *check) unreadable(f *folder, blocks []*block, mark uint64) {
	for i, b := range blocks {
		if len(b.unreadable) == 0 {
			continue
		}
		if !c.report.Clean && c.cutShort(f, blocks, i, mark) {
			c.report.Notes = append(c.report.Notes, fmt.Sprintf("%s: the last write, in %s, was cut short before it was acknowledged", f.id, blockName(b.index)))
			continue
		}
		c.damage = append(c.damage, Damage{
			Stream: f.id, What: unreadable, File: c.relative(f.blockPath(b.index)), Have: uint64(b.messages), Records: uint64(len(b.unreadable)),
			Detail: fmt.Sprintf("%s, from byte %d", blockName(b.index), b.unreadable[0].from),
		})
	}
}

// unsynced is how long a write that nobody waits for may stay in the kernel's cache, with some to spare.
const unsynced = time.Minute

// cutShort reports whether what cannot be read in a block may be writes that a crash has cut short. A server that is alone
// syncs one record at a time, so it can only be the end of the last block, behind everything that was acknowledged. A node
// of a cluster syncs its log, and its streams some time later: if the machine went down, it can be anything that was
// written in the minute before, and the node gets it again from its log or from the others.
func (c *check) cutShort(f *folder, blocks []*block, i int, mark uint64) bool {
	b := blocks[i]
	alone := !f.raft && !c.shared[f.id]
	if alone || c.sameBoot() {
		_, ok := b.tail()
		return ok && i == len(blocks)-1 && (!alone || c.last[f.id] >= mark)
	}
	var newest, before int64
	for j, other := range blocks {
		newest = max(newest, other.lastTime)
		if j < i {
			before = max(before, other.lastTime)
		}
	}
	return max(before, b.unreadable[0].time) >= newest-int64(unsynced)
}

// mark holds the end of a stream against its high-water mark.
func (c *check) mark(id string) {
	was, ok := c.marks.get(id)
	if !ok {
		c.damage = append(c.damage, Damage{Stream: id, What: noMark, Detail: "it cannot be read, so nobody can tell whether the stream is whole"})
		return
	}
	last, there := c.last[id]
	switch {
	case !there && was.mark > 0:
		c.damage = append(c.damage, Damage{Stream: id, What: lostStream, Want: was.mark, Records: was.mark})
	case there && last < was.Last && c.shared[id] && !c.report.Clean && c.sameBoot() && !was.replaying:
		c.damage = append(c.damage, Damage{Stream: id, What: lostEnd, Have: last, Want: was.Last, Records: was.Last - last})
	case there && last < was.mark && c.shared[id]:
		// What the others have acknowledged may have reached this node's log only, which is applied at the start; and if
		// the machine went down, what the node itself had applied.
		c.report.Notes = append(c.report.Notes, fmt.Sprintf("%s ends at %s of %s: the node has to catch up", id, number(last), number(was.mark)))
	case there && last < was.mark:
		c.damage = append(c.damage, Damage{Stream: id, What: lostEnd, Have: last, Want: was.mark, Records: was.mark - last})
	}
}

func (c *check) relative(path string) string {
	if rel, err := filepath.Rel(c.root, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

func lastSequence(blocks []*block) (last uint64) {
	for _, b := range blocks {
		last = max(last, b.last, b.lastGrave)
	}
	return last
}
