package storecheck

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/maphash"
	"io/fs"
	"slices"
	"strings"
)

// Loss is what Accept gives up: one record, or several of which only the number is known.
type Loss struct {
	Stream  string // "ASK2-00"
	Seq     uint64 // of the record; of several, of the first
	Records uint64 // how many; zero: cannot be told
	Subject string // empty: cannot be told
	Sure    bool   // subject and sequence are exact: with one bit set back, the checksum holds
	Gone    bool   // the record was replaced or removed before, so nothing is lost with it
	Removal bool   // it is a tombstone: what it removed may come back
	Back    uint64 // an earlier record of the same subject that comes back in its place, zero: none
	Copies  []Copy // live records of other streams with the same subject but for its first token
	Why     Damage // what was found
}

// Copy is a record of another stream that belongs to a lost one.
type Copy struct {
	Stream string
	Seq    uint64
	header []byte
}

// Header returns a header of the copy, empty if it has none.
func (c *Copy) Header(name string) string { return headerValue(c.header, name) }

// Losses says what Accept would give up, as exactly as the files tell. It changes nothing. Of a sound store it returns none.
func (g *Guard) Losses(ctx context.Context) ([]Loss, error) {
	_, err := g.Look(ctx)
	var found *DamagedError
	if !errors.As(err, &found) {
		return nil, err
	}
	all, err := folders(g.root)
	if err != nil {
		return nil, err
	}
	var losses []Loss
	read := map[string]bool{} // a stream with several unreadable blocks is looked at once
	for _, d := range found.Damage {
		i := slices.IndexFunc(all, func(f folder) bool { return f.id == d.Stream })
		switch {
		case d.What == unreadable && i >= 0 && !all[i].raft && read[d.Stream]:
		case d.What == unreadable && i >= 0 && !all[i].raft:
			read[d.Stream] = true
			some, err := g.unread(ctx, &all[i])
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", d.Stream, err)
			}
			for j := range some {
				some[j].Why = d
			}
			losses = append(losses, some...)
		case d.What == lostEnd:
			if l, ok := lostBehind(&d, losses); ok {
				losses = append(losses, l)
			}
		default:
			losses = append(losses, Loss{Stream: streamName(d.Stream), Records: d.Records, Why: d})
		}
	}
	return losses, g.copies(ctx, all, losses)
}

func streamName(id string) string { return id[strings.IndexByte(id, '/')+1:] }

// lostBehind is what a stream lost at its end, without what is known of it already.
func lostBehind(d *Damage, known []Loss) (Loss, bool) {
	l := Loss{Stream: streamName(d.Stream), Seq: d.Have + 1, Records: d.Want - d.Have, Why: *d}
	for _, k := range known {
		if k.Stream == l.Stream && k.Seq > d.Have && k.Seq <= d.Want && k.Records == 1 {
			l.Records--
		}
	}
	return l, l.Records > 0
}

// unread returns the records of a stream that cannot be read.
func (g *Guard) unread(ctx context.Context, f *folder) ([]Loss, error) {
	indexes, err := f.blocks()
	if err != nil {
		return nil, err
	}
	s := &subjects{last: map[string]uint64{}, older: map[string]uint64{}, removed: map[uint64]bool{}}
	var losses []Loss
	for _, index := range indexes {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		buf, err := readFile(f.blockPath(index), nil)
		if err != nil {
			return nil, err
		}
		h := blockHash(f.name, index)
		for off := 0; off < len(buf); {
			r, ok := readRecord(buf[off:], h)
			if !ok {
				to := off + 1
				for ; to < len(buf); to++ {
					if _, ok := readRecord(buf[to:], h); ok {
						break
					}
				}
				losses = append(losses, guess(f.name, buf[off:to], h)...)
				off = to
				continue
			}
			s.note(r)
			off += r.size
		}
	}
	cfg, err := f.describe()
	alone := err == nil && cfg.PerSubject == 1 // a later record takes the place of an earlier one
	dead := newDead(g.deadPath(f.id))
	if err := dead.read(); err != nil {
		return nil, err
	}
	for i := range losses {
		s.judge(&losses[i], alone, dead)
	}
	return losses, nil
}

// subjects is what can be read of a stream.
type subjects struct {
	last, older map[string]uint64 // the highest sequence of each subject, and the one before
	removed     map[uint64]bool
}

func (s *subjects) note(r record) {
	switch {
	case r.tomb:
		s.removed[r.seq] = true
	case r.erased || r.seq == 0:
	default:
		if name := string(r.subject); r.seq > s.last[name] {
			s.older[name], s.last[name] = s.last[name], r.seq
		}
	}
}

