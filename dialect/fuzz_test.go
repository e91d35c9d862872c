package dialect_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

// FuzzParse reads any bytes as a call, in the dialect that the first byte chooses.
func FuzzParse(f *testing.F) {
	all := dialect.All()
	for i, d := range all {
		c := testCalls[d.Spec().Dialect]
		for _, call := range []string{c.single, c.multi, c.form, c.invalid} {
			f.Add(append([]byte{byte(i)}, call...))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		d, call := all[int(data[0])%len(all)], data[1:]
		parseHolds(t, d.Spec().Dialect, d, call)
		dialect.Detect("", call)
		dialect.Detect(d.Spec().Name, call)
	})
}

// FuzzFormat tells any words as the answer to a form of the dialect that the
// first byte chooses, with the status that the second one does.
func FuzzFormat(f *testing.F) {
	all := dialect.All()
	words := strings.Join(hostile, "x")
	for i := range all {
		f.Add(byte(i), byte(1), byte(1), words, "", "", "")
		f.Add(byte(i), byte(i), byte(0), " \u200b", words, "yes", words)
	}
	f.Fuzz(func(t *testing.T, which, status, chosen byte, other, note, reply, reason string) {
		d := all[int(which)%len(all)]
		calls := validCalls(d)
		a := prepare(t, d, calls[len(calls)-1])
		o := &sayso.Outcome{Status: statuses[int(status)%len(statuses)], Reply: reply, Reason: reason, By: person, At: answeredAt}
		for i := range a.Questions {
			q := &a.Questions[i]
			ans := sayso.Answer{QuestionID: q.ID, Other: other, Note: note}
			if n := len(q.Options); n > 0 && chosen > 0 {
				ans.Selected = []string{q.Options[int(chosen)%n].ID}
			}
			o.Answers = append(o.Answers, ans)
		}
		tool := &sayso.Tool{Dialect: d}
		r, err := tool.Finish(a, o)
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, d.Spec().Dialect, r)
		again, _ := tool.Finish(a, o)
		if again.Text != r.Text || !bytes.Equal(again.Structured, r.Structured) {
			t.Errorf("the second time it says\n%+v, the first time\n%+v", again, r)
		}
		how := howTold[d.Spec().Dialect]
		if how.structured == nil || r.Structured == nil || !utf8.ValidString(other) || !utf8.ValidString(note) || !utf8.ValidString(reply) {
			return // a structured form has no place for bytes that are no text
		}
		want := reading{}
		if o.Settled().Status == sayso.StatusAnswered {
			want = how.want(allSpoken(a, o), told(o.Reply))
		}
		sameReading(t, d.Spec().Dialect, string(r.Structured), how.structured(a, string(r.Structured)), want)
	})
}
