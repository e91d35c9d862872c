package sayso_test

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/saysohq/sayso"
)

// matchCase is a row of testdata/match.json. Every surface is held to the same
// rows: the file says what is asked, what is said and what that means.
type matchCase struct {
	Name     string         `json:"name"`
	Question sayso.Question `json:"question"`
	Said     []string       `json:"said"`
	Selected []string       `json:"selected"`
	Other    string         `json:"other"`
	Refused  bool           `json:"refused"`

	// What it means where the surface numbers the options, if that differs.
	Numbered *struct {
		Selected []string `json:"selected"`
		Other    string   `json:"other"`
		Refused  bool     `json:"refused"`
	} `json:"numbered"`

	// What a single text means where a protocol joins labels with commas.
	Joined bool `json:"joined"`
}

func TestMatch(t *testing.T) {
	data, err := os.ReadFile("testdata/match.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []matchCase
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 40 {
		t.Fatalf("there are %d rows, fewer than 40", len(cases))
	}
	seen := map[string]bool{}
	for _, c := range cases {
		if seen[c.Name] {
			t.Errorf("two rows are called %q", c.Name)
		}
		seen[c.Name] = true
		t.Run(c.Name, func(t *testing.T) {
			a := &sayso.Ask{Questions: []sayso.Question{c.Question}}
			a.Normalize()
			if err := a.Validate(sayso.Limits{}); err != nil {
				t.Fatal(err)
			}
			q := &a.Questions[0]
			check := func(o *sayso.MatchOptions, selected []string, other string, refused bool) {
				t.Helper()
				got, err := q.Match(c.Said, o)
				switch {
				case refused != errors.Is(err, sayso.ErrAmbiguous):
					t.Errorf("%+v: error %v, refused: %v", *o, err, refused)
				case err == nil && (!slices.Equal(got.Selected, selected) || got.Other != other):
					t.Errorf("%+v: %q, %q; want %q, %q", *o, got.Selected, got.Other, selected, other)
				case err == nil && got.Answered() == (got.Unanswered != ""):
					t.Errorf("%+v: %+v", *o, got)
				}
			}
			check(&sayso.MatchOptions{Joined: c.Joined}, c.Selected, c.Other, c.Refused)
			if n := c.Numbered; n != nil {
				check(&sayso.MatchOptions{Joined: c.Joined, Numbers: true}, n.Selected, n.Other, n.Refused)
			} else {
				check(&sayso.MatchOptions{Joined: c.Joined, Numbers: true}, c.Selected, c.Other, c.Refused)
			}
		})
	}
}

// An id is the asker's choice and nobody sees it: it must not take the place of
// what a person reads.
func TestMatchHiddenID(t *testing.T) {
	a := &sayso.Ask{Questions: []sayso.Question{{Text: "Delete it?", Options: []sayso.Option{
		{ID: "No", Label: "Yes, delete it"}, {ID: "x", Label: "No"},
	}}}}
	a.Normalize()
	got, err := a.Questions[0].Match([]string{"No"}, nil)
	if !errors.Is(err, sayso.ErrAmbiguous) {
		t.Errorf("%+v, %v", got, err)
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("PostgreSQL", "A, B", "a, b", true, true)
	f.Add("１", "B", "#1,2", true, false)
	f.Fuzz(func(t *testing.T, one, two, said string, joined, numbers bool) {
		a := &sayso.Ask{Questions: []sayso.Question{{Text: "Which?", Multi: joined, Options: []sayso.Option{{Label: one}, {Label: two}}}}}
		a.Normalize()
		if a.Validate(sayso.Limits{}) != nil {
			return
		}
		q := &a.Questions[0]
		for i := range q.Options { // what is shown can always be said
			for _, label := range []string{q.Options[i].Label, q.Options[i].LabelAsAsked()} {
				got, err := q.Match([]string{label}, nil)
				if err == nil && !slices.Equal(got.Selected, []string{q.Options[i].ID}) {
					t.Errorf("%q means %+v", label, got)
				}
			}
		}
		got, err := q.Match([]string{said}, &sayso.MatchOptions{Joined: joined, Numbers: numbers})
		if err == nil && !sayso.Blank(said) && !got.Answered() {
			t.Errorf("%q is lost: %+v", said, got)
		}
	})
}
