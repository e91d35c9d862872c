package tui

import (
	"bytes"
	"math"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// columnGap is between two columns of a table.
const columnGap = 2

// table draws a table in columns, or if it is too wide for them, each row below the
// other, cell by cell with the head of its column.
func (d *drawing) table(n *extast.Table, w int) []string {
	rows := d.cells(n)
	wide, total := make([]int, len(rows[0])), -columnGap
	for i := range wide {
		for _, row := range rows {
			wide[i] = max(wide[i], columns(row[i]))
		}
		total += wide[i] + columnGap
	}
	if total > w {
		return d.stacked(rows, w)
	}
	var lines []string
	for r, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			space := strings.Repeat(" ", wide[i]-columns(cell))
			if i < len(n.Alignments) && n.Alignments[i] == extast.AlignRight {
				cell, space = space+cell, ""
			}
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(space + strings.Repeat(" ", columnGap))
			}
		}
		lines = append(lines, b.String())
		if r == 0 {
			lines = append(lines, d.look.dim.Render(strings.Repeat("─", max(total, 1))))
		}
	}
	return lines
}

// hidesCells reports whether a row has more cells than the head of its table. As a
// table they would not be shown.
func (d *drawing) hidesCells(doc ast.Node) bool {
	hidden := false
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		t, ok := n.(*extast.Table)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		for r := t.FirstChild(); r != nil; r = r.NextSibling() {
			hidden = hidden || d.cellsIn(r) > t.FirstChild().ChildCount()
		}
		return ast.WalkSkipChildren, nil
	})
	return hidden
}

// cellsIn counts the cells of a row as it was written; a row that cannot be found,
// since the cells of the table are empty in it, could have any number.
func (d *drawing) cellsIn(row ast.Node) int {
	for c := row.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Lines() == nil || c.Lines().Len() == 0 {
			continue
		}
		at := c.Lines().At(0)
		if at.Start == at.Stop {
			continue
		}
		from := bytes.LastIndexByte(d.source[:at.Start], '\n') + 1
		line, _, _ := bytes.Cut(d.source[from:], []byte("\n"))
		line = bytes.TrimRight(bytes.TrimLeft(line, " \t>"), " \t")
		s := strings.ReplaceAll(string(line), `\|`, "")
		return strings.Count(strings.TrimSuffix(strings.TrimPrefix(s, "|"), "|"), "|") + 1
	}
	return math.MaxInt
}

// cells returns the text of the cells, row by row, the head first. Every row has as
// many as the head.
func (d *drawing) cells(n *extast.Table) [][]string {
	var rows [][]string
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		style := d.look.plain
		if _, head := r.(*extast.TableHeader); head {
			style = style.Bold(true)
		}
		var row []string
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			row = append(row, strings.ReplaceAll(d.inline(c, style), "\n", " "))
		}
		if len(rows) > 0 {
			for len(row) < len(rows[0]) {
				row = append(row, "")
			}
			row = row[:len(rows[0])]
		}
		rows = append(rows, row)
	}
	return rows
}

// stacked draws a table that is wider than the window. A table without rows is its
// head.
func (d *drawing) stacked(rows [][]string, w int) []string {
	var lines []string
	if len(rows) == 1 {
		for _, cell := range rows[0] {
			lines = append(lines, wrap(cell, w)...)
		}
		return lines
	}
	for r, row := range rows[1:] {
		if r > 0 {
			lines = append(lines, "")
		}
		for i, cell := range row {
			head := rows[0][i]
			switch {
			case cell == "" && head == "":
				continue
			case head == "":
				lines = append(lines, wrap(cell, w)...)
			case columns(head)+2 > w/2:
				lines = append(lines, wrap(head+":", w)...)
				lines = append(lines, prefix("  ", wrap(cell, w-2))...)
			default:
				lines = append(lines, indent(head+": ", wrap(cell, w-columns(head)-2))...)
			}
		}
	}
	return lines
}
