package sayso_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
)

// problems returns what an error of Validate or Check lists, in words.
func problems(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var invalid *sayso.InvalidError
	if !errors.As(err, &invalid) {
		t.Fatalf("%T is no InvalidError: %v", err, err)
	}
	var lines []string
	for _, p := range invalid.Problems {
		lines = append(lines, p.String())
		if !errors.Is(err, p.Err) {
			t.Errorf("errors.Is does not find %v", p.Err)
		}
		if !strings.Contains(err.Error(), p.String()) {
			t.Errorf("the error %q does not say %q", err, p)
		}
	}
	return lines
}

// strict are the limits of most dialects that offer choices.
var strict = sayso.Limits{
	MaxQuestions: 4, MinOptions: 2, MaxOptions: 4,
	NeedOptions: true, NeedHeader: true, UniqueText: true,
}

// valid returns an ask that the strict limits let pass.
func valid() *sayso.Ask {
	return &sayso.Ask{Questions: []sayso.Question{
		{Header: "Auth", Text: "Which auth method?", Options: []sayso.Option{{Label: "OAuth (Recommended)"}, {Label: "API key"}}},
		{Header: "Lang", Text: "Which languages?", Options: []sayso.Option{{Label: "Go"}, {Label: "Rust"}, {Label: "C"}}, Multi: true},
	}}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	question := func(a *sayso.Ask) *sayso.Question { return &a.Questions[1] }
	option := func(a *sayso.Ask) *sayso.Option { return &a.Questions[1].Options[2] }
	tests := []struct {
		name   string
		limits sayso.Limits
		change func(a *sayso.Ask)
		kind   error // nil: valid
		want   []string
	}{
		{name: "valid", limits: strict, change: func(*sayso.Ask) {}},
		{name: "valid, open limits", change: func(*sayso.Ask) {}},
		{name: "no options, open limits", change: func(a *sayso.Ask) { question(a).Options = nil }},
		{name: "no header, open limits", change: func(a *sayso.Ask) { question(a).Header = "" }},
		{name: "header over 12", limits: strict, change: func(a *sayso.Ask) { question(a).Header = strings.Repeat("long ", 100) }},
		{name: "header over the limit for labels", limits: sayso.Limits{MaxLabel: 10}, change: func(a *sayso.Ask) {
			question(a).Header = strings.Repeat("x", 11)
			a.Questions[0].Options = nil
		}},
		{
			name: "no questions", limits: strict, kind: sayso.ErrNoQuestions,
			change: func(a *sayso.Ask) { a.Questions = nil },
			want:   []string{"questions is empty; ask at least one question"},
		}, {
			name: "too many questions", limits: sayso.Limits{MaxQuestions: 1}, kind: sayso.ErrTooManyQuestions,
			change: func(*sayso.Ask) {},
			want:   []string{"questions has 2 questions; ask at most 1 in one call, the most important first"},
		}, {
			name: "too many questions for any screen", kind: sayso.ErrTooManyQuestions,
			change: func(a *sayso.Ask) { a.Questions = slices.Repeat(valid().Questions[:1], 21) },
			want:   []string{"questions has 21 questions; ask at most 20 in one call, the most important first"},
		}, {
			name: "empty question", limits: strict, kind: sayso.ErrEmptyQuestion,
			change: func(a *sayso.Ask) { question(a).Text = " \n\t" },
			want:   []string{"questions[1].text is empty; write the question out"},
		}, {
			name: "invisible question", limits: strict, kind: sayso.ErrEmptyQuestion,
			change: func(a *sayso.Ask) { question(a).Text = "\u200b\u2060" },
			want:   []string{"questions[1].text is empty; write the question out"},
		}, {
			name: "question lost on the way", limits: strict, kind: sayso.ErrEmptyQuestion,
			change: func(a *sayso.Ask) { question(a).Text, question(a).RawText = "", "Which?" },
			want:   []string{"questions[1].text is empty; write the question out"},
		}, {
			name: "duplicate question", limits: strict, kind: sayso.ErrDuplicateQuestion,
			change: func(a *sayso.Ask) { question(a).Text = a.Questions[0].Text },
			want:   []string{"questions[1].text repeats question 1; ask it once"},
		}, {
			name: "questions that differ in an invisible character", limits: strict,
			change: func(a *sayso.Ask) { question(a).Text = a.Questions[0].Text + "\u200b" },
		}, {
			name: "empty header", limits: strict, kind: sayso.ErrEmptyHeader,
			change: func(a *sayso.Ask) { question(a).Header = "\u200b" },
			want:   []string{`questions[1].header is empty; give the question a short name, such as "Database"`},
		}, {
			name: "duplicate header", limits: sayso.Limits{UniqueHeader: true}, kind: sayso.ErrDuplicateHeader,
			change: func(a *sayso.Ask) { question(a).Header = "Auth" },
			want:   []string{"questions[1].header repeats the header of question 1; make the headers differ"},
		}, {
			name: "no headers are not duplicates", limits: sayso.Limits{UniqueHeader: true},
			change: func(a *sayso.Ask) { a.Questions[0].Header, a.Questions[1].Header = "", "" },
		}, {
			name: "one option", limits: strict, kind: sayso.ErrOptionCount,
			change: func(a *sayso.Ask) { question(a).Options = question(a).Options[:1] },
			want:   []string{"questions[1].options has 1 option; offer 2 to 4"},
		}, {
			name: "no options", limits: strict, kind: sayso.ErrOptionCount,
			change: func(a *sayso.Ask) { question(a).Options = nil },
			want:   []string{"questions[1].options has 0 options; offer 2 to 4"},
		}, {
			name: "too many options", limits: sayso.Limits{MinOptions: 2, MaxOptions: 2}, kind: sayso.ErrOptionCount,
			change: func(*sayso.Ask) {},
			want:   []string{"questions[1].options has 3 options; offer 2 to 2, or none to ask for words"},
		}, {
			name: "too many options for any screen", kind: sayso.ErrOptionCount,
			change: func(a *sayso.Ask) {
				for i := range 21 {
					question(a).Options = append(question(a).Options, sayso.Option{Label: strings.Repeat("x", i+1)})
				}
			},
			want: []string{"questions[1].options has 24 options; offer 1 to 20, or none to ask for words"},
		}, {
			name: "empty label", limits: strict, kind: sayso.ErrEmptyLabel,
			change: func(a *sayso.Ask) { option(a).Label = "" },
			want:   []string{"questions[1].options[2].label is empty; say what choosing it means"},
		}, {
			name: "invisible label", limits: strict, kind: sayso.ErrEmptyLabel,
			change: func(a *sayso.Ask) { option(a).Label = "\u2063" },
			want:   []string{"questions[1].options[2].label is empty; say what choosing it means"},
		}, {
			name: "duplicate label", limits: strict, kind: sayso.ErrDuplicateLabel,
			change: func(a *sayso.Ask) { option(a).Label = "Go" },
			want:   []string{`questions[1].options[2].label looks the same as option 1, "Go"; make the labels differ`},
		}, {
			name: "labels that look the same", limits: strict, kind: sayso.ErrDuplicateLabel,
			change: func(a *sayso.Ask) { option(a).Label = "Gо" }, // a Cyrillic о
			want:   []string{`questions[1].options[2].label looks the same as option 1, "Go"; make the labels differ`},
		}, {
			name: "labels that read the same for the asker", limits: strict, kind: sayso.ErrDuplicateLabel,
			change: func(a *sayso.Ask) { option(a).Label, option(a).RawLabel = "Golang", "Go" },
			want:   []string{`questions[1].options[2].label looks the same as option 1, "Go"; make the labels differ`},
		}, {
			name: "empty description", limits: sayso.Limits{NeedDescription: true}, kind: sayso.ErrEmptyDescription,
			change: func(a *sayso.Ask) {
				a.Questions = a.Questions[1:]
				for i := range a.Questions[0].Options[:2] {
					a.Questions[0].Options[i].Description = "d"
				}
			},
			want: []string{"questions[0].options[2].description is empty; say what happens if it is chosen"},
		}, {
			name: "too long", limits: sayso.Limits{MaxText: 20, MaxBody: 20, MaxLabel: 6}, kind: sayso.ErrTooLong,
			change: func(a *sayso.Ask) {
				a.Questions = a.Questions[1:]
				a.Questions[0].Text = strings.Repeat("é", 21)
				a.Questions[0].Body = strings.Repeat("b", 21)
				o := &a.Questions[0].Options[0]
				o.Label, o.Description, o.Preview = "7777777", "7777777", strings.Repeat("p", 21)
			},
			want: []string{
				"questions[0].text has 21 characters; use at most 20",
				"questions[0].body has 21 characters; use at most 20",
				"questions[0].options[0].label has 7 characters; use at most 6",
				"questions[0].options[0].description has 7 characters; use at most 6",
				"questions[0].options[0].preview has 21 characters; use at most 20",
			},
		}, {
			name: "lengths are in characters", limits: sayso.Limits{MaxText: 16},
			change: func(a *sayso.Ask) { question(a).Text = strings.Repeat("é", 16); a.Questions = a.Questions[1:] },
		}, {
			name: "header over any screen", limits: strict, kind: sayso.ErrTooLong,
			change: func(a *sayso.Ask) { question(a).Header = strings.Repeat("x", 4097) },
			want:   []string{"questions[1].header has 4097 characters; use at most 4096"},
		}, {
			name: "bad ids", kind: sayso.ErrBadID,
			change: func(a *sayso.Ask) {
				question(a).ID, option(a).ID = strings.Repeat("x", 129), "a\x1bb"
				question(a).Options[0].ID = " "
			},
			want: []string{
				"questions[1].id is longer than 128 bytes; use a short name",
				"questions[1].options[0].id has characters that cannot be shown; use letters, digits, - and _",
				"questions[1].options[2].id has characters that cannot be shown; use letters, digits, - and _",
			},
		}, {
			name: "duplicate ids", kind: sayso.ErrDuplicateID,
			change: func(a *sayso.Ask) {
				a.Questions[0].ID, a.Questions[1].ID = "same", "same"
				question(a).Options[0].ID, option(a).ID = "x", "x"
			},
			want: []string{
				`questions[1].options[2].id repeats "x"; give each option its own id`,
				`questions[1].id repeats "same"; give each question its own id`,
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := valid()
			tt.change(a)
			a.Normalize()
			err := a.Validate(tt.limits)
			if got := problems(t, err); !slices.Equal(got, tt.want) {
				t.Errorf("problems are\n%q, want\n%q", got, tt.want)
			}
			if !errors.Is(err, tt.kind) {
				t.Errorf("error %v is not %v", err, tt.kind)
			}
		})
	}
}

