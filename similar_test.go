package sayso

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// pair is one line of the corpus: two questions, and whether a person who is asked
// the one wants to see the answer to the other.
type pair struct {
	Label string   `json:"label"` // same, similar or different
	Half  string   `json:"half"`  // tune or held
	Why   string   `json:"why"`
	A     pairText `json:"a"`
	B     pairText `json:"b"`
}

type pairText struct {
	Header  string   `json:"header"`
	Text    string   `json:"text"`
	Body    string   `json:"body"`
	Options []string `json:"options"`
}

func (p pairText) ask() *Ask {
	q := Question{Header: p.Header, Text: p.Text, Body: p.Body}
	for _, o := range p.Options {
		label, description, _ := strings.Cut(o, " — ")
		q.Options = append(q.Options, Option{Label: label, Description: description})
	}
	a := &Ask{Questions: []Question{q}}
	a.Normalize()
	return a
}

func readPairs(t *testing.T) []pair {
	data, err := os.ReadFile("testdata/precedents/pairs.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []pair
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// tally counts what the measure gets right of one half of the corpus.
type tally struct {
	pairs, shown, rightly, wanted int
	reusable, wrong               int // answers that could be reused, and those among them that must not be
}

func (y tally) precision() float64 { return float64(y.rightly) / float64(max(1, y.shown)) }
func (y tally) recall() float64    { return float64(y.rightly) / float64(max(1, y.wanted)) }

func (y tally) String() string {
	return fmt.Sprintf("%d pairs: precision %.3f (%d of %d shown), recall %.3f (of %d), reusable %d, wrongly %d",
		y.pairs, y.precision(), y.rightly, y.shown, y.recall(), y.wanted, y.reusable, y.wrong)
}

func judge(t *testing.T, half string) tally {
	var y tally
	for i, p := range readPairs(t) {
		if p.Half != half {
			continue
		}
		l := Alike(p.A.ask(), p.B.ask())
		shown, wanted := l.Score >= AlikeEnough, p.Label != "different"
		y.pairs++
		if wanted {
			y.wanted++
		}
		if shown {
			y.shown++
		}
		if shown && wanted {
			y.rightly++
		}
		if shown && len(l.Differs) == 0 {
			y.reusable++
			if !wanted {
				y.wrong++
			}
		}
		if shown != wanted && os.Getenv("SHOW") == half {
			t.Logf("%d %s (%s) %.2f %v\n\t%s %v\n\t%s %v", i, p.Label, p.Why, l.Score, l.Differs, p.A.Text, p.A.Options, p.B.Text, p.B.Options)
		}
	}
	return y
}

// The floors are what is on record in docs/records/figures.md.
func TestAlikeCorpus(t *testing.T) {
	all := readPairs(t)
	if len(all) != 200 {
		t.Errorf("%d pairs, not 200", len(all))
	}
	for half, floor := range map[string]struct{ precision, recall float64 }{"tune": {0.98, 0.96}, "held": {0.98, 0.94}} {
		y := judge(t, half)
		t.Log(half, y)
		if y.pairs != 100 {
			t.Errorf("%s: %d pairs, not 100", half, y.pairs)
		}
		if y.precision() < floor.precision || y.recall() < floor.recall {
			t.Errorf("%s: %v; the floors are %v", half, y, floor)
		}
		if y.wrong > 0 {
			t.Errorf("%s: %d answers could be reused for a different question", half, y.wrong)
		}
	}
}

func TestFigure_PRECEDENT(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	for _, half := range []string{"tune", "held"} {
		y := judge(t, half)
		t.Logf("FIGURE PRECEDENT-%s-precision %.3f of-shown", half, y.precision())
		t.Logf("FIGURE PRECEDENT-%s-recall %.3f of-wanted", half, y.recall())
		t.Logf("FIGURE PRECEDENT-%s-pairs %d pairs", half, y.pairs)
	}
}

// What must hold of any two questions, and what the corpus does not say.
func TestAlikeRules(t *testing.T) {
	all := readPairs(t)
	for i, p := range all {
		a, b := p.A.ask(), p.B.ask()
		if x, y := Alike(a, b), Alike(b, a); x.Score != y.Score || !slices.Equal(x.Differs, y.Differs) {
			t.Errorf("pair %d: %v one way, %v the other", i, x, y)
		}
		if l := Alike(a, p.A.ask()); l.Score != 1 || l.Differs != nil {
			t.Errorf("pair %d: not like itself: %v", i, l)
		}
	}
	one := func(text, body string, labels ...string) *Ask {
		return pairText{Text: text, Body: body, Options: labels}.ask()
	}
	for _, c := range []struct {
		name   string
		a, b   *Ask
		reused bool
	}{
		{"the descriptions say the opposite",
			one("Which mode?", "", "Mode A — enable the cache in tests", "Mode B — plain"),
			one("Which mode?", "", "Mode A — disable the cache in tests", "Mode B — plain"), false},
		{"the bodies are about other things",
			one("Which storage engine should the service use?", "It holds sessions of users for an hour.", "Redis", "Disk"),
			one("Which storage engine should the service use?", "Invoices have to be kept ten years for auditors.", "Redis", "Disk"), false},
		{"another word in a long question without options",
			one("Should the nightly job remove old builds from the shared artifact storage of team alpha?", "", "Yes", "No"),
			one("Should the nightly job remove old builds from the shared artifact storage of team beta?", "", "Yes", "No"), false},
		{"a number among the options does not matter",
			one("How many workers should start?", "", "2", "4"), one("How many workers should start?", "", "4", "8", "2"), true},
	} {
		l := Alike(c.a, c.b)
		if got := l.Score >= AlikeEnough && len(l.Differs) == 0; got != c.reused {
			t.Errorf("%s: can be reused: %v (%+v)", c.name, got, l)
		}
	}
	two := &Ask{Questions: append(slices.Clone(one("Which database?", "", "PostgreSQL").Questions), one("Which cache?", "", "Redis").Questions...)}
	if l := Alike(two, one("Which database?", "", "PostgreSQL")); len(l.Differs) == 0 {
		t.Errorf("two questions are answered by the answer to one: %+v", l)
	}
}

func TestAlikeApprovals(t *testing.T) {
	call := func(tool, input, cwd, why string) *Ask {
		p := NewApproval(ApproveShell, tool, []byte(input), &ApprovalOptions{Command: "command"})
		p.Cwd, p.Why, p.Offers = cwd, []string{why}, []Offer{{Act: ActAllow}, {Act: ActDeny}}
		a := &Ask{Kind: AskApproval, Approval: p}
		a.Normalize()
		return a
	}
	earlier := call("Bash", `{"command":"rm -rf build"}`, "/src", "a rule says ask")
	for _, c := range []struct {
		name          string
		b             *Ask
		shown, reused bool
	}{
		{"the same call", call("Bash", `{"command":"rm -rf build"}`, "/src", "a rule says ask"), true, true},
		{"asked for another reason", call("Bash", `{"command":"rm -rf build"}`, "/src", "outside the sandbox"), true, false},
		{"another letter", call("Bash", `{"command":"rm -rf built"}`, "/src", "a rule says ask"), false, false},
		{"another place", call("Bash", `{"command":"rm -rf build"}`, "/", "a rule says ask"), false, false},
		{"another tool", call("Shell", `{"command":"rm -rf build"}`, "/src", "a rule says ask"), false, false},
		{"a question", pairText{Text: "rm -rf build", Options: []string{"Allow", "Deny"}}.ask(), false, false},
	} {
		l := Alike(earlier, c.b)
		if shown := l.Score >= AlikeEnough; shown != c.shown || shown && (len(l.Differs) == 0) != c.reused {
			t.Errorf("%s: %+v", c.name, l)
		}
	}
}

func FuzzAlike(f *testing.F) {
	for _, p := range [][4]string{
		{"Delete `x`?", "Delete y?", "a\n```\nb\n```", "--force"}, {"ä", "ae", "a\u0308", ""}, {"''", "'", "/", "//"}, {"--", "n't", "#2", "2"},
	} {
		f.Add(p[0], p[1], p[2], p[3])
	}
	f.Fuzz(func(t *testing.T, x, y, u, v string) {
		a, b := pairText{Text: x, Body: u, Options: []string{y, v}}.ask(), pairText{Text: y, Body: v, Options: []string{x, u}}.ask()
		l, r := Alike(a, b), Alike(b, a)
		if l.Score != r.Score || l.Score < 0 || l.Score > 1+1e-9 || !slices.Equal(l.Differs, r.Differs) {
			t.Errorf("%v and %v", l, r)
		}
	})
}

func BenchmarkAlike(b *testing.B) {
	x := pairText{Text: "Which database should the user service use for its sessions?", Body: strings.Repeat("It holds sessions. ", 40), Options: []string{"PostgreSQL", "SQLite", "Redis"}}.ask()
	y := pairText{Text: "Which database should the invoice service use?", Body: strings.Repeat("Invoices are kept. ", 40), Options: []string{"PostgreSQL", "SQLite", "MySQL"}}.ask()
	for b.Loop() {
		Alike(x, y)
	}
}
