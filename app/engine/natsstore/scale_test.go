package natsstore_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A constant is what something costs. Those that are measured name their figure.
type constant struct {
	name   string
	value  float64
	unit   string
	figure string // in docs/records/figures.md, which must not say more; or where else it is from
}

// The constants of the calculation. Times of processors are of this machine's.
var (
	memory   = constant{"memory of a record in a server", 350, "B", "P4-rss"}
	disk     = constant{"disk of a record in a server", 1400, "B", "P4-disk"}
	boot     = constant{"start after kill -9 without an index, for a million records", 3, "s", "B2"}
	server   = constant{"an ask, in the servers of three nodes together", 300, "µs", "P1-nodes-256-servers"}
	client   = constant{"an ask, in the hub that it goes through", 150, "µs", "P1-nodes-256-time"}
	listener = constant{"an ask, in every other hub of the cell", 40, "µs", "P1-listener"}
	outage   = constant{"writes of a shard stand still when its leader is killed", 8, "s", "limits.md"}

	httpAdds = constant{"HTTP and JSON, as a multiple of the hub", 1, "x", "P6: half the asks a second"}
	record   = constant{"a record on the wire, with its subject and headers", 1500, "B", "the asks of these figures"}
	slack    = constant{"memory and disk kept free for the garbage of both", 2, "x", "chosen"}
	busy     = constant{"share of the processors in use", 0.4, "", "chosen"}
	perShard = constant{"records in a shard", 2e6, "", "natsstore.Options.MaxAsks"}
	perCell  = constant{"records in a cell, so that a node is back in a minute", 32e6, "", "chosen"}
	cores    = constant{"processors of a machine", 8, "", "chosen"}
	ram      = constant{"memory of a machine", 64e9, "B", "chosen"}
)

func constants() []constant {
	return []constant{memory, disk, boot, server, client, listener, outage, httpAdds, record, slack, busy, perShard, perCell, cores, ram}
}

// A demand is what is to be carried.
type demand struct {
	name    string
	waiting float64       // asks that wait at the same time
	rate    float64       // asks a second
	keep    time.Duration // hub.Options.Keep, of closed asks
}

var demands = []demand{
	{"one person", 100, 0.01, 7 * 24 * time.Hour},
	{"a team", 10_000, 1, 7 * 24 * time.Hour},
	{"a company", 1e6, 100, 24 * time.Hour},
	{"a service", 10e6, 5_000, time.Hour},
	{"the largest", 100e6, 50_000, 10 * time.Minute},
}

// A plan is what carries it: cells of three nodes, each with a copy of all records of its cell, and hubs in front.
type plan struct {
	live          float64 // records, waiting or kept
	shards, cells float64
	nodes, hubs   float64
	memory, disk  float64 // of a node
	serverCores   float64 // of all cells, in use
	hubCores      float64
	network       float64 // bytes a second that a node sends to the other two and to the hubs
	back          float64 // seconds until a killed node has read its records
	audit         float64 // bytes a day, to be exported
	delayed       float64 // asks that wait for another leader when a node is killed
	hours         float64 // of machines, for a million asks
}

func (d demand) plan() plan {
	p := plan{live: d.waiting + d.rate*d.keep.Seconds()}
	p.serverCores = d.rate * server.value / 1e6
	p.cells = math.Ceil(max(
		p.live/perCell.value,
		p.live*memory.value*slack.value/ram.value,
		p.serverCores/(3*cores.value*busy.value),
	))
	own := d.rate * client.value * (1 + httpAdds.value) / 1e6
	if p.cells > 1 || d.rate >= 10 {
		p.nodes = 3 * p.cells
		// A hub belongs to one cell, and hears of all its asks.
		heard := d.rate / p.cells * listener.value / 1e6
		free := cores.value*busy.value - heard
		p.hubs = p.cells * max(2, math.Ceil(own/p.cells/free))
		p.hubCores = own + p.hubs*heard
	} else {
		p.nodes, p.hubCores = 1, own // the hub is in the same process
	}
	p.shards = max(math.Ceil(p.live/perShard.value/p.cells), 1) * p.cells
	p.memory = p.live / p.cells * memory.value * slack.value
	p.disk = p.live / p.cells * disk.value * slack.value
	p.back = p.live / p.cells / 1e6 * boot.value
	if p.nodes > 1 {
		perCell := d.rate / p.cells
		p.network = 2 * perCell * record.value / 3 * (2 + p.hubs/p.cells) // a third of the shards has its leader here
		p.delayed = perCell / 3 * outage.value
	}
	p.audit = 2 * d.rate * record.value * (24 * time.Hour).Seconds() // asked and closed
	p.hours = (p.nodes + p.hubs) / (d.rate * 3600) * 1e6
	return p
}

