package natsstore_test

import (
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/app/engine/natsstore"
)

// TestFigure_G5 measures what the archive costs: asks a second with it over asks a second without it, in turns. A turn with
// the archive ends when everything that was closed in it is copied, on the disk, and the copying is part of its time. The
// ids are drawn by the hub; with ids of the asker (G5-256-named) each ask also looks whether the archive has it.
func TestFigure_G5(t *testing.T) {
	measure(t)
	srv, nc := serve(t)
	for _, named := range []bool{false, true} {
		kind, counts := "", []int{1, 16, 256}
		if named {
			kind, counts = "-named", []int{256}
		}
		with, s := loopArchive(t, nc, "with"+kind, natsstore.Options{Mark: srv}, named)
		without, _ := loopArchive(t, nc, "without"+kind, natsstore.Options{Mark: srv, NoAudit: true}, named)
		turns := 5
		if long() {
			turns = 15
		}
		for _, c := range counts {
			var sides [2]turn
			var ratios, cpu []float64
			for i := range turns {
				var one [2]turn
				for k := range one {
					if side := (i + k) % 2; side == 0 {
						one[0].copied(t, c, with, s)
					} else {
						one[1].slice(t, c, archiveTurn, without)
					}
				}
				ratios = append(ratios, one[0].rate()/one[1].rate())
				cpu = append(cpu, float64(one[0].cpuPerAsk())/float64(one[1].cpuPerAsk()))
				sides[0].add(&one[0])
				sides[1].add(&one[1])
			}
			t.Logf("%d%s at a time: with %v; without %v; ratios %.2f; processor %.2f", c, kind, &sides[0], &sides[1], ratios, cpu)
			say := func(what string, value float64, unit string) {
				figure(t, fmt.Sprintf("G5-%d%s%s", c, kind, what), strconv.FormatFloat(value, 'f', 2, 64), unit)
			}
			say("", quantile(ratios, 0.5), "ratio")
			say("-with", math.Round(sides[0].rate()), "asks/s")
			say("-without", math.Round(sides[1].rate()), "asks/s")
			say("-cpu", quantile(cpu, 0.5), "x")
		}
	}
}

// archiveTurn is several times as long as the store waits before it copies.
const archiveTurn = 4 * time.Second

// copied is slice, until everything is copied.
func (u *turn) copied(t *testing.T, c int, ask func(n uint64), s *natsstore.Store) {
	t.Helper()
	cpu, began := cpuTime(), time.Now()
	took := load(t, c, archiveTurn, ask)
	must(t, s.Copy(t.Context()))
	u.add(&turn{took: took, time: time.Since(began), cpu: cpuTime() - cpu})
}

// loopArchive asks through a hub whose store has the archive, or has not.
func loopArchive(t *testing.T, nc *nats.Conn, prefix string, o natsstore.Options, named bool) (func(n uint64), *natsstore.Store) {
	o.Prefix = prefix
	s := open(t, nc, &o)
	return loopOver(t, s, named), s
}
