package natsstore_test

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// A constant is what something costs. Those that are measured name their figure.
type constant struct {
	name   string
	value  float64 // with room above the figure; 0: what the figure says
	unit   string
	figure string // in docs/records/figures.md, which must not say more; or where else it is from
}

// v returns the value. One that is measured is rounded up to two digits.
func (c constant) v() float64 {
	if c.value != 0 {
		return c.value
	}
	v := measuredFigures()[c.figure]
	if v == 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	return math.Ceil(v/unit-1e-9) * unit
}

// The constants of the calculation. Times of processors are of this machine's.
var (
	memory   = constant{"memory of a record in a server, open or closed", 350, "B", "P4-rss"}
	disk     = constant{"disk of a record in a server", 1400, "B", "P4-disk"}
	boot     = constant{"start after kill -9 without an index, for a million records", 3, "s", "B2"}
	oneNode  = constant{"a cycle over HTTP on one node, in its process, storage and audit included", 0, "ms", "G3-cpu"}
	gateways = constant{"a cycle over HTTP on three nodes, in the gateways", 0, "ms", "G3-nodes-cpu"}
	servers  = constant{"a cycle on three nodes, in the three servers together, audit included", 0, "ms", "G3-nodes-servers"}
	feeds    = constant{"2,000 open event streams at 100 asks/s", 0, "processors", "G4-feeds"}
	idle     = constant{"an ask, in a gateway without an interested client", 0, "µs", "G4-idle"}
	stream   = constant{"memory of an open event stream in its gateway", 32, "kB", "L1: 28.1 kB"}
	outage   = constant{"writes of a shard stand still when its leader is killed", 8, "s", "limits.md"}

	settled  = constant{"a closed ask whose asker has the outcome stays beside the open ones for", 15, "min", "hub.Resumable"}
	unread   = constant{"share of outcomes that their asker never fetches", 0.01, "", "chosen"}
	record   = constant{"a record on the wire, with its subject and headers", 1500, "B", "the asks of these figures"}
	slack    = constant{"memory and disk kept free for the garbage of both", 2, "x", "chosen"}
	busy     = constant{"share of the processors in use", 0.4, "", "chosen"}
	back     = constant{"a killed machine is to be back within", 90, "s", "chosen"}
	perShard = constant{"records in a shard", 2e6, "", "chosen; blocks of 4 MB are read whole"}
	cores    = constant{"processors of a machine", 8, "", "chosen"}
	ram      = constant{"memory of a machine", 64e9, "B", "chosen"}
	space    = constant{"disk of a machine", 1e12, "B", "chosen"}
	wire     = constant{"network of a machine", 1.25e9, "B/s", "chosen"}
)

func constants() []constant {
	return []constant{memory, disk, boot, oneNode, gateways, servers, feeds, idle, stream, outage,
		settled, unread, record, slack, busy, back, perShard, cores, ram, space, wire}
}

// A demand is what is to be carried.
type demand struct {
	name    string
	waiting float64       // asks that wait at the same time
	rate    float64       // cycles a second
	streams float64       // event streams that are open
	keep    time.Duration // setting keep: closed asks can be read for so long
	fetch   time.Duration // setting keep-unread: an outcome can be fetched for so long
}

const day = 24 * time.Hour

var demands = []demand{
	{"one person", 100, 0.01, 3, 30 * day, 30 * day},
	{"a team", 10_000, 1, 100, 30 * day, 30 * day},
	{"a company", 1e6, 100, 5_000, day, 30 * day},
	{"a service", 10e6, 5_000, 100_000, time.Hour, day},
	{"the largest", 100e6, 50_000, 1e6, 10 * time.Minute, day},
}

// A plan is what carries it: cells of three nodes, each with a copy of all records of its cell, and gateways in front.
type plan struct {
	open, closed  float64 // records: those that wait or may be fetched, and those that are kept
	shards, cells float64
	nodes, front  float64 // machines of the store, and of gateways
	memory, disk  float64 // of a node
	serverCores   float64 // of all cells, in use
	frontCores    float64
	frontMemory   float64 // of one gateway, for its streams
	network       float64 // bytes a second that a node sends to the other two and to the gateways
	back          float64 // seconds until a killed node has read its records
	audit         float64 // bytes a day, to be exported
	delayed       float64 // asks that wait for another leader when a node is killed
	hours         float64 // of machines, for a million asks
}

// An ask is written twice, asked and closed, and copied to the archive once. Each of the two is told to the gateways of
// the person and of the asker.
const (
	askWrites = 2
	askCopies = 1
	askTold   = 2
)