// TestValidateSaysEverythingAtOnce has a call with something wrong everywhere:
// the model should need one turn to mend it, not six.
func TestValidateSaysEverythingAtOnce(t *testing.T) {
	t.Parallel()
	a := &sayso.Ask{Questions: []sayso.Question{
		{Text: "", Header: ""},
		{Text: "A?", Header: "A", Options: []sayso.Option{{Label: ""}, {Label: "x"}, {Label: "x"}, {Label: "y"}, {Label: "z"}}},
		{Text: "A?", Header: "A", Options: []sayso.Option{{Label: "x"}}},
		{Text: "B?", Header: "B", Options: []sayso.Option{{Label: "x"}, {Label: "y"}}},
		{Text: ""},
	}}
	a.Normalize()
	err := a.Validate(strict)
	want := []string{
		"questions has 5 questions; ask at most 4 in one call, the most important first",
		"questions[0].text is empty; write the question out",
		`questions[0].header is empty; give the question a short name, such as "Database"`,
		"questions[0].options has 0 options; offer 2 to 4",
		"questions[1].options has 5 options; offer 2 to 4",
		"questions[1].options[0].label is empty; say what choosing it means",
		`questions[1].options[2].label looks the same as option 2, "x"; make the labels differ`,
		"questions[2].options has 1 option; offer 2 to 4",
		"questions[2].text repeats question 2; ask it once",
	}
	if got := problems(t, err); !slices.Equal(got, want) {
		t.Errorf("problems are\n%s, want\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, kind := range []error{
		sayso.ErrTooManyQuestions, sayso.ErrEmptyQuestion, sayso.ErrEmptyHeader,
		sayso.ErrOptionCount, sayso.ErrEmptyLabel, sayso.ErrDuplicateLabel, sayso.ErrDuplicateQuestion,
	} {
		if !errors.Is(err, kind) {
			t.Errorf("errors.Is does not find %v", kind)
		}
	}
	if errors.Is(err, sayso.ErrNoQuestions) {
		t.Error("errors.Is finds what is not there")
	}
}

func TestInvalidError(t *testing.T) {
	t.Parallel()
	var none *sayso.InvalidError
	if none.OrNil() != nil || (&sayso.InvalidError{}).OrNil() != nil {
		t.Error("no problems are an error")
	}
	e := &sayso.InvalidError{}
	e.Add(nil, "", "something is off")
	if got, want := e.OrNil().Error(), "sayso: invalid: something is off"; got != want {
		t.Errorf("error is %q, want %q", got, want)
	}
	if len(e.Unwrap()) != 0 {
		t.Error("a problem without a kind unwraps to something")
	}
}

func TestQuestionPath(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		question, option int
		field, want      string
	}{
		{-1, -1, "questions", "questions"},
		{2, -1, "", "questions[2]"},
		{0, -1, "text", "questions[0].text"},
		{0, 1, "label", "questions[0].options[1].label"},
		{10, 11, "", "questions[10].options[11]"},
	} {
		if got := sayso.QuestionPath(tt.question, tt.option, tt.field); got != tt.want {
			t.Errorf("path is %q, want %q", got, tt.want)
		}
	}
}
