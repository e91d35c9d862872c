package tui

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// The left edge of the screen belongs to the frame. Text of the asker begins
// behind it, so that no line of it can pass for one of ours.
const (
	blank   = "   "
	bar     = "▎"
	pointer = "❯"
)

// wrap breaks text into lines of at most w columns, at spaces where there are
// any. Styles go on from line to line.
func wrap(s string, w int) []string {
	w = max(w, 2) // a wide letter needs two
	return strings.Split(lipgloss.Wrap(s, w, ""), "\n")
}

// hardwrap breaks text that has a layout of its own, such as code, only where it
// must. Nothing is cut: what is pushed out of sight cannot be judged.
func hardwrap(s string, w int) []string {
	return strings.Split(ansi.Hardwrap(s, max(w, 2), true), "\n")
}

// cut shortens a line to w columns and marks that it did.
func cut(s string, w int) string { return ansi.Truncate(s, max(w, 0), "…") }

// oneLine shows text of the person on one line.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.TrimSpace(s), func(r rune) bool { return r == '\n' || r == '\r' }), " ⏎ ")
}

// squeeze makes runs of spaces single, so that a name cannot imitate the gap
// between two names.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// spread puts left and right at the two ends of a line of w columns, and cuts
// left where both do not fit.
func spread(left, right string, w int) string {
	if right == "" {
		return cut(left, w)
	}
	left = cut(left, w-ansi.StringWidth(right)-2)
	gap := max(w-ansi.StringWidth(left)-ansi.StringWidth(right), 0)
	return left + strings.Repeat(" ", gap) + right
}

// indent puts first before the first line and as many spaces before the others.
func indent(first string, lines []string) []string {
	rest := strings.Repeat(" ", ansi.StringWidth(first))
	out := make([]string, len(lines))
	for i, l := range lines {
		if i == 0 {
			out[i] = first + l
		} else {
			out[i] = rest + l
		}
	}
	return out
}

// prefix puts p before every line.
func prefix(p string, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = p + l
	}
	return out
}

// flow joins items with a separator into lines of at most w columns.
func flow(items []string, sep string, w int) []string {
	var lines []string
	line := ""
	for _, it := range items {
		switch {
		case line == "":
			line = it
		case ansi.StringWidth(line)+ansi.StringWidth(sep)+ansi.StringWidth(it) <= w:
			line += sep + it
		default:
			lines = append(lines, line)
			line = it
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	for i := range lines {
		lines[i] = cut(lines[i], w)
	}
	return lines
}
