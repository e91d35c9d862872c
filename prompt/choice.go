package prompt

import (
	"slices"
	"strconv"
	"strings"

	"github.com/saysohq/sayso"
)

// choice is a line read as an answer to a question with options.
type choice struct {
	selected []string
	other    string
	asksText bool   // own words are wanted, and were not on the line
	problem  string // why the line is no answer, in words for the person
}

// readChoice reads numbers, labels, a comma list of them, and own words after
// "other" or 0, which may end a list.
func readChoice(q *sayso.Question, line string) choice {
	if whole := strings.TrimSpace(line); !isOther(whole) && !isNumber(whole) {
		if id, _ := byLabel(q, whole); id != "" { // it may hold commas, or begin with "other"
			return choice{selected: []string{id}}
		}
	}
	var c choice
	for rest := line; rest != ""; {
		if words, found := cutOther(rest); found {
			c.other, c.asksText = words, sayso.Blank(words)
			break
		}
		var item string
		item, rest, _ = strings.Cut(rest, ",")
		for _, token := range tokens(item) {
			id, problem := pick(q, token)
			if problem != "" {
				return choice{problem: problem}
			}
			if !slices.Contains(c.selected, id) {
				c.selected = append(c.selected, id)
			}
		}
	}
	switch {
	case len(c.selected) > 1 && !q.Multi:
		return choice{problem: "Choose one option only."}
	case len(c.selected) == 0 && c.other == "" && !c.asksText:
		return choice{problem: "That names no option."}
	}
	return c
}

// tokens splits "1 3" into its numbers and leaves everything else in one piece.
func tokens(item string) []string {
	fields := strings.Fields(item)
	for _, f := range fields {
		if !isNumber(f) {
			return []string{strings.TrimSpace(item)}
		}
	}
	return fields
}

// pick returns the option that a number or a label names.
func pick(q *sayso.Question, token string) (id, problem string) {
	id, problem = byLabel(q, token)
	n, numbered := number(token)
	switch {
	case problem != "":
		return "", problem
	case !numbered && id == "":
		return "", quoted(token) + " is no option. To answer in your own words, type: other " + sayso.SafeLine(first(token, 60))
	case numbered && id == "" && (n < 1 || n > len(q.Options)):
		return "", "There is no option " + strconv.Itoa(n) + "."
	case !numbered || n < 1 || n > len(q.Options):
		return id, ""
	}
	switch o := &q.Options[n-1]; {
	case id != "" && id != o.ID && token[0] != '#':
		return "", quoted(token) + " is the label of one option and the number of another. Type # before a number to choose by number."
	case o.Danger && id != o.ID:
		return "", "Option " + strconv.Itoa(n) + " is marked as dangerous. To choose it, type its label in full: " + sayso.SafeLine(o.Label)
	}
	return q.Options[n-1].ID, ""
}

// byLabel returns the option whose label is s, or the only one whose label is s
// but for upper and lower case.
func byLabel(q *sayso.Question, s string) (id, problem string) {
	if s == "" {
		return "", ""
	}
	for i := range q.Options {
		if o := &q.Options[i]; s == o.Label || s == o.LabelAsAsked() {
			return o.ID, ""
		}
	}
	for i := range q.Options {
		if o := &q.Options[i]; strings.EqualFold(s, o.Label) || strings.EqualFold(s, o.LabelAsAsked()) {
			if id != "" {
				return "", quoted(s) + " may be one of two labels. Type a number."
			}
			id = o.ID
		}
	}
	return id, ""
}

// number reads "3" and "#3".
func number(s string) (int, bool) {
	s = strings.TrimPrefix(s, "#")
	if s == "" || len(s) > 6 || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

func isNumber(s string) bool {
	_, ok := number(s)
	return ok
}

func isOther(s string) bool { return s == "0" || strings.EqualFold(s, "other") }

// cutOther returns the own words after "other" or 0 at the beginning of s.
func cutOther(s string) (words string, found bool) {
	s = strings.TrimLeft(s, " \t")
	head, words, _ := strings.Cut(s, " ")
	return words, isOther(strings.TrimSuffix(head, ":"))
}

func quoted(s string) string { return strconv.Quote(first(s, 60)) }

// first returns the first n runes of s.
func first(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n]) + "…"
	}
	return s
}
