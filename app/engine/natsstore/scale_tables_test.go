package natsstore_test

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestScale holds the tables of docs/records/scale.md to the calculation, and its constants to the figures.
func TestScale(t *testing.T) {
	measured := regexp.MustCompile(`^[A-Z]+[0-9][-a-zA-Z0-9]*$`)
	for _, c := range constants() {
		v, ok := measuredFigures()[c.figure]
		switch {
		case !ok && measured.MatchString(c.figure):
			t.Errorf("%s: there is no figure %s", c.name, c.figure)
		case ok && (v > c.v() || v < c.v()/4):
			t.Errorf("%s: calculated with %v, measured %v (%s)", c.name, c.v(), v, c.figure)
		}
	}
	const name = "../../../docs/records/scale.md"
	b, err := os.ReadFile(name)
	must(t, err)
	doc := between(t, string(b), "constants", constantsTable())
	doc = between(t, doc, "plans", plansTable())
	doc = between(t, doc, "limits", limitsTable())
	if *update {
		must(t, os.WriteFile(name, []byte(doc), 0o644))
	} else if doc != string(b) {
		t.Errorf("%s is not what is calculated; run with -update and read the difference", name)
	}
}

// measuredFigures reads the ids and values of docs/records/figures.md.
var measuredFigures = sync.OnceValue(func() map[string]float64 {
	b, err := os.ReadFile("../../../docs/records/figures.md")
	if err != nil {
		panic(err)
	}
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
})

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

// setting spells a duration as the settings file has it.
func setting(d time.Duration) string {
	if d < time.Hour {
		return fmt.Sprintf("%.0fm", d.Minutes())
	}
	return fmt.Sprintf("%.0fh", d.Hours())
}

func constantsTable() string {
	var b strings.Builder
	b.WriteString("| constant | value | from |\n|---|---|---|\n")
	for _, c := range constants() {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.name, short(c.v(), c.unit), c.figure)
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
	row("cycles a second", func(i int) string { return short(demands[i].rate, "") })
	row("open event streams", func(i int) string { return short(demands[i].streams, "") })
	row("closed asks can be read for", func(i int) string { return span(demands[i].keep) })
	row("an outcome can be fetched for", func(i int) string { return span(demands[i].fetch) })
	row("records, open or to be fetched", func(i int) string { return short(plans[i].open, "") })
	row("records, closed", func(i int) string { return short(plans[i].closed, "") })
	row("shards", func(i int) string { return short(plans[i].shards, "") })
	row("cells", func(i int) string { return short(plans[i].cells, "") })
	row("`sayso serve`, of a cell", func(i int) string {
		flags := fmt.Sprintf("--shards %.0f --keep %s --keep-unread %s", plans[i].shards/plans[i].cells, setting(demands[i].keep), setting(demands[i].fetch))
		if plans[i].nodes > 1 {
			flags += " --replicas 3"
		}
		return "`" + flags + "`"
	})
	row("machines for the store", func(i int) string { return short(plans[i].nodes, "") })
	row("machines for gateways", func(i int) string { return short(plans[i].front, "") })
	row("memory of a store machine", func(i int) string { return short(plans[i].memory, "B") })
	row("disk of a store machine", func(i int) string { return short(plans[i].disk, "B") })
	row("audit a day, of all", func(i int) string { return short(plans[i].audit, "B") })
	row("processors in use, store", func(i int) string { return short(plans[i].serverCores, "") })
	row("processors in use, gateways", func(i int) string { return short(plans[i].frontCores, "") })
	row("streams take, in each gateway", func(i int) string { return short(plans[i].frontMemory, "B") })
	row("a store machine sends", func(i int) string { return short(plans[i].network, "B/s") })
	row("a killed machine is back after", func(i int) string { return short(plans[i].back, "s") })
	row("asks that a killed machine delays", func(i int) string { return short(plans[i].delayed, "") })
	row("machine hours for a million asks", func(i int) string { return short(plans[i].hours, "") })
	return b.String()
}

// limitsTable says what one cell has no more of when the demand grows.
func limitsTable() string {
	all := []demand{company.times(1), company.times(10), company.times(100), company.times(1000)}
	var b strings.Builder
	row := func(name string, cell func(d demand) string) {
		b.WriteString("| " + name + " |")
		for _, d := range all {
			b.WriteString(" " + cell(d) + " |")
		}
		b.WriteString("\n")
	}
	row("of one cell with two gateways", func(d demand) string { return d.name })
	b.WriteString("|---" + strings.Repeat("|---", len(all)) + "|\n")
	row("waiting asks", func(d demand) string { return short(d.waiting, "") })
	row("cycles a second", func(d demand) string { return short(d.rate, "") })
	row("open event streams", func(d demand) string { return short(d.streams, "") })
	for i, l := range company.limits() {
		row(l.name, func(d demand) string { return share(d.limits()[i].used) })
	}
	row("breaks first", func(d demand) string {
		first := slices.MaxFunc(d.limits(), func(a, b limit) int { return cmp.Compare(a.used, b.used) })
		if first.used <= 1 {
			return "nothing"
		}
		return first.name
	})
	return b.String()
}

// share spells a share in percent; what is more than everything stands out.
func share(v float64) string {
	switch {
	case v < 0.01:
		return "< 1 %"
	case v <= 1:
		return fmt.Sprintf("%.0f %%", 100*v)
	}
	return "**" + short(v, "") + " ×**"
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
	case d > day:
		return fmt.Sprintf("%d days", d/day)
	case d >= time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d min", d/time.Minute)
}
