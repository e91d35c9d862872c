package cli

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// columns is a table that fits its terminal: one line for each row, cut with an
// ellipsis where it has to be.
type columns struct {
	head []column
	rows [][]string
}

// column is one of the columns. The last one takes what is left.
type column struct {
	title string // empty in every column of a table without a title line
	most  int    // its width at most; 0: as wide as its widest cell
	least int    // down to which it gives way; 0: it does not
}

const (
	gap       = 2
	leastLast = 24 // the last column has at least as many, if the others can give way
)

// fit returns the lines, none of them wider than width.
func (c *columns) fit(width int) string {
	rows := c.rows
	if c.head[0].title != "" {
		titles := make([]string, len(c.head))
		for i, h := range c.head {
			titles[i] = h.title
		}
		rows = append([][]string{titles}, rows...)
	}
	wide := make([]int, len(c.head))
	for _, row := range rows {
		for i, cell := range row {
			wide[i] = max(wide[i], ansi.StringWidth(sayso.SafeLine(cell)))
		}
	}
	last := len(c.head) - 1
	rest := width
	for i, h := range c.head[:last] {
		if h.most > 0 {
			wide[i] = min(wide[i], h.most)
		}
		rest -= wide[i] + gap
	}
	for i := last - 1; i >= 0 && rest < min(leastLast, wide[last]); i-- {
		if give := min(wide[i]-c.head[i].least, min(leastLast, wide[last])-rest); c.head[i].least > 0 && give > 0 {
			wide[i] -= give
			rest += give
		}
	}
	wide[last] = rest
	var lines []string
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			cell = ansi.Truncate(sayso.SafeLine(cell), max(wide[i], 0), "…")
			b.WriteString(cell)
			if i < last {
				b.WriteString(strings.Repeat(" ", wide[i]-ansi.StringWidth(cell)+gap))
			}
		}
		line := strings.TrimRight(b.String(), " ")
		lines = append(lines, ansi.Truncate(line, width, "…"))
	}
	return strings.Join(lines, "\n")
}

// tabs returns the rows for a program: whole, with tabs between the cells.
func (c *columns) tabs() string {
	var lines []string
	for _, row := range c.rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = sayso.SafeLine(cell)
		}
		lines = append(lines, strings.Join(cells, "\t"))
	}
	return strings.Join(lines, "\n")
}

// columns returns how wide a table may be: COLUMNS, or the width of the terminal.
func (p *program) columns() int {
	if n, err := strconv.Atoi(p.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f, ok := p.Out.(*os.File); ok {
		if w, _, err := term.GetSize(f.Fd()); err == nil && w > 0 {
			return w
		}
	}
	return 80
}

// Ids that the program made up are shortened to as many characters as nobody will
// meet twice: among 10,000 questions two begin alike once in 700 times, and then
// the commands say so. Ids that somebody chose stay as they are.
const shortID = len("ask_") + 7

// generated reports whether the program made the id up.
func generated(id string) bool {
	code, ok := strings.CutPrefix(id, "ask_")
	return ok && len(code) >= 20 && !strings.ContainsFunc(code, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz234567", r) })
}

// shortIDs returns for each ticket the shortest beginning of its id that no other
// of them has. In sorted order only the neighbors of an id can begin like it.
func shortIDs(tickets []*hub.Ticket) []string {
	short := make([]string, len(tickets))
	order := make([]int, len(tickets))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(tickets[a].Ask.ID, tickets[b].Ask.ID) })
	for k, i := range order {
		id, n := tickets[i].Ask.ID, shortID
		if !generated(id) {
			short[i] = id
			continue
		}
		for _, near := range []int{k - 1, k + 1} {
			if near >= 0 && near < len(order) {
				n = max(n, common(id, tickets[order[near]].Ask.ID)+1)
			}
		}
		short[i] = id[:min(n, len(id))]
	}
	return short
}

// common returns how many bytes two texts begin with alike.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
