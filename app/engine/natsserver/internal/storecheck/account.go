package storecheck

import "time"

// account holds what is left of a stream against what was there at the last Observe, and returns how many live records
// are left of those, how many should be, and how many are missing without an explanation.
//
// A record may leave a stream because a later one on its subject replaced it (which then says whom it replaced), because
// it was removed or expired (which leaves a tombstone, except when it was the last of its block), or from the front, by
// the stream's limits. Whatever these do not explain is lost. Each explanation counts at its upper bound, so a sound
// stream is never accused.
func account(c *config, was *State, blocks []*block, now time.Time) (left, want, missing uint64) {
	if was.Messages == 0 || c.Retention != "limits" || c.PerSubject > 1 || frontMayLeave(c, was, now) {
		return 0, 0, 0
	}
	live, before := liveRecords(c, blocks)
	var explained uint64
	on := map[uint64]bool{} // records newer than the observation that are still there
	for _, b := range blocks {
		for _, e := range b.entries {
			if e.seq > was.Last {
				on[e.seq] = true
			}
		}
		for _, g := range b.graves {
			if g.seq <= was.Last && max(g.after, before[b.index]) >= was.Last {
				explained++
			}
		}
	}
	for _, b := range blocks {
		for _, e := range b.entries {
			switch {
			case e.seq <= was.Last, e.replaces == 0:
			case e.replaces > was.Last && e.replaces != unknown && on[e.replaces]:
				// it replaced a newer record, which has been counted
			default:
				explained++
			}
		}
	}
	for _, seq := range live {
		if seq <= was.Last {
			left++
		}
	}
	if c.TTL { // the last record of a block may expire without a tombstone: the block goes with it
		explained += blocksGone(was, blocks)
	}
	if c.PerSubject == 1 && c.Discard != "new" {
		explained++ // such a stream counts a record for an instant together with the one it replaces
	}
	if left+explained < was.Messages {
		missing = was.Messages - left - explained
	}
	return left, was.Messages, missing
}

// frontMayLeave reports whether the stream's limits alone may have taken records since the observation.
func frontMayLeave(c *config, was *State, now time.Time) bool {
	if c.MaxAge > 0 && (was.FirstTime.IsZero() || !was.FirstTime.Add(c.MaxAge).After(now)) {
		return true
	}
	return c.Discard == "old" && (c.MaxMsgs > 0 || c.MaxBytes > 0)
}

// liveRecords returns the sequences of the records that are live and, for each block, the highest sequence written before
// it was begun.
func liveRecords(c *config, blocks []*block) (live []uint64, before map[uint32]uint64) {
	dead := map[uint64]bool{}
	before = map[uint32]uint64{}
	var high uint64
	n := 0
	for _, b := range blocks {
		before[b.index] = high
		high = max(high, b.last)
		n += len(b.entries)
		for _, g := range b.graves {
			dead[g.seq] = true
		}
	}
	live = make([]uint64, 0, n)
	if c.PerSubject != 1 {
		for _, b := range blocks {
			for _, e := range b.entries {
				if !dead[e.seq] {
					live = append(live, e.seq)
				}
			}
		}
		return live, before
	}
	latest := make(map[uint64]uint64, n)
	for _, b := range blocks {
		for _, e := range b.entries {
			latest[e.subject] = max(latest[e.subject], e.seq)
		}
	}
	for _, seq := range latest {
		if !dead[seq] {
			live = append(live, seq)
		}
	}
	return live, before
}

// blocksGone counts the block files that left since the observation.
func blocksGone(was *State, blocks []*block) uint64 {
	if len(blocks) == 0 {
		return was.Blocks
	}
	begun := uint64(blocks[len(blocks)-1].index) - min(was.TopBlock, uint64(blocks[len(blocks)-1].index))
	return was.Blocks + begun - min(was.Blocks+begun, uint64(len(blocks)))
}
