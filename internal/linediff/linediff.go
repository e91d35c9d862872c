// Package linediff says how one text becomes another, line by line, in the unified
// format that people know from diff and git.
//
// [Unified] is all of it. It shows every line that changes, whatever the texts are:
// applied to the first text, the result is the second, byte for byte. Where two
// texts differ in so many lines that the shortest diff would take long to find, it
// replaces all of them.
package linediff

import (
	"fmt"
	"strings"
)

const (
	context = 3   // lines around a change
	maxCost = 600 // changed lines up to which the shortest diff is looked for
)

// Unified returns the hunks of a unified diff from one text to the other, without
// the lines that name the files, and how many lines are added and removed. It is
// empty if the texts are the same.
func Unified(before, after string) (diff string, added, removed int) {
	if before == after {
		return "", 0, 0
	}
	a, b := lines(before), lines(after)
	edits := compare(a, b)
	for _, e := range edits {
		switch e.op {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	var out strings.Builder
	for start := 0; start < len(edits); {
		if edits[start].op == ' ' {
			start++
			continue
		}
		first, end := max(0, start-context), hunkEnd(edits, start)
		writeHunk(&out, edits[first:end])
		start = end
	}
	return out.String(), added, removed
}

// lines splits a text after each line feed, so that joining them gives it back.
func lines(s string) []string {
	all := strings.SplitAfter(s, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// edit is one line of a diff: kept, added or removed. The numbers are those of the
// line in both texts, from 0; that of the text which lacks it is the next one there.
type edit struct {
	op   byte
	text string
	a, b int
}

// compare returns the whole of both texts as one list of edits.
func compare(a, b []string) []edit {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var edits []edit
	at, bt := 0, 0
	add := func(op byte, n int) {
		for range n {
			e := edit{op: op, a: at, b: bt}
			if op == '+' {
				e.text = b[bt]
			} else {
				e.text = a[at]
			}
			if op != '+' {
				at++
			}
			if op != '-' {
				bt++
			}
			edits = append(edits, e)
		}
	}
	add(' ', head)
	for _, op := range script(a[head:len(a)-tail], b[head:len(b)-tail]) {
		add(op, 1)
	}
	add(' ', tail)
	return edits
}

// script returns one operation for each line, as Myers' algorithm finds them.
func script(a, b []string) []byte {
	n, m := len(a), len(b)
	limit := min(n+m, maxCost)
	reach := make([]int, 2*limit+3) // the furthest line of a, by diagonal
	var rounds [][]int
	for d := 0; d <= limit; d++ {
		for k := -d; k <= d; k += 2 {
			x := 0
			if k == -d || k != d && reach[limit+k] < reach[limit+k+2] {
				x = reach[limit+k+2]
			} else {
				x = reach[limit+k] + 1
			}
			for x < n && x-k < m && x-k >= 0 && a[x] == b[x-k] {
				x++
			}
			reach[limit+k+1] = x
			if x >= n && x-k >= m {
				return backtrack(append(rounds, append([]int(nil), reach...)), n, m, limit)
			}
		}
		rounds = append(rounds, append([]int(nil), reach...))
	}
	return []byte(strings.Repeat("-", n) + strings.Repeat("+", m))
}

// backtrack reads the operations from what was reached in each round.
func backtrack(rounds [][]int, x, y, limit int) []byte {
	var ops []byte
	for d := len(rounds) - 1; d > 0; d-- {
		before := rounds[d-1]
		k := x - y
		from := k - 1
		if k == -d || k != d && before[limit+k] < before[limit+k+2] {
			from = k + 1
		}
		px := before[limit+from+1]
		py := px - from
		for x > px && y > py {
			ops = append(ops, ' ')
			x, y = x-1, y-1
		}
		if from == k+1 {
			ops = append(ops, '+')
		} else {
			ops = append(ops, '-')
		}
		x, y = px, py
	}
	for range x {
		ops = append(ops, ' ')
	}
	for i, j := 0, len(ops)-1; i < j; i, j = i+1, j-1 {
		ops[i], ops[j] = ops[j], ops[i]
	}
	return ops
}

// hunkEnd returns where the hunk ends that has the change at start: changes with
// few lines between them share one.
func hunkEnd(edits []edit, start int) int {
	last := start
	for i := start; i < len(edits) && i-last <= 2*context; i++ {
		if edits[i].op != ' ' {
			last = i
		}
	}
	return min(last+1+context, len(edits))
}

func writeHunk(out *strings.Builder, edits []edit) {
	var a, b int
	for _, e := range edits {
		if e.op != '+' {
			a++
		}
		if e.op != '-' {
			b++
		}
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", span(edits[0].a, a), span(edits[0].b, b))
	for _, e := range edits {
		out.WriteByte(e.op)
		out.WriteString(e.text)
		if !strings.HasSuffix(e.text, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// span spells where a hunk is in a text. One without lines begins before its line.
func span(first, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", first)
	case 1:
		return fmt.Sprint(first + 1)
	}
	return fmt.Sprintf("%d,%d", first+1, n)
}
