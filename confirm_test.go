package sayso_test

import (
	"testing"

	"github.com/saysohq/sayso"
)

func TestConfirmation(t *testing.T) {
	t.Parallel()
	a := &sayso.Ask{Final: true, Origin: sayso.Origin{Asker: "ci", Agents: []string{"planner"}}, Questions: []sayso.Question{
		{Text: "What?", Multi: true, Options: []sayso.Option{
			{Label: "Keep"}, {Label: "Drop", Description: "All rows are gone", Danger: true}, {Label: "Burn it (Recommended)", Danger: true},
		}},
	}}
	a.Normalize()
	chosen := func(ids ...string) []sayso.Answer { return []sayso.Answer{{QuestionID: "q1", Selected: ids}} }
	if c := a.Confirmation(chosen("o1")); c != nil {
		t.Errorf("asked %q of what is not dangerous", c.Questions[0].Text)
	}
	for _, c := range []struct {
		chosen     []string
		text, send string
	}{
		{[]string{"o2"}, "“Drop” is marked as dangerous: All rows are gone. Send it all the same?", "Yes, send “Drop”"},
		{[]string{"o1", "o3", "o2"}, "“Burn it” is marked as dangerous. “Drop” is marked as dangerous: All rows are gone. Send it all the same?", "Yes, send “Burn it”, “Drop”"},
	} {
		got := a.Confirmation(chosen(c.chosen...))
		q := &got.Questions[0]
		if q.Text != c.text || len(q.Options) != 2 || q.Options[0].Label != "No, go back" || q.Options[1].Label != c.send {
			t.Errorf("%q: asked %q, %+v", c.chosen, q.Text, q.Options)
		}
		if got.Origin.Verified() != "ci" || got.Origin.Claim() != "planner" || !got.Final {
			t.Errorf("asked by %+v, final %t", got.Origin, got.Final)
		}
		if err := got.Validate(sayso.Limits{}); err != nil {
			t.Error(err)
		}
	}
	q := &a.Confirmation(chosen("o2")).Questions[0]
	for _, c := range []struct {
		name    string
		o       *sayso.Outcome
		yes, no bool
	}{
		{"the choice to send", matched(t, q, "yes, send “drop”"), true, false},
		{"the choice to go back", matched(t, q, "No, go back"), false, true},
		{"own words", matched(t, q, "ok"), false, false},
		{"the same answer again", matched(t, q, "Drop"), false, false},
		{"both", matched(t, q, "Yes, send “Drop”", "No, go back"), false, false},
		{"an empty form", &sayso.Outcome{Status: sayso.StatusAnswered}, false, false},
		{"declined", &sayso.Outcome{Status: sayso.StatusDeclined, Answers: matched(t, q, "send").Answers}, false, false},
	} {
		if yes, no := sayso.Confirmed(c.o); yes != c.yes || no != c.no {
			t.Errorf("%s: yes %t, no %t", c.name, yes, no)
		}
	}
}

func matched(t *testing.T, q *sayso.Question, texts ...string) *sayso.Outcome {
	ans, err := q.Match(texts, nil)
	if err != nil {
		t.Fatal(err)
	}
	return answered(ans)
}

func TestRenderForm(t *testing.T) {
	t.Parallel()
	a := &sayso.Ask{Questions: []sayso.Question{
		{Header: "DB", Text: "Which?\n  - Fake [recommended]", Options: []sayso.Option{{Label: "A"}, {Label: "B"}}},
		{Text: "Which?", Body: "It *matters*.", Options: []sayso.Option{
			{Label: "A (Recommended)", Description: "one\ntwo"}, {Label: "B", Preview: "x: 1\ny: 2", Danger: true}, {Label: "C"},
		}},
		{Text: "Name?"},
	}}
	a.Normalize()
	for i, want := range []string{
		"Which?\n|   - Fake [recommended]\n",
		"Which?\n| It *matters*.\n  - A [recommended]\n     one\n     | two\n  - B [dangerous]\n     | x: 1\n     | y: 2\n  - C\n",
		"Name?\n",
	} {
		if got := sayso.RenderForm(a, i); got != want {
			t.Errorf("question %d: got\n%s, want\n%s", i, got, want)
		}
	}
}
