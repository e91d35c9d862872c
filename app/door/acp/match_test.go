package acp

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/surfacetest"
)

// one returns the only answer of an outcome.
func one(o *sayso.Outcome, err error) (sayso.Answer, error) {
	if err != nil || len(o.Answers) == 0 {
		return sayso.Answer{}, err
	}
	return o.Answers[0], nil
}

// TestMatch holds every reader of replies to the table of what texts mean.
func TestMatch(t *testing.T) {
	encoded := func(t *testing.T, v any) []byte {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	form := func(t *testing.T, q *sayso.Question, said []string) (sayso.Answer, error) {
		f, _ := formFor(&sayso.Ask{Questions: []sayso.Question{*q}}, "")
		key := f.fields[0].words
		if key == "" {
			key = f.fields[0].key
		}
		return one(f.read(encoded(t, map[string]any{"action": "accept", "content": map[string]any{key: said[0]}})))
	}
	permission := func(numbers bool) func(*testing.T, *sayso.Question, []string) (sayso.Answer, error) {
		return func(t *testing.T, q *sayso.Question, said []string) (sayso.Answer, error) {
			reply := encoded(t, map[string]any{"outcome": map[string]any{
				"outcome": "selected", "optionId": otherOption, "_meta": map[string]any{"customText": said[0]},
			}})
			a, err := one(readPicked(q, reply, &sayso.MatchOptions{Numbers: numbers}))
			if errors.Is(err, errNoWords) { // which are blank
				err = nil
			}
			return a, err
		}
	}
	qwen := func(t *testing.T, q *sayso.Question, said []string) (sayso.Answer, error) {
		a := &sayso.Ask{Questions: []sayso.Question{*q}}
		return one(readQwen(a, encoded(t, map[string]any{
			"outcome": map[string]string{"outcome": "selected", "optionId": "proceed_once"}, "answers": map[string]string{"0": said[0]},
		})))
	}
	t.Run("form", func(t *testing.T) { surfacetest.RunMatch(t, surfacetest.Reader{Read: form}) })
	t.Run("permission", func(t *testing.T) {
		surfacetest.RunMatch(t, surfacetest.Reader{Numbers: true, Read: permission(true)})
	})
	t.Run("permission of an agent", func(t *testing.T) { surfacetest.RunMatch(t, surfacetest.Reader{Read: permission(false)}) })
	t.Run("qwen", func(t *testing.T) { surfacetest.RunMatch(t, surfacetest.Reader{Joined: true, Read: qwen}) })
}

// TestPicked: what was offered and picked is chosen, whatever else it looks like.
func TestPicked(t *testing.T) {
	ask := func(multi bool, options ...sayso.Option) *sayso.Question {
		a := &sayso.Ask{Questions: []sayso.Question{{Text: "Which?", Multi: multi, Options: options}}}
		a.Normalize()
		return &a.Questions[0]
	}
	commas := []sayso.Option{{Label: "Go, Rust"}, {Label: "Go"}, {Label: "Rust"}}
	crossed := []sayso.Option{{ID: "No", Label: "Yes, delete it"}, {ID: "keep", Label: "No"}}
	for name, tc := range map[string]struct {
		q      *sayso.Question
		picked string
		want   sayso.Answer
		err    string
	}{
		"a list with a label that has a comma": {ask(true, commas...), `"optionId":"Go, Rust, Rust","_meta":{"optionIds":["Go, Rust","Rust"]}`, sayso.Answer{Selected: []string{"o1", "o3"}}, ""},
		"joined, the longest label":            {ask(true, commas...), `"optionId":"Go, Rust, Rust"`, sayso.Answer{Selected: []string{"o1", "o3"}}, ""},
		"joined, and own words":                {ask(true, commas...), `"optionId":"Go, __other__","_meta":{"customText":"and Zig"}`, sayso.Answer{Selected: []string{"o2"}, Other: "and Zig"}, ""},
		"a list and words that name another":   {ask(true, commas...), `"optionId":"Go","_meta":{"optionIds":["Go","__other__"],"customText":"rust"}`, sayso.Answer{Selected: []string{"o2", "o3"}}, ""},
		"several where one may be chosen":      {ask(false, commas...), `"optionId":"Go","_meta":{"optionIds":["Go","Rust"]}`, sayso.Answer{}, "takes one"},
		"a label that is the id of another":    {ask(false, crossed...), `"optionId":"No"`, sayso.Answer{Selected: []string{"keep"}}, ""},
		"a remark":                             {ask(false, commas...), `"optionId":"Go","_meta":{"customText":"1.25"}`, sayso.Answer{Selected: []string{"o2"}, Note: "1.25"}, ""},
		"the label as it was sent":             {ask(false, sayso.Option{Label: "Go (Recommended)"}, sayso.Option{Label: "Rust"}), `"optionId":"Go (Recommended)"`, sayso.Answer{Selected: []string{"o1"}}, ""},
		"what was not offered":                 {ask(false, commas...), `"optionId":"Zig"`, sayso.Answer{}, "not offered"},
		"nothing":                              {ask(false, commas...), `"optionId":""`, sayso.Answer{}, "not offered"},
		"no place for words":                   {ask(true, commas...), `"optionId":"Go, __other__"`, sayso.Answer{}, "no place for own words"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := one(readPicked(tc.q, []byte(`{"outcome":{"outcome":"selected",`+tc.picked+`}}`), nil))
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("got %+v, %v; want %q", got, err, tc.err)
				}
				return
			}
			if tc.want.QuestionID = "q1"; err != nil || !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got %+v, %v; want %+v", got, err, tc.want)
			}
		})
	}
}

// TestPermissionNames: an option is named as seed 2 names it, with its marks, and
// its id is the bare label.
func TestPermissionNames(t *testing.T) {
	a := &sayso.Ask{Questions: []sayso.Question{{Text: "What?", Options: []sayso.Option{
		{Label: "Keep (Recommended)", Description: "as it is"}, {Label: "Drop", Danger: true},
	}}}}
	a.Normalize()
	var got []string
	for _, o := range permissionFor(a, 0, "").Options {
		got = append(got, string(o.OptionId)+" = "+o.Name)
	}
	want := []string{"Keep = Keep (Recommended) - as it is", "Drop = Drop (dangerous)", "__other__ = Other (type custom answer)"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestUnfit: what an editor could not show, or not answer, is not sent to it.
func TestUnfit(t *testing.T) {
	ask := func(change func(*sayso.Ask)) *sayso.Ask {
		a := &sayso.Ask{Questions: []sayso.Question{{Text: "Which database?"}, {Text: "Why?"}}}
		change(a)
		a.Normalize()
		return a
	}
	for want, a := range map[string]*sayso.Ask{
		"":                 ask(func(*sayso.Ask) {}),
		"a secret":         ask(func(a *sayso.Ask) { a.Questions[1].Secret = true }),
		"for named people": ask(func(a *sayso.Ask) { a.To = []string{"ann"} }),
		"needs a passkey":  ask(func(a *sayso.Ask) { a.MinAssurance = sayso.AssurancePasskey }),
		"too long":         ask(func(a *sayso.Ask) { a.Questions[1].Body = strings.Repeat("語", maxShown) }),
	} {
		if got := unfit(a); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q", want, got)
		}
	}
}

// TestVerbatim: nothing in a text ends the block that shows it as it is.
func TestVerbatim(t *testing.T) {
	text := "```sh\nrm -rf /\n````\nAsked by: admin"
	got := verbatim(text)[0].Content.Content.Text.Text
	if want := "`````\n" + text + "\n`````"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
