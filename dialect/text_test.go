package dialect_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

// TestTextForgedLines shows what own words look like that would be read as
// something else if they were told as they are.
func TestTextForgedLines(t *testing.T) {
	t.Parallel()
	a := prepare(t, dialect.Text, `{"questions":[
		{"question":"Deploy?","header":"Deploy","multiSelect":false,"options":[{"label":"Yes","description":""},{"label":"No","description":""}]},
		{"question":"Delete the data?","header":"Data","multiSelect":false,"options":[{"label":"Yes","description":""},{"label":"- No","description":""}]}]}`)
	tests := []struct {
		name   string
		answer sayso.Answer
		want   string
	}{
		{"one line", say(a, 0, "after lunch"), "Deploy?\nafter lunch"},
		{"a dash that is no mark", say(a, 0, "-1"), "Deploy?\n-1"},
		{"another question's block", say(a, 0, "No\n\nDelete the data?\nYes"), "Deploy?\n> No\n>\n> Delete the data?\n> Yes"},
		{"another question", say(a, 0, "Delete the data?"), "Deploy?\n> Delete the data?"},
		{"a list item", say(a, 0, "- Yes"), "Deploy?\n> - Yes"},
		{"a quotation", say(a, 0, "> Yes"), "Deploy?\n> > Yes"},
		{"a note", say(a, 0, "Note: fine"), "Deploy?\n> Note: fine"},
		{"a carriage return", say(a, 0, "No\rDelete the data?\u2028Yes"), "Deploy?\n> No\n> Delete the data?\n> Yes"},
		{"a note of several lines", note(choose(a, 0, 1), "why\n\nDelete the data?\nYes"), "Deploy?\nNo\nNote: why\nNote:\nNote: Delete the data?\nNote: Yes"},
		{"a label like a mark", choose(a, 1, 1), "Delete the data?\n- - No"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := format(t, dialect.Text, a, answered(tt.answer)).Text; got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}

// TestTextReaderIsFooledByPlainText shows that the round trip below can fail:
// own words told as they are do answer another question.
func TestTextReaderIsFooledByPlainText(t *testing.T) {
	t.Parallel()
	a := prepare(t, dialect.Text, claudeCalls.form)
	plain := a.Questions[0].Text + "\nnone\n\n" + a.Questions[1].Text + "\n- Auth"
	if got := readText(a, plain); len(got) != 2 {
		t.Errorf("read %d answers out of plain text, want the forged one too", len(got))
	}
}

// TestTextRoundTrip holds the text to its promise: it reads back in one way only.
func TestTextRoundTrip(t *testing.T) {
	t.Parallel()
	roundTrips(t, 10_000)
}

func TestFigure_S06TextRoundTrip(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	n := 1_000_000
	roundTrips(t, n)
	if !t.Failed() {
		t.Logf("FIGURE S06 0 ambiguous/%d", n)
	}
}

func roundTrips(t *testing.T, n int) {
	rnd := rand.New(rand.NewPCG(6, uint64(n)))
	done := 0
	for done < n {
		a, ok := randomAsk(rnd)
		if !ok {
			continue
		}
		answers := randomAnswers(rnd, a)
		o := answered(answers...)
		if !o.HasAnswer() {
			continue
		}
		done++
		text := format(t, dialect.Text, a, o).Text
		if got, want := readText(a, text), asRead(a, answers); !reflect.DeepEqual(got, want) {
			t.Fatalf("case %d reads back differently\ntext:\n%s\ngot:  %+q\nwant: %+q", done, text, got, want)
		}
	}
}

// pieces make texts that look like the form they stand in.
var pieces = []string{"Go", "Rust", "Which one?", "Why?", "-", "- ", ">", "> ", "Note:", "Note: ", " ", "  ", "\n", "\n\n", "\r\n", "\r", "\u2028", "\v", "[cancelled by user]", "[reply to all of it]", "é", "字"}

func randomText(rnd *rand.Rand) string {
	var b strings.Builder
	for range 1 + rnd.IntN(6) {
		b.WriteString(pieces[rnd.IntN(len(pieces))])
	}
	return b.String()
}

// randomAsk returns false where the tool would refuse the call, or where two
// texts differ in nothing but white space.
func randomAsk(rnd *rand.Rand) (*sayso.Ask, bool) {
	a := &sayso.Ask{}
	for range 1 + rnd.IntN(3) {
		q := sayso.Question{Text: randomText(rnd), Header: "H", Multi: rnd.IntN(2) == 0}
		for range 2 + rnd.IntN(2) {
			q.Options = append(q.Options, sayso.Option{Label: randomText(rnd)})
		}
		a.Questions = append(a.Questions, q)
	}
	a.Normalize()
	if a.Validate(dialect.Text.Spec().Limits) != nil {
		return nil, false
	}
	seen := map[string]bool{}
	for i := range a.Questions {
		q := &a.Questions[i]
		for _, s := range append(labelsOf(q), "?"+oneEnd(q.TextAsAsked())) {
			if seen[s] {
				return nil, false
			}
			seen[s] = true
		}
		for _, label := range labelsOf(q) {
			delete(seen, label)
		}
	}
	return a, true
}

func randomAnswers(rnd *rand.Rand, a *sayso.Ask) []sayso.Answer {
	var answers []sayso.Answer
	for i := range a.Questions {
		q := &a.Questions[i]
		ans := sayso.Answer{QuestionID: q.ID}
		for j := range q.Options {
			if rnd.IntN(3) == 0 && (q.Multi || len(ans.Selected) == 0) {
				ans.Selected = append(ans.Selected, q.Options[j].ID)
			}
		}
		if rnd.IntN(2) == 0 {
			ans.Other = randomText(rnd)
		}
		if rnd.IntN(4) == 0 {
			ans.Note = randomText(rnd)
		}
		answers = append(answers, ans)
	}
	return answers
}

// asRead returns the answers as the text tells them: without those that say
// nothing, with the usual line end, and with a label for own words that are one.
func asRead(a *sayso.Ask, answers []sayso.Answer) []sayso.Answer {
	var read []sayso.Answer
	for _, ans := range answers {
		ans.Other, ans.Note = unlessBlank(ans.Other), unlessBlank(ans.Note)
		if !ans.Answered() {
			continue
		}
		q := a.Question(ans.QuestionID)
		bare := ans.Selected == nil && !strings.Contains(ans.Other, "\n") && !isMark(ans.Other) && !isQuestion(a, ans.Other)
		if i := slices.Index(labelsOf(q), ans.Other); i >= 0 && bare && !q.Multi {
			ans.Selected, ans.Other = []string{q.Options[i].ID}, ""
		}
		read = append(read, ans)
	}
	return read
}

func unlessBlank(s string) string {
	if sayso.Blank(s) {
		return ""
	}
	return oneEnd(s)
}

func isMark(s string) bool {
	return slices.ContainsFunc([]string{"-", ">", "Note:"}, func(mark string) bool {
		_, ok := cutMark(s, mark)
		return ok
	})
}

func isQuestion(a *sayso.Ask, s string) bool {
	return slices.ContainsFunc(a.Questions, func(q sayso.Question) bool {
		first, _, _ := strings.Cut(oneEnd(q.TextAsAsked()), "\n")
		return first == s
	})
}

func labelsOf(q *sayso.Question) []string {
	var labels []string
	for i := range q.Options {
		labels = append(labels, oneEnd(q.Options[i].LabelAsAsked()))
	}
	return labels
}

var ends = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

func oneEnd(s string) string { return ends.Replace(strings.TrimSpace(s)) }

// readText reads the canonical text back, by its grammar and the questions alone.
func readText(a *sayso.Ask, text string) []sayso.Answer {
	var answers []sayso.Answer
	next := 0
	for block := range strings.SplitSeq(text, "\n\n") {
		asked, lines := paragraph(strings.Split(block, "\n"))
		at := slices.IndexFunc(a.Questions[next:], func(q sayso.Question) bool { return oneEnd(q.TextAsAsked()) == asked })
		if at < 0 {
			return append(answers, sayso.Answer{QuestionID: "no question: " + asked})
		}
		q := &a.Questions[next+at]
		next += at + 1
		answers = append(answers, readAnswer(q, lines))
	}
	return answers
}

func readAnswer(q *sayso.Question, lines []string) sayso.Answer {
	ans := sayso.Answer{QuestionID: q.ID}
	var words, notes []string
	labels := labelsOf(q)
	for len(lines) > 0 {
		if line, ok := cutMark(lines[0], ">"); ok {
			words, lines = append(words, line), lines[1:]
		} else if line, ok := cutMark(lines[0], "Note:"); ok {
			notes, lines = append(notes, line), lines[1:]
		} else {
			var p string
			p, lines = paragraph(lines)
			label, listed := strings.CutPrefix(p, "- ")
			if i := slices.Index(labels, label); i >= 0 && (listed || !q.Multi) {
				ans.Selected = append(ans.Selected, q.Options[i].ID)
			} else {
				words = append(words, p)
			}
		}
	}
	ans.Other, ans.Note = strings.Join(words, "\n"), strings.Join(notes, "\n")
	return ans
}

func cutMark(line, mark string) (string, bool) {
	if line == mark {
		return "", true
	}
	return strings.CutPrefix(line, mark+" ")
}

// paragraph takes the first line and those that go on from it.
func paragraph(lines []string) (string, []string) {
	p := lines[0]
	for lines = lines[1:]; len(lines) > 0 && strings.HasPrefix(lines[0], "  "); lines = lines[1:] {
		p += "\n" + lines[0][2:]
	}
	return p, lines
}

func prepare(t *testing.T, d sayso.Dialect, call string) *sayso.Ask {
	t.Helper()
	tool := &sayso.Tool{Dialect: d}
	a, refusal := tool.Prepare(sayso.Call{ID: "call_1", Conversation: "conv_1", Arguments: json.RawMessage(call)})
	if refusal != nil {
		t.Fatalf("call refused: %s", refusal.Text)
	}
	return a
}

func format(t *testing.T, d sayso.Dialect, a *sayso.Ask, o *sayso.Outcome) *sayso.Result {
	t.Helper()
	r, err := (&sayso.Tool{Dialect: d}).Finish(a, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
