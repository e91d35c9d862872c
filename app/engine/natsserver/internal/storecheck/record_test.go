package storecheck

import (
	"encoding/binary"
	"hash"
	"hash/maphash"
	"strings"
	"testing"
)

// appendRecord writes a record as the server does.
func appendRecord(b []byte, h hash.Hash64, seq uint64, subject, header, body string) []byte {
	le := binary.LittleEndian
	size := recordHead + len(subject) + len(body) + recordHash
	if header != "" {
		size += 4 + len(header)
	}
	head := make([]byte, recordHead)
	le.PutUint32(head, uint32(size))
	if header != "" {
		le.PutUint32(head, uint32(size)|hasHeaders)
	}
	le.PutUint64(head[4:], seq)
	le.PutUint64(head[12:], 1_700_000_000_000_000_000+seq)
	le.PutUint16(head[20:], uint16(len(subject)))
	h.Reset()
	h.Write(head[4:20])
	h.Write([]byte(subject + header + body))
	b = append(append(b, head...), subject...)
	if header != "" {
		b = append(le.AppendUint32(b, uint32(len(header))), header...)
	}
	return h.Sum(append(b, body...))
}

func headers(lines ...string) string {
	return "NATS/1.0\r\n" + strings.Join(lines, "\r\n") + "\r\n\r\n"
}

func replacing(seq string) string { return headers(expectedHeader + ": " + seq) }

// TestEveryBitCounts flips each bit of a record with headers: none goes unnoticed.
func TestEveryBitCounts(t *testing.T) {
	h := blockHash("ASK", 7)
	sound := appendRecord(nil, h, 42, "ask.t.u.c.q", headers("Q-State: p"), `{"question":"?"}`)
	if r, ok := readRecord(sound, h); !ok || r.seq != 42 || string(r.subject) != "ask.t.u.c.q" || r.size != len(sound) {
		t.Fatalf("the sound record reads as %+v, %v", r, ok)
	}
	for bit := range len(sound) * 8 {
		b := append([]byte(nil), sound...)
		b[bit/8] ^= 1 << (bit % 8)
		if _, ok := readRecord(b, h); ok {
			t.Errorf("bit %d of byte %d does not count", bit%8, bit/8)
		}
	}
	for n := range sound {
		if _, ok := readRecord(sound[:n], h); ok {
			t.Errorf("the first %d of %d bytes pass for a record", n, len(sound))
		}
	}
}

// TestOtherPlace shows that a record counts only in the block it was written to.
func TestOtherPlace(t *testing.T) {
	b := appendRecord(nil, blockHash("ASK", 7), 42, "ask.q", headers("Q-State: p"), "?")
	for name, h := range map[string]hash.Hash64{"block": blockHash("ASK", 8), "stream": blockHash("ASK2", 7)} {
		if _, ok := readRecord(b, h); ok {
			t.Errorf("it passes in another %s", name)
		}
	}
}

func TestReadBlock(t *testing.T) {
	h := blockHash("ASK", 1)
	one := appendRecord(nil, h, 1, "ask.a", replacing("0"), "first")
	two := appendRecord(nil, h, 2, "ask.b", replacing("0"), "second")
	three := appendRecord(nil, h, 3, "ask.a", replacing("1"), "third")
	grave := appendTombstone(nil, 2, 5, h)
	bad := append([]byte(nil), two...)
	bad[30] ^= 1
	join := func(parts ...[]byte) (all []byte) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	for _, c := range []struct {
		name     string
		buf      []byte
		messages int
		last     uint64
		graves   int
		spans    []span
		tail     bool
	}{
		{"nothing", nil, 0, 0, 0, nil, false},
		{"all", join(one, two, three, grave), 3, 3, 1, nil, false},
		{"a flip in the middle", join(one, bad, three), 2, 3, 0, []span{{from: len(one), to: len(one) + len(two)}}, false},
		{"a write cut short", join(one, two[:20]), 1, 1, 0, []span{{from: len(one), to: len(one) + 20}}, true},
		{"a bad last record", join(one, bad), 1, 1, 0, []span{{from: len(one), to: len(one) + len(two)}}, true},
		{"a hole", join(one, make([]byte, 100), three), 2, 3, 0, []span{{from: len(one), to: len(one) + 100}}, false},
	} {
		b := readBlock("ASK", 1, c.buf, maphash.MakeSeed(), true)
		_, tail := b.tail()
		if b.messages != c.messages || b.last != c.last || len(b.graves) != c.graves || len(b.unreadable) != len(c.spans) || tail != c.tail {
			t.Errorf("%s: %+v, tail %v", c.name, b, tail)
			continue
		}
		for i := range c.spans {
			if got := b.unreadable[i]; got.from != c.spans[i].from || got.to != c.spans[i].to {
				t.Errorf("%s: unreadable %v, want %v", c.name, b.unreadable, c.spans)
			}
		}
	}
}

func FuzzReadBlock(f *testing.F) {
	h := blockHash("ASK", 1)
	f.Add(appendTombstone(appendRecord(nil, h, 1, "ask.a", replacing("0"), "first"), 1, 2, h))
	f.Add([]byte{30, 0, 0, 0})
	f.Fuzz(func(t *testing.T, buf []byte) {
		b := readBlock("ASK", 1, buf, maphash.MakeSeed(), true)
		at := 0
		for _, s := range b.unreadable {
			if s.from < at || s.to <= s.from || s.to > len(buf) {
				t.Fatalf("spans %v of %d bytes", b.unreadable, len(buf))
			}
			at = s.to
		}
	})
}
