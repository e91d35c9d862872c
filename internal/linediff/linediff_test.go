package linediff

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestUnified(t *testing.T) {
	for name, c := range map[string]struct {
		before, after, want string
		added, removed      int
	}{
		"same":           {"a\nb\n", "a\nb\n", "", 0, 0},
		"one line":       {"one\ntwo\nthree\n", "one\nTWO\nthree\n", "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n", 1, 1},
		"new":            {"", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n", 2, 0},
		"gone":           {"a\n", "", "@@ -1 +0,0 @@\n-a\n", 0, 1},
		"no line end":    {"a\n", "a", "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n", 1, 1},
		"carriage":       {"a\r\n", "a\n", "@@ -1 +1 @@\n-a\r\n+a\n", 1, 1},
		"two hunks":      {"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "x\n2\n3\n4\n5\n6\n7\n8\ny\n", "@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+y\n", 2, 2},
		"shared context": {"1\n2\n3\n4\n5\n6\n", "x\n2\n3\n4\n5\ny\n", "@@ -1,6 +1,6 @@\n-1\n+x\n 2\n 3\n 4\n 5\n-6\n+y\n", 2, 2},
	} {
		got, added, removed := Unified(c.before, c.after)
		if got != c.want || added != c.added || removed != c.removed {
			t.Errorf("%s: got +%d -%d\n%s\nwant +%d -%d\n%s", name, added, removed, got, c.added, c.removed, c.want)
		}
	}
}

// TestApplies applies diffs of random texts, also of texts that differ in more lines
// than the shortest diff is looked for.
func TestApplies(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	text := func(n, kinds int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "%d\n", rnd.IntN(kinds))
		}
		if rnd.IntN(3) == 0 {
			return strings.TrimSuffix(b.String(), "\n")
		}
		return b.String()
	}
	for i := range 3000 {
		n, kinds := rnd.IntN(40), 1+rnd.IntN(8)
		if i%500 == 0 {
			n, kinds = 4000, 1e9
		}
		before, after := text(n, kinds), text(n, kinds)
		diff, _, _ := Unified(before, after)
		if got := apply(t, before, diff); got != after {
			t.Fatalf("%q and %q:\n%s\ngive %q", before, after, diff, got)
		}
	}
}

// apply does what patch does.
func apply(t *testing.T, before, diff string) string {
	t.Helper()
	rest, out := lines(before), strings.Builder{}
	at := 0
	all := strings.SplitAfter(diff, "\n")
	for i, line := range all {
		if line == "" || strings.HasPrefix(line, `\`) {
			continue
		}
		body := line[1:]
		if i+1 < len(all) && strings.HasPrefix(all[i+1], `\`) {
			body = strings.TrimSuffix(body, "\n")
		}
		switch line[0] {
		case '@':
			from, n, _ := strings.Cut(strings.Fields(line)[1][1:], ",")
			first, err := strconv.Atoi(from)
			if err != nil {
				t.Fatal(err)
			}
			if n != "0" {
				first--
			}
			for ; at < first; at++ {
				out.WriteString(rest[at])
			}
		case ' ', '-':
			if rest[at] != body {
				t.Fatalf("line %d is %q, and the diff says %q", at, rest[at], body)
			}
			if at++; line[0] == ' ' {
				out.WriteString(body)
			}
		case '+':
			out.WriteString(body)
		}
	}
	for ; at < len(rest); at++ {
		out.WriteString(rest[at])
	}
	return out.String()
}

func FuzzUnified(f *testing.F) {
	f.Add("a\nb", "b\nc\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		diff, _, _ := Unified(before, after)
		if strings.Contains(before+after, "\n\\") || strings.HasPrefix(before, "\\") || strings.HasPrefix(after, "\\") {
			return // apply takes such a line for a mark
		}
		if got := apply(t, before, diff); got != after {
			t.Errorf("%q and %q:\n%s\ngive %q", before, after, diff, got)
		}
	})
}