// TestScale holds the tables of docs/records/scale.md to the calculation, and its constants to the figures.
func TestScale(t *testing.T) {
	figures := measuredFigures(t)
	for _, c := range constants() {
		if v, ok := figures[c.figure]; ok && (v > c.value || v < c.value/3) {
			t.Errorf("%s: calculated with %v, measured %v (%s)", c.name, c.value, v, c.figure)
		} else if !ok && strings.HasPrefix(c.figure, "P") && !strings.Contains(c.figure, ":") {
			t.Errorf("%s: there is no figure %s", c.name, c.figure)
		}
	}
	const name = "../../../docs/records/scale.md"
	b, err := os.ReadFile(name)
	must(t, err)
	doc := between(t, string(b), "constants", constantsTable())
	doc = between(t, doc, "plans", plansTable())
	if *update {
		must(t, os.WriteFile(name, []byte(doc), 0o644))
	} else if doc != string(b) {
		t.Errorf("%s is not what is calculated; run with -update and read the difference", name)
	}
}

// TestScaleGrows: more never needs less.
func TestScaleGrows(t *testing.T) {
	t.Parallel()
	last := plan{}
	for exp := 3.0; exp <= 9; exp += 0.5 {
		p := demand{"", math.Pow(10, exp), math.Pow(10, exp) / 2000, 10 * time.Minute}.plan()
		for _, pair := range [][2]float64{{last.live, p.live}, {last.shards, p.shards}, {last.nodes, p.nodes}, {last.hubs, p.hubs}, {last.hubCores, p.hubCores}} {
			if pair[1] < pair[0] {
				t.Errorf("10^%v asks: %+v, after %+v", exp, p, last)
				break
			}
		}
		if p.back > 120 || p.memory > ram.value || p.shards/p.cells*4*3 > 3000 {
			t.Errorf("10^%v asks: a node is overloaded: %+v", exp, p)
		}
		last = p
	}
}

// measuredFigures reads the ids and values of docs/records/figures.md.
func measuredFigures(t *testing.T) map[string]float64 {
	t.Helper()
	b, err := os.ReadFile("../../../docs/records/figures.md")
	must(t, err)
	all := map[string]float64{}
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		if v, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(cells[2]), ",", ""), 64); err == nil {
			all[strings.TrimSpace(cells[1])] = v
		}
	}
	return all
}

// between puts a text between the two marks of that name.
func between(t *testing.T, doc, name, text string) string {
	t.Helper()
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
	before, rest, ok1 := strings.Cut(doc, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("the marks of %s are missing", name)
	}
	return before + begin + text + end + after
}

func constantsTable() string {
	var b strings.Builder
	b.WriteString("| constant | value | from |\n|---|---|---|\n")
	for _, c := range constants() {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.name, short(c.value, c.unit), c.figure)
	}
	return b.String()
}

func plansTable() string {
	var plans []plan
	for _, d := range demands {
		plans = append(plans, d.plan())
	}
	var b strings.Builder
	row := func(name string, cell func(i int) string) {
		b.WriteString("| " + name + " |")
		for i := range demands {
			b.WriteString(" " + cell(i) + " |")
		}
		b.WriteString("\n")
	}
	row("", func(i int) string { return demands[i].name })
	b.WriteString("|---" + strings.Repeat("|---", len(demands)) + "|\n")
	row("waiting asks", func(i int) string { return short(demands[i].waiting, "") })
	row("asks a second", func(i int) string { return short(demands[i].rate, "") })
	row("closed asks are kept for", func(i int) string { return span(demands[i].keep) })
	row("records", func(i int) string { return short(plans[i].live, "") })
	row("shards", func(i int) string { return short(plans[i].shards, "") })
	row("cells", func(i int) string { return short(plans[i].cells, "") })
	row("machines for the store", func(i int) string { return short(plans[i].nodes, "") })
	row("machines for hubs", func(i int) string { return short(plans[i].hubs, "") })
	row("memory of a store machine", func(i int) string { return short(plans[i].memory, "B") })
	row("disk of a store machine", func(i int) string { return short(plans[i].disk, "B") })
	row("audit a day, of all", func(i int) string { return short(plans[i].audit, "B") })
	row("processors in use, store", func(i int) string { return short(plans[i].serverCores, "") })
	row("processors in use, hubs", func(i int) string { return short(plans[i].hubCores, "") })
	row("a store machine sends", func(i int) string { return short(plans[i].network, "B/s") })
	row("a killed machine is back after", func(i int) string { return short(plans[i].back, "s") })
	row("asks that a killed machine delays", func(i int) string { return short(plans[i].delayed, "") })
	row("machine hours for a million asks", func(i int) string { return short(plans[i].hours, "") })
	return b.String()
}

// short spells an amount with two digits that count: 1.3 MB.
func short(v float64, unit string) string {
	if v > 0 && v < 0.01 {
		return strings.TrimSpace("< 0.01 " + unit)
	}
	prefix := ""
	for _, p := range []string{"k", "M", "G", "T"} {
		if v < 999.5 {
			break
		}
		v, prefix = v/1000, p
	}
	digits := 0
	if v != math.Round(v) {
		digits = max(1-int(math.Floor(math.Log10(v))), 0)
	}
	return strings.TrimSpace(strconv.FormatFloat(v, 'f', digits, 64) + " " + prefix + unit)
}

func span(d time.Duration) string {
	switch {
	case d > 24*time.Hour:
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	case d >= time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d min", d/time.Minute)
}
