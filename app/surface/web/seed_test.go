package web_test

import (
	"regexp"
	"testing"
)

// TestSeed3Page holds what seed 3 wants of its page: the header and the text of each
// question, radio buttons or checkboxes, a field for own words, a button that sends,
// and one for who does not want to answer.
func TestSeed3Page(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, page := w.ask(threeQuestions())
	got := w.get(w.c, page).body
	for _, want := range []string{
		`>Database<.*>Which database\?<`,
		`>Features<.*>Which features\?<`,
		`<input type="radio" name="q0" value="option:o1"`,
		`<input type="radio" name="q0" value="own"`,
		`<textarea name="t0"`,
		`<input type="checkbox" name="q1" value="option:o2"`,
		`<input type="checkbox" name="q1" value="own"`,
		`<textarea name="t1"`,
		`<textarea name="t2"`,
		`<button[^>]* name="do" value="send"`,
		`<button[^>]* name="do" value="decline"`,
	} {
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("the page has no %s:\n%s", want, got)
		}
	}
}
