package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

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

// columns is how many columns a text may take. Terminals disagree about characters that
// join others, such as vowels of Indic scripts, Thai AM and skin tones: some draw them
// apart. Everything here counts with those, so that no line reaches beyond the edge and
// goes on in the columns of the frame.
func columns(s string) (n int) {
	if !joined(s) {
		return ansi.StringWidth(s)
	}
	var state byte
	for s != "" {
		char, w, length, next := ansi.DecodeSequence(s, state, nil)
		n += apart(char, w)
		s, state = s[length:], next
	}
	return n
}

// joined reports whether a text may have characters that join others. They come after
// the Latin ones.
func joined(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 0x300 && !unicode.In(r, unicode.P, unicode.S) || r >= 0x1f1e6 })
}

// apart is how many columns a character of w columns takes in a terminal that draws
// its parts one by one.
func apart(char string, w int) int {
	if w == 0 || utf8.RuneCountInString(char) == 1 {
		return w
	}
	n := 0
	for _, r := range char {
		if !unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
			n += max(ansi.StringWidth(string(r)), 1)
		}
	}
	return max(n, w)
}

// wrap breaks text into lines of at most w columns, at spaces where there are
// any. Styles go on from line to line.
func wrap(s string, w int) []string {
	w = max(w, 2) // a wide letter needs two
	s = lipgloss.Wrap(s, w, "")
	if narrow := narrow(s, w, true); narrow != s {
		s = lipgloss.Wrap(narrow, w, "") // for the styles
	}
	return strings.Split(s, "\n")
}

// hardwrap breaks text that has a layout of its own, such as code, only where it
// must. Nothing is cut: what is pushed out of sight cannot be judged.
func hardwrap(s string, w int) []string {
	w = max(w, 2)
	return strings.Split(narrow(ansi.Hardwrap(s, w, true), w, false), "\n")
}

// narrow breaks the lines that may take more than w columns.
func narrow(s string, w int, atSpaces bool) string {
	if !joined(s) {
		return s
	}
	var out []byte
	var state byte
	col, space, after := 0, -1, 0 // where the last space of the line is, and the column behind it
	for s != "" {
		char, width, length, next := ansi.DecodeSequence(s, state, nil)
		n := apart(char, width)
		if col > 0 && col+n > w {
			if space >= 0 {
				out[space] = '\n'
				col -= after
			} else {
				out, col = append(out, '\n'), 0
			}
			space = -1
		}
		out = append(out, char...)
		col += n
		switch {
		case char == "\n":
			col, space = 0, -1
		case char == " " && atSpaces:
			space, after = len(out)-1, col
		}
		s, state = s[length:], next
	}
	return string(out)
}

// cut shortens a line to w columns and marks that it did.
func cut(s string, w int) string {
	w = max(w, 0)
	t := ansi.Truncate(s, w, "…")
	for at := min(ansi.StringWidth(t), w) - 1; columns(t) > w && at >= 0; at-- {
		t = ansi.Truncate(s, at, "…")
	}
	return t
}

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
	left = cut(left, w-columns(right)-2)
	gap := max(w-columns(left)-columns(right), 0)
	return left + strings.Repeat(" ", gap) + right
}

// indent puts first before the first line and as many spaces before the others.
func indent(first string, lines []string) []string {
	rest := strings.Repeat(" ", columns(first))
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
		case columns(line)+columns(sep)+columns(it) <= w:
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
