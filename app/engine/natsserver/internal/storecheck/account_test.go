package storecheck

import (
	"fmt"
	"hash/maphash"
	"testing"
	"time"
)

// line is one record of a stream in a test: what it is, which subject, what it replaced.
type line struct {
	seq      uint64
	subject  string
	replaces string // "": it does not say
	grave    bool
	body     string
}

// blocksOf builds blocks, one for each list.
func blocksOf(t *testing.T, lists ...[]line) (all []*block) {
	t.Helper()
	seed := maphash.MakeSeed()
	for i, list := range lists {
		index := uint32(i + 1)
		h := blockHash("ASK", index)
		var buf []byte
		for _, l := range list {
			switch {
			case l.grave:
				buf = appendTombstone(buf, l.seq, 1, h)
			case l.replaces == "":
				buf = appendRecord(buf, h, l.seq, l.subject, headers("Q-State: p"), l.body)
			default:
				buf = appendRecord(buf, h, l.seq, l.subject, replacing(l.replaces), l.body)
			}
		}
		b := readBlock("ASK", index, buf, seed, true)
		if len(b.unreadable) > 0 {
			t.Fatalf("block %d: %v", index, b.unreadable)
		}
		all = append(all, b)
	}
	return all
}

// TestAccount begins with three questions in two blocks, observed, and lets things happen after that.
func TestAccount(t *testing.T) {
	a, b, c := line{1, "a", "0", false, ""}, line{2, "b", "0", false, ""}, line{3, "c", "0", false, ""}
	size := uint64(len(appendRecord(nil, blockHash("ASK", 1), 1, "a", replacing("0"), "")))
	was := State{Last: 3, Messages: 3, Bytes: 3 * size, First: 1, FirstTime: time.Unix(1000, 0), blocks: 2, topBlock: 2, topSize: size}
	hub := config{Retention: "limits", Discard: "new", PerSubject: 1}
	three := hub
	three.Replicas = 3
	ttl := hub
	ttl.TTL = true
	copies := config{Retention: "limits", Discard: "old", PerSubject: -1}
	aged := copies
	aged.MaxAge = time.Hour
	for _, test := range []struct {
		name    string
		cfg     config
		blocks  [][]line
		missing uint64
	}{
		{"nothing happened", hub, [][]line{{a, b}, {c}}, 0},
		{"a block is gone", hub, [][]line{{}, {c}}, 2},
		{"one record is gone", hub, [][]line{{a}, {c}}, 1},
		{"one was answered and its block rewritten", hub, [][]line{{a}, {c, {4, "b", "2", false, ""}}}, 0},
		{"both were answered and their block removed", hub, [][]line{{}, {c, {4, "b", "2", false, ""}, {5, "a", "1", false, ""}}}, 0},
		{"one was answered, the other is gone", hub, [][]line{{}, {c, {4, "b", "2", false, ""}}}, 1},
		{"new questions explain nothing", hub, [][]line{{}, {c, {4, "d", "0", false, ""}, {5, "e", "0", false, ""}}}, 2},
		{"answered and received", hub, [][]line{{a}, {c, {4, "b", "2", false, ""}, {5, "b", "4", false, ""}}}, 0},
		{"answered and received, the answer rewritten away", hub, [][]line{{a}, {c, {5, "b", "4", false, ""}}}, 0},
		{"a writer that does not say whom it replaces", hub, [][]line{{a}, {c, {4, "b", "", false, ""}}}, 0},
		{"removed", hub, [][]line{{a}, {c, {2, "", "", true, ""}}}, 0},
		{"removed before, and another is gone", hub, [][]line{{{2, "", "", true, ""}}, {c}}, 2},
		{"the last of its block expired", ttl, [][]line{{}, {c, {1, "", "", true, ""}}}, 1},
		{"one record is gone, of a node of three", three, [][]line{{a}, {c}}, 1},
		{"observed between an answer and the end of its question, alone", hub, [][]line{{a}, {{3, "b", "2", false, ""}}}, 1},
		{"observed between an answer and the end of its question, on three nodes", three, [][]line{{a}, {{3, "b", "2", false, ""}}}, 0},
		{"the same, and one more is gone", three, [][]line{{}, {{3, "b", "2", false, ""}}}, 2},
		{"a copy lost its middle", copies, [][]line{{a}, {c}}, 1},
		{"a copy is whole", copies, [][]line{{a, b}, {c, {4, "c", "3", false, ""}}}, 0},
		{"a copy whose age takes the front", aged, [][]line{{}, {c}}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			blocks := blocksOf(t, test.blocks...)
			d, _ := account(&test.cfg, &was, blocks, &deadSet{}, time.Unix(1000, 0).Add(time.Hour))
			if (d == nil) != (test.missing == 0) || d != nil && d.Records != test.missing {
				t.Errorf("%+v, want %d missing", d, test.missing)
			}
		})
	}
}

