package storecheck

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// play is a small model of what the server does with the blocks of a stream.
type play struct {
	rand   *rand.Rand
	seq    uint64
	live   map[string]uint64 // the live record of each subject
	blocks [][]line
	dead   *deadSet
}

func newPlay(seed uint64) *play {
	return &play{rand: rand.New(rand.NewPCG(seed, 1)), live: map[string]uint64{}, blocks: make([][]line, 1), dead: newDead("")}
}

func (p *play) run(steps int) {
	for range steps {
		subjects := slices.Sorted(maps.Keys(p.live))
		pick := func() string { return subjects[p.rand.IntN(len(subjects))] }
		switch n := p.rand.IntN(10); {
		case n < 5 || len(subjects) == 0:
			p.write(fmt.Sprintf("s%d", p.seq+1))
		case n < 9:
			p.write(pick())
		default: // removed on purpose
			s := pick()
			p.last(line{seq: p.live[s], grave: true})
			delete(p.live, s)
		}
		if p.rand.IntN(8) == 0 {
			p.compact(p.rand.IntN(len(p.blocks)))
		}
	}
}

func (p *play) write(subject string) {
	p.seq++
	p.last(line{seq: p.seq, subject: subject, replaces: strconv.FormatUint(p.live[subject], 10), body: strings.Repeat("?", p.rand.IntN(500))})
	if old := p.live[subject]; old != 0 {
		p.dead.add(old)
	}
	p.live[subject] = p.seq
}

// last appends to the last block, and begins a new one when that is full.
func (p *play) last(l line) {
	if len(p.blocks[len(p.blocks)-1]) >= 8 {
		p.blocks = append(p.blocks, nil)
	}
	i := len(p.blocks) - 1
	p.blocks[i] = append(p.blocks[i], l)
}

// compact rewrites a block that is not the last without its dead records; tombstones stay while they are needed.
func (p *play) compact(i int) {
	if i == len(p.blocks)-1 {
		return
	}
	p.blocks[i] = slices.DeleteFunc(p.blocks[i], func(l line) bool { return !l.grave && p.live[l.subject] != l.seq })
}

// take takes one block away and returns how many live records up to last went with it.
func (p *play) take(last uint64) (n uint64) {
	i := p.rand.IntN(len(p.blocks))
	for _, l := range p.blocks[i] {
		if !l.grave && l.seq <= last && p.live[l.subject] == l.seq {
			n++
		}
	}
	p.blocks[i] = nil
	return n
}

func (d *deadSet) copy() *deadSet {
	c := newDead("")
	for n, p := range d.pages {
		q := *p
		c.pages[n] = &q
	}
	return c
}
