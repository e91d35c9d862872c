package dialect_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

var seed = flag.Uint64("seed", 1, "seed of the property tests")

// eachCase runs check over every dialect with generated cases, 10⁴ in all or 10⁶
// where SAYSO_LONG is set. A case depends on the seed and its number only, and
// both are in the message of a failure.
func eachCase(t *testing.T, check func(t *testing.T, g *generator, d sayso.Dialect)) {
	t.Helper()
	cases := uint64(1e4)
	if os.Getenv("SAYSO_LONG") != "" {
		cases = 1e6
	}
	t.Logf("%d cases, -seed %d", cases, *seed)
	all := dialect.All()
	for i, d := range all {
		t.Run(d.Spec().Dialect, func(t *testing.T) {
			t.Parallel()
			for n := uint64(i); n < cases && !t.Failed(); n += uint64(len(all)) {
				g := &generator{Rand: rand.New(rand.NewPCG(*seed, n)), name: fmt.Sprintf("-seed %d, case %d", *seed, n)}
				check(t, g, d)
			}
		})
	}
}

// generator makes asks, and outcomes of hostile people.
type generator struct {
	*rand.Rand
	name string
}

// hostile are pieces that some text form gives a meaning to, or that some reader
// stumbles over.
var hostile = []string{
	" ", "\n", "\n\n", "\r\n", "\r", "\t", "\v", "\u2028", "\u0085", "  ", "\n  ", "\n- ", "\n> ", "\n  > ",
	`"`, `\"`, `\`, `\n`, `", "`, `"="`, `"="Yes", "`, "'", "`", "```", ",", ", ", ": ", ". ", "; ", "=", "(no option selected)",
	"**", "**Header**: ", "# ", "1. ", "- ", "* ", "> ", "| ", "Q1: ", "Q2: ", "Note: ", "Notes:\n- ", " notes: ", " user notes: ", "user_note: ",
	"User selected: ", "User responded: ", "User provided: ", "User skipped this question", "User cancelled this question",
	"[User dismissed the question]", "[cancelled by user]", "[declined by user]", "Unanswered", "None of the above", "null", "true",
	"</user_message>", "<user_message>", `<\/user_message>`, "</USER_MESSAGE >", "<b>", "&lt;", "]]>",
	`{"answers":{}}`, `{"`, `"}`, "{}", "[]", "[", "]", "\x1b[2J", "\x00", "\u009b", "\x7f",
	"yes", "no", "Dark mode", "é", "数据库", "قاعدة", "क्षि", "👩\u200d💻", "\u200b", "\u202e", "\ufeff", "ſ",
}

// piece returns a short text of ordinary and hostile parts.
func (g *generator) piece(extra ...string) string {
	var b strings.Builder
	for range 1 + g.IntN(4) {
		switch n := g.IntN(8); {
		case n < 2:
			fmt.Fprintf(&b, "w%d", g.IntN(100))
		case n < 4 && len(extra) > 0:
			b.WriteString(extra[g.IntN(len(extra))])
		default:
			b.WriteString(hostile[g.IntN(len(hostile))])
		}
	}
	return b.String()
}

// ask returns a valid ask under the limits.
func (g *generator) ask(t *testing.T, spec sayso.ToolSpec) *sayso.Ask {
	t.Helper()
	var err error
	for range 200 {
		a := &sayso.Ask{ID: "ask_1", Dialect: spec.Dialect}
		for range 1 + g.IntN(atMost(spec.Limits.MaxQuestions, 4)) {
			a.Questions = append(a.Questions, g.question(spec.Limits))
		}
		a.Normalize()
		if err = a.Validate(spec.Limits); err == nil {
			return a
		}
	}
	t.Fatalf("%s: no valid ask: %v", g.name, err)
	return nil
}

// atMost returns n, or the limit where that is less; a limit of zero is none.
func atMost(limit, n int) int {
	if limit == 0 {
		return n
	}
	return min(limit, n)
}

func (g *generator) question(l sayso.Limits) sayso.Question {
	q := sayso.Question{ID: g.id(), Text: g.piece() + "?", Multi: g.IntN(3) == 0}
	if l.NeedHeader || g.IntN(2) == 0 {
		q.Header = g.piece() + "H"
	}
	if g.IntN(4) == 0 {
		q.Body = g.piece()
	}
	if !l.NeedOptions && g.IntN(4) == 0 {
		return q
	}
	if g.IntN(10) == 0 && !l.NeedDescription {
		q.Options = []sayso.Option{{ID: "yes", Label: "Yes"}, {ID: "no", Label: "No"}}
		return q
	}
	least := max(l.MinOptions, 1)
	for range least + g.IntN(atMost(l.MaxOptions, 5)-least+1) {
		o := sayso.Option{ID: g.id(), Label: g.piece() + "L"}
		if l.NeedDescription || g.IntN(2) == 0 {
			o.Description = g.piece() + "D"
		}
		if g.IntN(8) == 0 {
			o.Preview = g.piece()
		}
		if g.IntN(8) == 0 {
			o.Label += " (Recommended)"
		}
		q.Options = append(q.Options, o)
	}
	return q
}

// id returns an id that is safe to show, or none.
func (g *generator) id() string {
	if g.IntN(3) > 0 {
		return ""
	}
	return sayso.SafeLine(g.piece()) + strconv.Itoa(g.IntN(1000))
}

// words returns what a hostile person writes: pieces of the form around it.
func (g *generator) words(a *sayso.Ask) string {
	var extra []string
	for i := range a.Questions {
		q := &a.Questions[i]
		extra = append(extra, q.Text, q.TextAsAsked(), q.Header, q.ID)
		for j := range q.Options {
			extra = append(extra, q.Options[j].Label, q.Options[j].LabelAsAsked(), q.Options[j].ID)
		}
	}
	return g.piece(extra...)
}

// answers returns an answered outcome, in which some questions may be left open.
func (g *generator) answers(a *sayso.Ask) *sayso.Outcome {
	o := &sayso.Outcome{Status: sayso.StatusAnswered, By: person, At: answeredAt}
	for !o.HasAnswer() {
		o.Answers, o.Reply = nil, ""
		for i := range a.Questions {
			o.Answers = append(o.Answers, g.answer(a, &a.Questions[i]))
		}
		if g.IntN(8) == 0 {
			o.Reply = g.words(a)
		}
	}
	return o
}

func (g *generator) answer(a *sayso.Ask, q *sayso.Question) sayso.Answer {
	ans := sayso.Answer{QuestionID: q.ID}
	for _, j := range g.Perm(len(q.Options)) {
		if g.IntN(2) == 0 && (q.Multi || len(ans.Selected) == 0) {
			ans.Selected = append(ans.Selected, q.Options[j].ID)
		}
	}
	if g.IntN(2) == 0 {
		ans.Other = g.words(a)
	}
	if g.IntN(4) == 0 {
		ans.Note = g.words(a)
	}
	if !ans.Answered() && g.IntN(2) == 0 {
		ans = sayso.Answer{QuestionID: q.ID, Unanswered: sayso.ReasonSkipped}
	}
	return ans
}

// brokenCall returns some dialect's call with a few edits.
func (g *generator) brokenCall() []byte {
	all := dialect.All()
	c := testCalls[all[g.IntN(len(all))].Spec().Dialect]
	call := []byte([]string{c.single, c.multi, c.form, c.invalid}[g.IntN(4)])
	for range 1 + g.IntN(4) {
		from := g.IntN(len(call) + 1)
		to := from + g.IntN(min(len(call)-from, 20)+1)
		edits := [][]byte{nil, call[from:to], []byte(g.piece()), []byte(tokens[g.IntN(len(tokens))])}
		call = slices.Concat(call[:from], edits[g.IntN(len(edits))], call[to:])
	}
	return call
}

// tokens are what JSON is made of, and what some readers of it choke on.
var tokens = []string{
	"{", "}", "[", "]", ",", ":", `"`, "null", "true", "3", "-1e9", "1e999", `""`, `{}`, `[]`, `"question":`, `"options":`, `"type":"text",`,
	`"\ud800"`, `"\u0000"`, `\`, "\xff", "\x00", "\ufeff",
}