func (d demand) plan() plan {
	p := plan{
		open:   d.waiting + d.rate*(settled.v()*60+unread.v()*d.fetch.Seconds()),
		closed: d.rate * d.keep.Seconds(),
	}
	records := p.open + p.closed
	p.serverCores = d.rate * servers.v() / 1000
	usable := cores.v() * busy.v()
	p.cells = math.Ceil(max(
		records*boot.v()/1e6/back.v(),
		records*memory.v()*slack.v()/ram.v(),
		records*disk.v()*slack.v()/space.v(),
		p.serverCores/(3*usable),
	))
	told := d.streams * feeds.v() / 2000
	if p.cells > 1 || d.rate >= 10 {
		p.nodes = 3 * p.cells
		p.frontCores = d.rate*gateways.v()/1000 + told
		p.front = max(2*p.cells, math.Ceil(p.frontCores/usable), math.Ceil(d.streams*stream.v()*1000*slack.v()/ram.v()))
		p.frontCores += p.front * d.rate / p.cells * idle.v() / 1e6 // each gateway belongs to one cell
		p.frontMemory = d.streams / p.front * stream.v() * 1000
	} else {
		p.nodes, p.serverCores = 1, d.rate*oneNode.v()/1000+told // the gateway is in the same process
		p.frontMemory = d.streams * stream.v() * 1000
	}
	p.shards = max(math.Ceil(records/perShard.v()/p.cells), 16) * p.cells
	if p.nodes == 1 && d.rate < 0.1 {
		p.shards = 1 // the hub on your own machine
	}
	p.memory = records / p.cells * memory.v() * slack.v()
	p.disk = records / p.cells * disk.v() * slack.v()
	p.back = records / p.cells / 1e6 * boot.v()
	if p.nodes > 1 {
		perCell := d.rate / p.cells
		p.network = perCell * record.v() / 3 * (2*(askWrites+askCopies) + askWrites*askTold) // a third of the shards has its leader here
		p.delayed = perCell / 3 * outage.v()
	}
	p.audit = askCopies * d.rate * record.v() * day.Seconds()
	p.hours = (p.nodes + p.front) / (d.rate * 3600) * 1e6
	return p
}

// A limit is something of one cell of three nodes that is used up, and how far.
type limit struct {
	name string
	used float64 // of what there is
}

// limits returns how much of one cell, with two gateways, a demand takes.
func (d demand) limits() []limit {
	records := d.waiting + d.rate*(settled.v()*60+unread.v()*d.fetch.Seconds()+d.keep.Seconds())
	usable := cores.v() * busy.v()
	return []limit{
		{"processors of the store", d.rate * servers.v() / 1000 / (3 * usable)},
		{"processors of the gateways", (d.rate*gateways.v()/1000 + d.streams*feeds.v()/2000) / (2 * usable)},
		{"memory of a store machine", records * memory.v() * slack.v() / ram.v()},
		{"time until a killed machine is back", records / 1e6 * boot.v() / back.v()},
		{"disk of a store machine", records * disk.v() * slack.v() / space.v()},
		{"memory of a gateway, for streams", d.streams / 2 * stream.v() * 1000 * slack.v() / ram.v()},
		{"network of a store machine", d.rate * record.v() / 3 * (2*(askWrites+askCopies) + askWrites*askTold) / wire.v()},
	}
}

// company is what limits are told for, and multiples of it.
var company = demands[2]

func (d demand) times(f float64) demand {
	d.name, d.waiting, d.rate, d.streams = fmt.Sprintf("%.0f×", f), d.waiting*f, d.rate*f, d.streams*f
	return d
}

// TestScaleGrows: more never needs less.
func TestScaleGrows(t *testing.T) {
	t.Parallel()
	last := plan{}
	for exp := 3.0; exp <= 9; exp += 0.5 {
		n := math.Pow(10, exp)
		p := demand{"", n, n / 2000, n / 100, 10 * time.Minute, day}.plan()
		for _, pair := range [][2]float64{{last.open, p.open}, {last.shards, p.shards}, {last.nodes, p.nodes}, {last.front, p.front}, {last.frontCores, p.frontCores}} {
			if pair[1] < pair[0] {
				t.Errorf("10^%v asks: %+v, after %+v", exp, p, last)
				break
			}
		}
		if p.back > back.v() || p.memory > ram.v() || p.disk > space.v() || p.network > wire.v() || p.shards/p.cells*5*3 > 3000 {
			t.Errorf("10^%v asks: a node is overloaded: %+v", exp, p)
		}
		last = p
	}
}