// judge says whether a record that cannot be read was live, and what comes back without it.
func (s *subjects) judge(l *Loss, alone bool, dead *deadSet) {
	if l.Removal || l.Subject == "" {
		return
	}
	last := s.last[l.Subject]
	switch {
	case s.removed[l.Seq], alone && (last > l.Seq || dead.has(l.Seq)):
		l.Gone = true
	case alone && last > 0 && !dead.has(last) && !s.removed[last]:
		l.Back = last
	}
}

// maxMended is the longest stretch in which a flipped bit is looked for: each bit costs a checksum.
const maxMended = 16 << 10

// guess says which records were in a stretch that cannot be read.
func guess(stream string, buf []byte, h hash.Hash64) (all []Loss) {
	for len(buf) > 0 {
		l := Loss{Stream: stream, Records: 1}
		r, ok := mend(buf, h)
		size := r.size
		switch {
		case ok:
			l.Seq, l.Sure, l.Removal, l.Subject = r.seq, true, r.tomb, string(r.subject)
			l.Gone = !r.tomb && (r.erased || r.seq == 0)
		case len(buf) >= recordHead:
			l.Seq, l.Subject, size = torn(buf)
		default:
			size = len(buf)
		}
		if size < recordHead || size > len(buf) {
			size = len(buf)
		}
		buf = buf[size:]
		all = append(all, l)
	}
	return all
}

// mend looks for the one bit that, set back, makes a record of the stretch's beginning.
func mend(buf []byte, h hash.Hash64) (record, bool) {
	if len(buf) > maxMended {
		return record{}, false
	}
	again := bytes.Clone(buf)
	for bit := range 8 * len(again) {
		again[bit/8] ^= 1 << (bit % 8)
		r, ok := readRecord(again, h)
		again[bit/8] ^= 1 << (bit % 8)
		if ok {
			r.subject = bytes.Clone(r.subject)
			if at := bit / 8; at >= recordHead && at < recordHead+len(r.subject) {
				r.subject[at-recordHead] ^= 1 << (bit % 8) // it was read with the bit set back
			}
			return r, true
		}
	}
	return record{}, false
}

// torn reads what a damaged record says of itself, which may be wrong.
func torn(buf []byte) (seq uint64, subject string, size int) {
	le := binary.LittleEndian
	size = int(le.Uint32(buf) &^ hasHeaders)
	seq = le.Uint64(buf[4:]) &^ (tombstone | erased)
	n := int(le.Uint16(buf[20:]))
	if n <= len(buf)-recordHead && wellFormedSubject(buf[recordHead:recordHead+n]) {
		subject = string(buf[recordHead : recordHead+n])
	}
	return seq, subject, size
}

// copies finds what other streams have of the records that are lost.
func (g *Guard) copies(ctx context.Context, all []folder, losses []Loss) error {
	wanted := map[string][]int{}
	for i, l := range losses {
		if rest, ok := belongs(l.Subject); ok && !l.Gone {
			wanted[rest] = append(wanted[rest], i)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	for _, f := range all {
		if f.raft || f.removed() {
			continue
		}
		if err := g.copiesIn(ctx, &f, wanted, losses); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read %s: %w", f.id, err)
		}
	}
	return nil
}

// belongs is a subject without its first token: what records of different streams have in common.
func belongs(subject string) (rest string, ok bool) {
	_, rest, ok = strings.Cut(subject, ".")
	return rest, ok
}

func (g *Guard) copiesIn(ctx context.Context, f *folder, wanted map[string][]int, losses []Loss) error {
	blocks, err := f.read(ctx, maphash.MakeSeed(), false)
	if err != nil {
		return err
	}
	removed := map[uint64]bool{}
	for _, b := range blocks {
		for _, t := range b.graves {
			removed[t.seq] = true
		}
	}
	last := map[string]*Copy{}
	for _, b := range blocks {
		buf, err := readFile(f.blockPath(b.index), nil)
		if err != nil {
			return err
		}
		h := blockHash(f.name, b.index)
		for off := 0; off < len(buf); {
			r, ok := readRecord(buf[off:], h)
			if !ok {
				off++
				continue
			}
			off += r.size
			rest, ok := belongs(string(r.subject))
			if !ok || r.tomb || r.erased || removed[r.seq] || wanted[rest] == nil {
				continue
			}
			if c := last[string(r.subject)]; c == nil || c.Seq < r.seq {
				last[string(r.subject)] = &Copy{streamName(f.id), r.seq, bytes.Clone(r.header)}
			}
		}
	}
	for _, subject := range sortedKeys(last) {
		rest, _ := belongs(subject)
		for _, i := range wanted[rest] {
			if losses[i].Subject != subject {
				losses[i].Copies = append(losses[i].Copies, *last[subject])
			}
		}
	}
	return nil
}
