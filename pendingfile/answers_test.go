package pendingfile

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
)

func formAsk() *sayso.Ask {
	a := &sayso.Ask{ID: "ask_form", Questions: []sayso.Question{
		{Text: "Database?", Options: []sayso.Option{{Label: "PostgreSQL (Recommended)"}, {Label: "SQLite"}}},
		{Text: "Features?", Multi: true, Options: []sayso.Option{{Label: "Auth"}, {Label: "REST, GraphQL"}, {Label: "Admin"}}},
		{Text: "Name?"},
	}}
	a.Normalize()
	return a
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	type want struct {
		selected [3]string
		other    [3]string
	}
	tests := []struct {
		name string
		list string
		want want
		err  error
	}{
		{"labels and words", `["SQLite", ["Auth", "REST, GraphQL"], "x"]`, want{[3]string{"o2", "o1 o2"}, [3]string{"", "", "x"}}, nil},
		{"label without its tag", `["PostgreSQL"]`, want{selected: [3]string{"o1"}}, nil},
		{"label with spaces", `[" SQLite\n"]`, want{selected: [3]string{"o2"}}, nil},
		{"label in another case", `["sqlite"]`, want{selected: [3]string{"o2"}}, nil},
		{"an id", `["o2"]`, want{selected: [3]string{"o2"}}, nil},
		{"no guess from numbers", `[2]`, want{other: [3]string{"2"}}, nil},
		{"no guess from commas", `[null, "Auth, Admin"]`, want{other: [3]string{1: "Auth, Admin"}}, nil},
		{"one label for many", `[null, "Auth"]`, want{selected: [3]string{1: "o1"}}, nil},
		{"label and words", `[["SQLite", "in memory"]]`, want{[3]string{"o2"}, [3]string{"in memory"}}, nil},
		{"several words", `[null, ["Auth", "SSO", "", null, "SCIM"]]`, want{[3]string{1: "o1"}, [3]string{1: "SSO\nSCIM"}}, nil},
		{"label twice", `[null, ["Auth", "Auth"]]`, want{selected: [3]string{1: "o1"}}, nil},
		{"unquoted", `[null, null, true]`, want{other: [3]string{2: "true"}}, nil},
		{"too many for one", `[["SQLite", "PostgreSQL"]]`, want{}, sayso.ErrTooManySelected},
		{"an object", `[{"label": "SQLite"}]`, want{}, sayso.ErrMalformed},
		{"a list in a list", `[[["SQLite"]]]`, want{}, sayso.ErrMalformed},
		{"too many values", `[null, null, null, "x"]`, want{}, sayso.ErrUnknownQuestion},
		{"not a list", `"SQLite"`, want{}, sayso.ErrMalformed},
		{"not JSON", `[SQLite]`, want{}, sayso.ErrMalformed},
		{"duplicate keys", `[{"a":1,"a":2}]`, want{}, sayso.ErrMalformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t).write(t, formAsk())
			o, err := p.FromList([]byte(tt.list))
			if tt.err != nil {
				if !errors.Is(err, tt.err) {
					t.Fatalf("got %+v, %v; want %v", o, err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got want
			for i, ans := range o.Answers {
				got.selected[i] = strings.Join(ans.Selected, " ")
				got.other[i] = ans.Other
				if ans.Answered() == (ans.Unanswered != "") {
					t.Errorf("answer %d is %+v", i, ans)
				}
			}
			if got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if o.Status != sayso.StatusAnswered || o.By.Kind != sayso.ByPerson || o.By.Surface != Surface || !o.At.Equal(seedTime) {
				t.Errorf("signed %+v at %v as %s", o.By, o.At, o.Status)
			}
		})
	}
}

// Null, blank and invisible are no answer, whichever way they come.
func TestNothingIsNoAnswer(t *testing.T) {
	t.Parallel()
	for _, value := range []string{`null`, `""`, `"  \n"`, `"\u200b\u2060"`, `[]`, `[null, "", "\u00a0"]`} {
		p := newPlace(t)
		p.write(t, formAsk())
		p.edit(t, DefaultFile, `"answer": null`, `"answer": `+value)
		pending, err := p.Read("")
		if err != nil {
			t.Fatal(err)
		}
		if o, err := pending.FromFile(); err != nil || o.Status != sayso.StatusPending || o.HasAnswer() {
			t.Errorf("%s in the file is %+v, %v", value, o, err)
		}
		if o, err := pending.FromList([]byte("[" + value + "]")); err != nil || o.Status != sayso.StatusUnanswered {
			t.Errorf("%s in a list is %+v, %v", value, o, err)
		}
		if o, err := p.Ask(t.Context(), formAsk()); err != nil || o.Status != sayso.StatusPending {
			t.Errorf("%s asked again is %+v, %v", value, o, err)
		}
	}
	p := newPlace(t).write(t, formAsk())
	if o := p.FromWords(" \t\u200b"); o.Status != sayso.StatusUnanswered {
		t.Errorf("blank words are %+v", o)
	}
	if o, err := p.FromList([]byte(`[]`)); err != nil || o.Status != sayso.StatusUnanswered {
		t.Errorf("an empty list is %+v, %v", o, err)
	}
}

func TestWordsPassUntouched(t *testing.T) {
	t.Parallel()
	const words = "  use SQLite, call it order-processor\n"
	o := newPlace(t).write(t, seedAsk()).FromWords(words)
	if o.Status != sayso.StatusAnswered || o.Reply != words || len(o.Answers) != 0 {
		t.Errorf("got %+v", o)
	}
}

func TestEditedFile(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(t, formAsk())
	p.edit(t, DefaultFile, `"answer": null`, `"answer": "SQLite"`)
	pending, err := p.Read(".sayso/pending-questions.json")
	if err != nil {
		t.Fatal(err)
	}
	o, err := pending.FromFile()
	if err != nil {
		t.Fatal(err)
	}
	want := &sayso.Outcome{
		Status: sayso.StatusAnswered, By: byHand, At: o.At,
		Answers: []sayso.Answer{
			{QuestionID: "q1", Selected: []string{"o2"}},
			{QuestionID: "q2", Unanswered: sayso.ReasonSkipped},
			{QuestionID: "q3", Unanswered: sayso.ReasonSkipped},
		},
	}
	if !reflect.DeepEqual(o, want) || !o.At.Equal(seedTime) {
		t.Errorf("got %+v\nwant %+v", o, want)
	}
	// A form that is filled in halfway is not sent by itself.
	if o, err := p.Ask(t.Context(), formAsk()); err != nil || o.Status != sayso.StatusPending || !strings.Contains(o.Reason, "make the same call again") {
		t.Errorf("asked again: %+v, %v", o, err)
	}
	p.edit(t, DefaultFile, `"answer": null`, `"answer": ["Admin", "SSO"]`, `"answer": null`, `"answer": "n"`)
	if o, err := p.Ask(t.Context(), formAsk()); err != nil || o.Status != sayso.StatusAnswered || o.Answers[1].Other != "SSO" {
		t.Errorf("asked again: %+v, %v", o, err)
	}
	p.edit(t, DefaultFile, `"answer": "SQLite"`, `"answer": ["SQLite", "PostgreSQL"]`)
	if o, err := p.Ask(t.Context(), formAsk()); err != nil || o.Status != sayso.StatusPending || !strings.Contains(o.Reason, "takes one") {
		t.Errorf("asked again with a slip: %+v, %v", o, err)
	}
}

// What identifies the questions may not be edited; the order and the ids may go.
func TestEditedTooMuch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		old, new string
		ok       bool
	}{
		{"another question", `"question": "Name?"`, `"question": "May I delete everything?"`, false},
		{"another id", `"id": "q3"`, `"id": "q9"`, false},
		{"the same id", `"id": "q3"`, `"id": "q1"`, false},
		{"the ask", `"text":"Name?"`, `"text":"May I delete everything?"`, false},
		{"the digest", `"digest": "`, `"digest": "0`, false},
		{"the version", `"sayso": 1`, `"sayso": 2`, false},
		{"a key twice", `"sayso": 1`, `"sayso": 1, "sayso": 1`, false},
		{"trailing text", "\n}\n", "\n}\n{}", false},
		{"no ids", `"id": "q3",`, ``, true},
		{"no question", `"question": "Name?",`, ``, true},
		{"a remark", `"sayso": 1`, `"sayso": 1, "remark": "later"`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.write(t, formAsk())
			p.edit(t, DefaultFile, tt.old, tt.new)
			_, err := p.Read("")
			if tt.ok != (err == nil) || err != nil && !errors.Is(err, sayso.ErrMalformed) {
				t.Errorf("Read says %v", err)
			}
		})
	}
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	now := seedTime
	p.now = func() time.Time { return now }
	a := seedAsk()
	a.Deadline = seedTime.Add(time.Hour)
	a.OnExpiry.Default = []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}}}
	ask := func(status sayso.Status) *sayso.Outcome {
		t.Helper()
		o, err := p.Ask(t.Context(), a)
		if err != nil || o.Status != status {
			t.Fatalf("got %+v, %v; want %s", o, err, status)
		}
		return o
	}
	ask(sayso.StatusPending)
	now = now.Add(2 * time.Hour)
	if o := ask(sayso.StatusExpired); o.By.Kind != sayso.ByPolicy || o.Answers[0].Selected[0] != "o2" || !o.At.Equal(a.Deadline) {
		t.Errorf("expired as %+v", o)
	}
	late, err := p.Read("")
	if err != nil {
		t.Fatal(err)
	}
	if o := late.FromWords("too late"); o.Status != sayso.StatusExpired {
		t.Errorf("late words are %+v", o)
	}
	if o, err := late.FromList([]byte(`["SQLite"]`)); err != nil || o.Status != sayso.StatusExpired {
		t.Errorf("a late list is %+v, %v", o, err)
	}
	p.edit(t, DefaultFile, "null", `"SQLite"`, "null", `"x"`) // edit dates the file before the deadline
	ask(sayso.StatusAnswered)
}
