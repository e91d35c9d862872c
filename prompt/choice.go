package prompt

import (
	"strings"

	"github.com/saysohq/sayso"
)

// choice is a line read as an answer to a question with options.
type choice struct {
	sayso.Answer
	asksText bool   // own words are wanted, and were not on the line
	doubt    bool   // the line names no option: it may be meant as own words
	problem  string // why the line is no answer, in words for the person
}

// readChoice reads a number, a label, where several may be chosen a comma list of
// them, and own words, which stand behind the word "other" or alone.
func readChoice(q *sayso.Question, line string) choice {
	how := &sayso.MatchOptions{Numbers: true, Joined: true}
	ans, err := q.Match([]string{line}, how)
	if err != nil {
		return choice{problem: sentence(err)}
	}
	c := choice{Answer: ans, doubt: len(ans.Selected) == 0}
	if words, found := cutOther(ans.Other); found {
		c.Other, c.doubt, c.asksText = words, false, sayso.Blank(words)
	}
	return c
}

// cutOther returns the own words after "other" at the beginning of s.
func cutOther(s string) (words string, found bool) {
	head, words, _ := strings.Cut(strings.TrimLeft(s, " \t"), " ")
	return words, strings.EqualFold(strings.TrimSuffix(head, ":"), "other")
}

// sentence words what is wrong with a line.
func sentence(err error) string {
	s := sayso.RenderError(err)
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// first returns the first n runes of s.
func first(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n]) + "…"
	}
	return s
}
