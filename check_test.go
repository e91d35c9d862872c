package sayso_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/saysohq/sayso"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	a := database()
	a.Questions = append(a.Questions, sayso.Question{ID: "q3", Text: "Which?", Multi: true, Options: []sayso.Option{
		{ID: "o1", Label: "A"}, {ID: "o2", Label: "B"},
	}})
	tests := []struct {
		name string
		o    *sayso.Outcome
		kind error
		want []string
	}{
		{name: "a choice", o: answered(sayso.Answer{QuestionID: "q1", Selected: []string{"o1"}})},
		{name: "own words", o: answered(sayso.Answer{QuestionID: "q2", Other: "order-processor"})},
		{name: "own words instead of an option", o: answered(sayso.Answer{QuestionID: "q1", Other: "DynamoDB"})},
		{name: "own words beside an option", o: answered(sayso.Answer{QuestionID: "q1", Selected: []string{"o1"}, Other: "on arm"})},
		{name: "a note only", o: answered(sayso.Answer{QuestionID: "q1", Note: "ask Ann"})},
		{name: "several", o: answered(sayso.Answer{QuestionID: "q3", Selected: []string{"o2", "o1"}})},
		{name: "some left out", o: answered(
			sayso.Answer{QuestionID: "q1", Unanswered: sayso.ReasonSkipped}, sayso.Answer{QuestionID: "q2", Other: "x"})},
		{name: "a reply", o: &sayso.Outcome{Status: sayso.StatusAnswered, Reply: "let us talk"}},
		{name: "declined", o: &sayso.Outcome{Status: sayso.StatusDeclined}},
		{name: "pending", o: &sayso.Outcome{Status: sayso.StatusPending}},
		{
			name: "no status", kind: sayso.ErrUnknownStatus,
			o:    &sayso.Outcome{Answers: []sayso.Answer{{QuestionID: "q2", Other: "x"}}},
			want: []string{`status is "", which is none; say what became of the ask`},
		}, {
			name: "no answer", kind: sayso.ErrNoAnswer, o: answered(),
			want: []string{"answers hold no answer; an empty form is not a decision"},
		}, {
			name: "unknown question", kind: sayso.ErrUnknownQuestion,
			o:    answered(sayso.Answer{QuestionID: "q9", Other: "x"}),
			want: []string{`answers[0].questionId is "q9", which this ask does not have`},
		}, {
			name: "answered twice", kind: sayso.ErrRepeatedAnswer,
			o:    answered(sayso.Answer{QuestionID: "q2", Other: "x"}, sayso.Answer{QuestionID: "q2", Other: "x"}),
			want: []string{`answers[1] answers question "q2" a second time`},
		}, {
			name: "unknown option", kind: sayso.ErrUnknownOption,
			o:    answered(sayso.Answer{QuestionID: "q1", Selected: []string{"PostgreSQL"}}),
			want: []string{`answers[0].selected[0] is "PostgreSQL", which question "q1" does not offer`},
		}, {
			name: "option of a question in words", kind: sayso.ErrUnknownOption,
			o:    answered(sayso.Answer{QuestionID: "q2", Selected: []string{"o1"}}),
			want: []string{`answers[0].selected[0] is "o1", which question "q2" does not offer`},
		}, {
			name: "two of one", kind: sayso.ErrTooManySelected,
			o:    answered(sayso.Answer{QuestionID: "q1", Selected: []string{"o1", "o2"}}),
			want: []string{`answers[0].selected has 2 options; question "q1" takes one`},
		}, {
			name: "the same twice", kind: sayso.ErrTooManySelected,
			o:    answered(sayso.Answer{QuestionID: "q3", Selected: []string{"o1", "o1"}}),
			want: []string{`answers[0].selected[1] repeats "o1"`},
		}, {
			name: "answered and not", kind: sayso.ErrContradiction,
			o:    answered(sayso.Answer{QuestionID: "q2", Other: "x", Unanswered: sayso.ReasonDismissed}),
			want: []string{"answers[0] has an answer and a reason for having none"},
		}, {
			name: "everything at once", kind: sayso.ErrUnknownQuestion,
			o: &sayso.Outcome{Status: "done", Answers: []sayso.Answer{
				{QuestionID: "q1", Selected: []string{"o1", "o9", "o1"}},
				{QuestionID: "nope"},
			}},
			want: []string{
				`status is "done", which is none; say what became of the ask`,
				`answers[0].selected[1] is "o9", which question "q1" does not offer`,
				`answers[0].selected[2] repeats "o1"`,
				`answers[0].selected has 3 options; question "q1" takes one`,
				`answers[1].questionId is "nope", which this ask does not have`,
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := a.Check(tt.o)
			if got := problems(t, err); !slices.Equal(got, tt.want) {
				t.Errorf("problems are\n%q, want\n%q", got, tt.want)
			}
			if !errors.Is(err, tt.kind) {
				t.Errorf("error %v is not %v", err, tt.kind)
			}
		})
	}
}

