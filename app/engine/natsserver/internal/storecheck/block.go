package storecheck

import (
	"hash/maphash"
	"strconv"
)

// span is a stretch of a block in which no record could be read.
type span struct {
	from, to int
	time     int64 // of the record before it in the block, 0 when it is the first thing there
}

// entry is what the accounting needs of one message.
type entry struct {
	subject  uint64 // hash; 64 bits keep a false match at one in 10⁷ for five million records
	seq      uint64
	size     uint32
	replaces uint64 // the sequence this record replaced, 0 for a new subject, unknown when it did not say
}

const unknown = ^uint64(0)

// grave is a tombstone and its place in the block.
type grave struct{ seq, off uint64 }

// block is what one reading of a block file found.
type block struct {
	index      uint32
	size       int
	messages   int
	last       uint64 // highest sequence of a message or an empty place
	lastGrave  uint64 // highest sequence of a tombstone
	lastTime   int64
	entries    []entry // only when asked for
	graves     []grave
	unreadable []span
}

// readBlock reads every record of a block; after one that does not verify it goes on at the next that does, so that the
// damage is known to the record and not to the block.
func readBlock(name string, index uint32, buf []byte, seed maphash.Seed, account bool) *block {
	h := blockHash(name, index)
	b := &block{index: index, size: len(buf)}
	for off := 0; off < len(buf); {
		r, ok := readRecord(buf[off:], h)
		if !ok {
			next := off + 1
			for ; next < len(buf); next++ {
				if _, ok := readRecord(buf[next:], h); ok {
					break
				}
			}
			b.unreadable = append(b.unreadable, span{off, next, b.lastTime})
			off = next
			continue
		}
		b.add(r, off, seed, account)
		off += r.size
	}
	return b
}

func (b *block) add(r record, off int, seed maphash.Seed, account bool) {
	if r.tomb {
		b.lastGrave = max(b.lastGrave, r.seq)
		b.graves = append(b.graves, grave{r.seq, uint64(off)})
		return
	}
	if r.seq > b.last {
		b.last, b.lastTime = r.seq, r.time
	}
	if r.erased || r.seq == 0 {
		return
	}
	b.messages++
	if !account {
		return
	}
	e := entry{subject: maphash.Bytes(seed, r.subject), seq: r.seq, size: uint32(r.size), replaces: unknown}
	if v := headerValue(r.header, expectedHeader); v != "" {
		if n, err := strconv.ParseUint(v, 10, 64); err == nil {
			e.replaces = n
		}
	}
	b.entries = append(b.entries, e)
}

// tail reports whether the unreadable part is nothing but the end of the block: what a write cut short looks like.
func (b *block) tail() (span, bool) {
	if len(b.unreadable) == 1 && b.unreadable[0].to == b.size {
		return b.unreadable[0], true
	}
	return span{}, false
}
