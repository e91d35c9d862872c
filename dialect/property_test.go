package dialect_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

var statuses = []sayso.Status{
	sayso.StatusPending, sayso.StatusAnswered, sayso.StatusUnanswered, sayso.StatusDeclined,
	sayso.StatusCancelled, sayso.StatusExpired, sayso.StatusSuperseded, sayso.StatusUnreachable,
}

// nothings are outcomes in which nobody said anything, in all their disguises.
var nothings = []string{
	`{}`, `{"answers":null}`, `{"answers":[]}`, `{"answers":[{}]}`,
	`{"answers":[{"questionId":"Q"}]}`,
	`{"answers":[{"questionId":"Q","selected":null}]}`,
	`{"answers":[{"questionId":"Q","selected":[]}]}`,
	`{"answers":[{"questionId":"Q","selected":[""," ","\u200b"]}]}`,
	`{"answers":[{"questionId":"Q","selected":["no such option"]}]}`,
	`{"answers":[{"questionId":"no such question","other":"yes"}]}`,
	`{"answers":[{"questionId":"Q","other":""}]}`,
	`{"answers":[{"questionId":"Q","other":" \t\r\n"}]}`,
	`{"answers":[{"questionId":"Q","other":"\u00a0\u2003\u3000"}]}`,
	`{"answers":[{"questionId":"Q","other":"\u200b\u200d\u2060\ufeff\u202e"}]}`,
	`{"answers":[{"questionId":"Q","other":"\u0000\u001b"}]}`,
	`{"answers":[{"questionId":"Q","note":"\u200b"}]}`,
	`{"answers":[{"questionId":"Q","unanswered":"skipped"}]}`,
	`{"reply":""}`, `{"reply":" \u200b\n"}`,
}

// TestNothingIsNeverAnswered is R14: whatever the status, an outcome in which
// nobody said anything is not told as an answer, in any dialect.
func TestNothingIsNeverAnswered(t *testing.T) {
	t.Parallel()
	for _, d := range dialect.All() {
		for _, call := range validCalls(d) {
			a := prepare(t, d, call)
			for _, status := range statuses {
				for _, nothing := range nothings {
					o := &sayso.Outcome{}
					if err := json.Unmarshal([]byte(strings.ReplaceAll(nothing, `"Q"`, `"`+a.Questions[0].ID+`"`)), o); err != nil {
						t.Fatal(err)
					}
					o.Status = status
					r, err := d.Format(a, o)
					if err != nil {
						t.Fatalf("%s: %s %s: %v", d.Spec().Dialect, status, nothing, err)
					}
					notAnswered(t, d.Spec().Dialect+": "+string(status)+" "+nothing, r)
				}
			}
		}
	}
}

// notTheWord are the places in which the word may stand: a field that says no,
// and its opposite.
var notTheWord = regexp.MustCompile(`(?i)"answered": ?false|unanswered`)

// notAnswered fails where a result claims that there is an answer. The calls must
// not hold the word themselves.
func notAnswered(t *testing.T, name string, r *sayso.Result) {
	t.Helper()
	for _, s := range []string{r.Text, string(r.Structured)} {
		if strings.Contains(strings.ToLower(notTheWord.ReplaceAllString(s, "")), "answered") {
			t.Errorf("%s: says answered: %s", name, s)
		}
	}
	if r.Text == "" {
		t.Errorf("%s: says nothing at all", name)
	}
}

// TestFormatHolds is what every result keeps to, whatever was asked and said.
func TestFormatHolds(t *testing.T) {
	t.Parallel()
	eachCase(t, func(t *testing.T, g *generator, d sayso.Dialect) {
		a := g.ask(t, d.Spec())
		o := g.answers(a)
		if g.IntN(2) == 0 {
			o.Status, o.Reason = statuses[g.IntN(len(statuses))], g.piece()
		}
		before, _ := json.Marshal([]any{a, o})
		tool := &sayso.Tool{Dialect: d}
		r, err := tool.Finish(a, o)
		if err != nil {
			t.Fatalf("%s: %v", g.name, err)
		}
		wellFormed(t, g.name, r)
		if o.Status != sayso.StatusAnswered {
			notAnswered(t, g.name, r)
		}
		again, err := tool.Finish(a.Clone(), o)
		if err != nil || again.Text != r.Text || !bytes.Equal(again.Structured, r.Structured) {
			t.Errorf("%s: the second time it says\n%+v, the first time\n%+v", g.name, again, r)
		}
		if after, _ := json.Marshal([]any{a, o}); !bytes.Equal(before, after) {
			t.Errorf("%s: Format changed the ask or the outcome", g.name)
		}
	})
}

// TestParseHolds is what every dialect keeps to when it reads a broken call.
func TestParseHolds(t *testing.T) {
	t.Parallel()
	eachCase(t, func(t *testing.T, g *generator, d sayso.Dialect) {
		parseHolds(t, g.name, d, g.brokenCall())
	})
}

// parseHolds takes any bytes for a call: it is refused in words, or it becomes an
// ask that stays as it is when it is normalized again.
func parseHolds(t *testing.T, name string, d sayso.Dialect, call []byte) {
	t.Helper()
	a, refusal := (&sayso.Tool{Dialect: d}).Prepare(sayso.Call{ID: "call_1", Arguments: call})
	if refusal != nil {
		wellFormed(t, name, refusal)
		if a != nil || !refusal.IsError || refusal.Text == "" {
			t.Errorf("%s: refused with %+v and %+v", name, a, refusal)
		}
		return
	}
	again := a.Clone()
	again.Normalize()
	if !reflect.DeepEqual(a, again) {
		t.Errorf("%s: normalized again it is\n%+v, and was\n%+v", name, again, a)
	}
	if err := a.Validate(d.Spec().Limits); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// wellFormed fails where a result could harm whoever prints or parses it.
func wellFormed(t *testing.T, name string, r *sayso.Result) {
	t.Helper()
	if !utf8.ValidString(r.Text) {
		t.Errorf("%s: text is not UTF-8: %q", name, r.Text)
	}
	if strings.ContainsFunc(r.Text, func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' }) {
		t.Errorf("%s: text has a control character: %q", name, r.Text)
	}
	if r.Structured != nil && !json.Valid(r.Structured) {
		t.Errorf("%s: structured form is not JSON: %s", name, r.Structured)
	}
}

// validCalls returns the calls of a dialect's vectors that it takes.
func validCalls(d sayso.Dialect) []string {
	c := testCalls[d.Spec().Dialect]
	var list []string
	for _, call := range []string{c.single, c.multi, c.form} {
		if call != "" {
			list = append(list, call)
		}
	}
	return list
}