// nothings are the ways of saying nothing (R14): what comes back from an empty
// form, in all its disguises, as an outcome in JSON.
var nothings = []string{
	`{}`,
	`{"answers":null}`,
	`{"answers":[]}`,
	`{"answers":[{}]}`,
	`{"answers":[{"questionId":"q1"}]}`,
	`{"answers":[{"questionId":"q1","selected":null}]}`,
	`{"answers":[{"questionId":"q1","selected":[]}]}`,
	`{"answers":[{"questionId":"q1","selected":[""]}]}`,
	`{"answers":[{"questionId":"q1","selected":[" ","\t"]}]}`,
	`{"answers":[{"questionId":"q1","selected":["\u200b"]}]}`,
	`{"answers":[{"questionId":"q1","other":""}]}`,
	`{"answers":[{"questionId":"q1","other":" \t\r\n"}]}`,
	`{"answers":[{"questionId":"q1","other":"\u00a0\u2003\u3000"}]}`,
	`{"answers":[{"questionId":"q1","other":"\u200b\u200c\u200d\u2060\ufeff"}]}`,
	`{"answers":[{"questionId":"q1","other":"\u202e\u2066\u00ad"}]}`,
	`{"answers":[{"questionId":"q1","other":"\u0000\u0007\u001b"}]}`,
	`{"answers":[{"questionId":"q1","other":"\u3164\u2800"}]}`,
	`{"answers":[{"questionId":"q1","note":" "}]}`,
	`{"answers":[{"questionId":"q1","unanswered":"skipped"},{"questionId":"q2","other":"\u200b"}]}`,
	`{"reply":""}`,
	`{"reply":" \u200b\n"}`,
	`{"reason":"I did"}`,
}

func TestNothingIsNoAnswer(t *testing.T) {
	t.Parallel()
	for _, text := range nothings {
		var o sayso.Outcome
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		o.Status = sayso.StatusAnswered
		if o.HasAnswer() {
			t.Errorf("%s has an answer", text)
		}
		if !errors.Is(database().Check(&o), sayso.ErrNoAnswer) {
			t.Errorf("Check lets %s pass", text)
		}
		settled := o.Settled()
		if settled.Status != sayso.StatusUnanswered {
			t.Errorf("%s is settled as %s", text, settled.Status)
		}
		if o.Status != sayso.StatusAnswered {
			t.Error("Settled changed its receiver")
		}
		if settled.Settled() != settled {
			t.Error("Settled is not idempotent")
		}
	}
}

func TestSettledLeavesTheRestAlone(t *testing.T) {
	t.Parallel()
	for _, o := range []*sayso.Outcome{
		answered(sayso.Answer{QuestionID: "q1", Selected: []string{"o1"}}),
		answered(sayso.Answer{QuestionID: "q1"}, sayso.Answer{QuestionID: "q2", Other: "."}),
		{Status: sayso.StatusAnswered, Reply: "x"},
		{Status: sayso.StatusPending}, {Status: sayso.StatusDeclined}, {Status: sayso.StatusExpired}, {},
	} {
		if o.Settled() != o {
			t.Errorf("%+v was changed to %+v", o, o.Settled())
		}
	}
}

func TestStatusFinal(t *testing.T) {
	t.Parallel()
	for s, want := range map[sayso.Status]bool{
		sayso.StatusPending: false, "": false, "done": false,
		sayso.StatusAnswered: true, sayso.StatusUnanswered: true, sayso.StatusDeclined: true, sayso.StatusCancelled: true,
		sayso.StatusExpired: true, sayso.StatusSuperseded: true, sayso.StatusUnreachable: true,
	} {
		if s.Final() != want {
			t.Errorf("%q is final: %t, want %t", s, !want, want)
		}
	}
}

func TestOutcomeAnswer(t *testing.T) {
	t.Parallel()
	o := answered(sayso.Answer{QuestionID: "q2", Other: "x"})
	if ans, ok := o.Answer("q2"); !ok || ans.Other != "x" {
		t.Errorf("answer to q2 is %+v, %t", ans, ok)
	}
	if _, ok := o.Answer("q1"); ok {
		t.Error("found an answer that is not there")
	}
}
