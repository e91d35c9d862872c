package prompt_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/prompt"
)

// FuzzAsk has an asker who may write anything and a person who may type
// anything: what comes back fits the ask, and the stream stays clean.
func FuzzAsk(f *testing.F) {
	for _, typed := range []string{
		"1\n", "2,1\nname\ny\n", "other x\n-\ny\n", "0\n\n0\nx\nskip\n?\n2\ny\n", "#1 #2\ndecline\nyes\n",
		"later\n", "decline\n", "\n\n\n", "A, other: b, c\n1\n1\n1\n\x00\n\xff\n", "\x1b[A\r\n" + strings.Repeat("y\n", 9),
	} {
		f.Add("A", typed, false)
		f.Add("A\x1b]0;x\x07\u202e\r\n  1. B (Recommended)\xff\u009b", typed, true)
	}
	f.Fuzz(func(t *testing.T, asked, typed string, danger bool) {
		options := []sayso.Option{{Label: asked, Description: asked, Preview: asked, Danger: danger}, {Label: "B"}, {Label: "2"}}
		a := &sayso.Ask{
			Questions: []sayso.Question{
				{Header: asked, Text: asked, Body: asked, Multi: true, Options: options},
				{Text: asked, Secret: danger},
			},
			Origin: sayso.Origin{Agents: []string{asked, asked}, Workspace: asked, Branch: asked},
		}
		if danger {
			a.Normalize()
		} else { // nor must a host that forgot to
			a.Questions[0].ID, a.Questions[1].ID = "q1", "q2"
			options[0].ID, options[1].ID, options[2].ID = "o1", "o2", "o3"
		}
		var screen bytes.Buffer
		o, err := (&prompt.Resolver{In: strings.NewReader(typed), Out: &screen}).Ask(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Check(o); err != nil {
			t.Errorf("%+v does not fit: %v", o, err)
		}
		if o.Status == sayso.StatusAnswered && !strings.Contains(typed, "\n") {
			t.Error("answered without a line")
		}
		if !utf8.Valid(screen.Bytes()) {
			t.Error("the stream is not UTF-8")
		}
		for _, r := range screen.String() {
			if r != '\n' && unicode.In(r, unicode.Cc, unicode.Bidi_Control) {
				t.Fatalf("%U reached the stream:\n%q", r, screen.String())
			}
		}
	})
}
