package stats

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
)

// The questions in testdata/lint.txt are marked with the rules that a careful reader
// finds. The linter may differ from the reader where the table says so: a line that
// begins with "!" is known to be judged wrongly.
func TestLint(t *testing.T) {
	f, err := os.Open("testdata/lint.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var right, wrong, missed, texts, known int
	for s, n := bufio.NewScanner(f), 1; s.Scan(); n++ {
		line := s.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		line, differs := strings.CutPrefix(line, "!")
		rules, text, ok := strings.Cut(line, "|")
		if !ok {
			t.Fatalf("line %d: %q has no |", n, line)
		}
		text, options, _ := strings.Cut(text, "|")
		q := sayso.Question{ID: "q1", Text: strings.ReplaceAll(strings.TrimSpace(text), `\n`, "\n")}
		for _, l := range strings.Split(options, ";") {
			l, multi := strings.CutPrefix(strings.TrimSpace(l), "+")
			if q.Multi = q.Multi || multi; l != "" {
				q.Options = append(q.Options, sayso.Option{ID: fmt.Sprint("o", len(q.Options)), Label: l})
			}
		}
		if strings.Contains(text, "LONG") {
			q.Text = strings.Repeat("A long text about the matter. ", 12) + "Which?"
		}
		want, got := strings.Fields(rules), []string{}
		for _, f := range Lint(&sayso.Ask{Questions: []sayso.Question{q}}) {
			got = append(got, string(f.Rule))
		}
		texts++
		for _, r := range got {
			if slices.Contains(want, r) {
				right++
			} else {
				wrong++
			}
		}
		for _, r := range want {
			if !slices.Contains(got, r) {
				missed++
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if same := slices.Equal(want, got); same == differs {
			t.Errorf("line %d: %q: found %q, a reader %q (known to differ: %v)", n, q.Text, got, want, differs)
		} else if differs {
			known++
		}
	}
	if texts < 60 {
		t.Errorf("only %d texts", texts)
	}
	t.Logf("%d texts, %d judged wrongly: precision %.3f, recall %.3f", texts, known, float64(right)/float64(right+wrong), float64(right)/float64(right+missed))
	if float64(right) < 0.95*float64(right+wrong) {
		t.Errorf("%d of %d findings are wrong", wrong, right+wrong)
	}
}

// Approvals are not the agent's words, and hostile text ends.
func TestLintLeavesAlone(t *testing.T) {
	q := sayso.Question{ID: "q1", Text: "Should I continue?"}
	if f := Lint(&sayso.Ask{Questions: []sayso.Question{q}, Approval: &sayso.Approval{Kind: sayso.ApproveShell}}); f != nil {
		t.Errorf("an approval: %v", f)
	}
	for _, text := range []string{strings.Repeat("a or ", 100_000), strings.Repeat("`(", 50_000), strings.Repeat("? ", 50_000), "\xff\xfe?", "", "?"} {
		Lint(&sayso.Ask{Questions: []sayso.Question{{ID: "q1", Text: text}}})
	}
}

func FuzzLint(f *testing.F) {
	f.Add("Should I use A or B?", "A;B")
	f.Fuzz(func(t *testing.T, text, labels string) {
		q := sayso.Question{ID: "q1", Text: text}
		for i, l := range strings.Split(labels, ";") {
			q.Options = append(q.Options, sayso.Option{ID: fmt.Sprint(i), Label: l})
		}
		for _, f := range Lint(&sayso.Ask{Questions: []sayso.Question{q}}) {
			if !slices.Contains(Rules(), f.Rule) {
				t.Errorf("rule %q is not listed", f.Rule)
			}
		}
	})
}

func BenchmarkLint(b *testing.B) {
	a := &sayso.Ask{Questions: []sayso.Question{{ID: "q1", Text: "The tests fail on Windows. Should I skip them there, or mark them as flaky?", Options: []sayso.Option{{ID: "a", Label: "Skip them"}, {ID: "b", Label: "Mark them"}}}}}
	for b.Loop() {
		Lint(a)
	}
}
