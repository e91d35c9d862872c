package storecheck

import "time"

// account rebuilds from the blocks which records were live at the last Observe, and holds their number and size against
// what the server reported then. It returns the damage, nil if all is explained, and how many records the server will
// bring back from the dead: it forgets, in a crash, that a record was replaced once the one that replaced it has expired
// and its block was rewritten.
//
// A record leaves a stream because a later one on its subject replaced it (which says whom it replaced), because it was
// removed or expired (which leaves a tombstone, except when it was the last of its block), or from the front, by the
// stream's limits. Where the blocks do not say for certain what became of a record, it counts in the stream's favour: a
// sound stream is never accused.
func account(c *config, was *State, blocks []*block, dead *deadSet, now time.Time) (d *Damage, revived uint64) {
	if was.Messages == 0 || c.Retention != "limits" || c.PerSubject > 1 || frontMayLeave(c, was, now) {
		return nil, 0
	}
	a := rebuild(c, was, blocks, dead)
	if c.TTL { // the last record of a block may expire without a tombstone: the block goes with it
		a.vague += blocksGone(was, blocks)
	}
	if c.PerSubject == 1 && c.Discard != "new" {
		a.vague++ // such a stream counts a record for an instant together with the one it replaces
	}
	found := a.present + a.rewritten
	twice := found+1 == was.Messages && countedTwice(c, was, blocks)
	if found+a.vague < was.Messages && !twice {
		return &Damage{What: lostRecords, Have: found, Want: was.Messages, Records: was.Messages - found - a.vague}, 0
	}
	if found > was.Messages {
		return nil, found - was.Messages
	}
	// An answer that is lost while its question is still in an older block brings the question back: the number is right,
	// the size is not.
	if a.vague == 0 && a.rewritten == 0 && a.bytes != was.Bytes && !twice {
		return &Damage{What: oldRecords, Have: a.bytes, Want: was.Bytes}, 0
	}
	return nil, 0
}

// countedTwice reports whether the observation may have come at the instant in which the last record was stored and the
// one that it replaced was not yet removed. On several nodes the server looks for that one afterwards, without its lock.
func countedTwice(c *config, was *State, blocks []*block) bool {
	if c.PerSubject != 1 || c.Replicas < 2 {
		return false
	}
	for _, b := range blocks {
		for _, e := range b.entries {
			if e.seq == was.Last {
				return e.replaces != 0
			}
		}
	}
	return true // it was rewritten away since
}

// accounts is what the blocks say about the moment of the observation.
type accounts struct {
	present   uint64 // records that were live then and are still in a block
	bytes     uint64 // their size
	rewritten uint64 // records that were live then and left with a reason
	vague     uint64 // subjects that may have had a live record or not
}

// subjectLine is what the blocks say about one subject.
type subjectLine struct {
	old      uint64 // the latest record that is not newer than the observation
	size     uint32
	newer    uint64 // the first record that is
	replaces uint64 // and whom it replaced
}

func rebuild(c *config, was *State, blocks []*block, dead *deadSet) accounts {
	n := 0
	for _, b := range blocks {
		n += len(b.entries)
	}
	subjects := make(map[uint64]subjectLine, n)
	before, after := graves(was, blocks)
	for _, b := range blocks {
		for _, e := range b.entries {
			delete(after, e.seq) // what is removed but still there is counted by its subject
			key := e.subject
			if c.PerSubject != 1 {
				key = e.seq // every record is for itself
			}
			l := subjects[key]
			switch {
			case e.seq <= was.Last:
				if e.seq >= l.old {
					l.old, l.size = e.seq, e.size
				}
			default:
				if l.newer == 0 || e.seq < l.newer {
					l.newer, l.replaces = e.seq, e.replaces
				}
			}
			subjects[key] = l
		}
	}
	var a accounts
	for seq := range after { // neither is the record there
		if seq <= was.Last {
			a.rewritten++
		} else {
			a.vague++ // it may have replaced an old one
		}
	}
	for _, l := range subjects {
		a.add(c, was, l, func(seq uint64) bool { return before[seq] || dead.has(seq) })
	}
	return a
}

func (a *accounts) add(c *config, was *State, l subjectLine, gone func(seq uint64) bool) {
	switch {
	case l.newer == 0 || c.PerSubject != 1:
		if l.old == 0 || gone(l.old) {
			return
		}
	case l.replaces == 0: // the subject was new
		return
	case l.replaces > was.Last: // unknown, or a record between the two was rewritten away
		a.vague++
		return
	case l.replaces != l.old: // the replaced record was rewritten away; an older one does not count
		a.rewritten++
		return
	}
	a.present++
	a.bytes += uint64(l.size)
}

// graves splits the tombstones into those from before and from after the observation, as far as their
// place tells; in doubt they are from after it.
func graves(was *State, blocks []*block) (before, after map[uint64]bool) {
	before, after = map[uint64]bool{}, map[uint64]bool{}
	for i, b := range blocks {
		index := uint64(b.index)
		rewritten := index == was.topBlock && i < len(blocks)-1 // perhaps: only the last block never is
		for _, g := range b.graves {
			switch {
			case index > was.topBlock || rewritten || index == was.topBlock && g.off >= was.topSize:
				after[g.seq] = true
			default:
				before[g.seq] = true
			}
		}
	}
	for seq := range before {
		delete(after, seq)
	}
	return before, after
}

// frontMayLeave reports whether the stream's limits alone may have taken records since the observation.
func frontMayLeave(c *config, was *State, now time.Time) bool {
	if c.MaxAge > 0 && (was.FirstTime.IsZero() || !was.FirstTime.Add(c.MaxAge).After(now)) {
		return true
	}
	return c.Discard == "old" && (c.MaxMsgs > 0 || c.MaxBytes > 0)
}

// blocksGone counts the block files that left since the observation.
func blocksGone(was *State, blocks []*block) uint64 {
	if len(blocks) == 0 {
		return was.blocks
	}
	top := max(was.topBlock, uint64(blocks[len(blocks)-1].index))
	return was.blocks + (top - was.topBlock) - min(was.blocks+(top-was.topBlock), uint64(len(blocks)))
}