// TestAccountNeverAccuses plays a stream at random, observes it, lets it go on for a random while, rewriting its blocks as
// the server does, and then takes one block away. A sound stream is never accused. What is taken is always missed when
// nothing happened since the observation, and nearly always otherwise.
func TestAccountNeverAccuses(t *testing.T) {
	cfg := config{Retention: "limits", Discard: "new", PerSubject: 1}
	taken, unnoticed := 0, 0
	for round := range 600 {
		p := newPlay(uint64(round))
		p.run(60)
		was, dead := p.state(), p.dead.copy()
		since := max(0, p.rand.IntN(40)-15)
		p.run(since)
		check := func() (*Damage, uint64) {
			return account(&cfg, &was, blocksOf(t, p.blocks...), dead, time.Unix(5000, 0))
		}
		if d, revived := check(); d != nil || since == 0 && revived > 0 {
			t.Fatalf("round %d: a sound stream is accused: %v, %d revived", round, d, revived)
		}
		want := p.take(was.Last)
		if want == 0 {
			continue
		}
		taken++
		if d, revived := check(); d == nil && revived == 0 {
			unnoticed++
			if since == 0 {
				t.Fatalf("round %d: nobody misses %d live records", round, want)
			}
		}
	}
	t.Logf("of %d blocks taken, %d went unnoticed", taken, unnoticed)
	if unnoticed*20 > taken {
		t.Errorf("that is more than one in twenty")
	}
}

func (p *play) state() State {
	var n, bytes uint64
	for _, b := range p.blocks {
		if len(b) > 0 {
			n++
		}
		for _, l := range b {
			if !l.grave && p.live[l.subject] == l.seq {
				bytes += uint64(len(appendRecord(nil, blockHash("ASK", 1), l.seq, l.subject, replacing(l.replaces), l.body)))
			}
		}
	}
	var top uint64
	for _, l := range p.blocks[len(p.blocks)-1] {
		if l.grave {
			top += recordHead + recordHash
		} else {
			top += uint64(len(appendRecord(nil, blockHash("ASK", 1), l.seq, l.subject, replacing(l.replaces), l.body)))
		}
	}
	return State{Last: p.seq, Messages: uint64(len(p.live)), Bytes: bytes, First: 1, FirstTime: time.Unix(1, 0), blocks: n, topBlock: uint64(len(p.blocks)), topSize: top}
}

func ExampleDamagedError() {
	err := &DamagedError{Dir: "/var/lib/sayso", Advice: "Restore a backup", Damage: []Damage{
		{Stream: "HUB/ASK2-00", What: lostEnd, Have: 5423, Want: 10834, Records: 5411},
	}}
	fmt.Println(err)
	// Output: the store at /var/lib/sayso is damaged: HUB/ASK2-00 lost 5,411 records: it ends at 5,423 but 10,834 were acknowledged. Restore a backup
}
