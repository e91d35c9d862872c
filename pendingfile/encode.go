package pendingfile

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/internal/strictjson"
)

// version is that of the members below the questions, which are for programs.
const version = 1

// encode writes the file: first what the person reads and edits, then what a
// program needs to go on with the ask.
func encode(p *Pending) []byte {
	a := p.Ask
	b := []byte("{\n  \"sessionId\": ")
	b = append(b, printable(quoted(a.Origin.Conversation))...)
	b = append(b, ",\n  \"timestamp\": "...)
	b = append(b, quoted(a.AskedAt.Format(time.RFC3339))...)
	b = append(b, ",\n  \"about\": "...)
	b = append(b, list(strings.Split(strings.TrimSpace(sayso.RenderIntroduction(a)), "\n"))...)
	b = append(b, ",\n  \"questions\": ["...)
	for i := range a.Questions {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, "\n    {\n"...)
		b = appendQuestion(b, &a.Questions[i], p.Outcome)
		b = append(b, "\n    }"...)
	}
	b = append(b, "\n  ],\n  \"sayso\": "...)
	b = strconv.AppendInt(b, version, 10)
	b = append(b, ",\n  \"digest\": "...)
	b = append(b, quoted(a.Digest())...)
	b = append(b, ",\n  \"ask\": "...)
	b = append(b, printable(marshalled(a))...)
	if p.Outcome != nil {
		b = append(b, ",\n  \"outcome\": "...)
		b = append(b, printable(marshalled(p.Outcome))...)
	}
	return append(b, "\n}\n"...)
}

// appendQuestion writes everything that a person is shown of a question, and their
// answer.
func appendQuestion(b []byte, q *sayso.Question, o *sayso.Outcome) []byte {
	member := func(name, value string) {
		if len(b) > 0 && b[len(b)-1] != '\n' {
			b = append(b, ",\n"...)
		}
		b = append(b, "      "+quoted(name)+": "+value...)
	}
	member("id", quoted(q.ID))
	if q.Header != "" {
		member("header", quoted(sayso.SafeLine(q.Header)))
	}
	member("question", quoted(shownText(q)))
	if q.Body != "" {
		member("body", quoted(sayso.SafeText(q.Body)))
	}
	if q.Chooses() {
		labels := make([]string, len(q.Options))
		for i := range q.Options {
			labels[i] = shownLabel(&q.Options[i])
		}
		member("options", list(labels))
		if d := details(q); d != "" {
			member("details", d)
		}
	}
	if q.Several() {
		member("multiSelect", "true")
	}
	member("answer", printable(given(q, o)))
	return b
}

// details is what the options show besides their labels, in their order; "" if that
// is nothing.
func details(q *sayso.Question) string {
	var all []string
	any := false
	for i := range q.Options {
		o := &q.Options[i]
		one := `{"label": ` + quoted(shownLabel(o))
		for _, m := range []struct {
			name, value string
			is          bool
		}{
			{"description", quoted(sayso.SafeText(o.Description)), o.Description != ""},
			{"preview", quoted(sayso.SafeText(o.Preview)), o.Preview != ""},
			{"recommended", "true", o.Recommended},
			{"danger", "true", o.Danger},
		} {
			if m.is {
				one += `, "` + m.name + `": ` + m.value
				any = true
			}
		}
		all = append(all, one+"}")
	}
	if !any {
		return ""
	}
	return "[\n        " + strings.Join(all, ",\n        ") + "\n      ]"
}

// given returns the answer of a closed ask as a person would have written it.
func given(q *sayso.Question, o *sayso.Outcome) string {
	if o == nil || o.Status != sayso.StatusAnswered {
		return "null"
	}
	ans, _ := o.Answer(q.ID)
	var items []string
	for _, id := range ans.Selected {
		items = append(items, shownLabel(q.Option(id)))
	}
	if !sayso.Blank(ans.Other) {
		items = append(items, ans.Other)
	}
	switch {
	case len(items) == 0:
		return "null"
	case q.Several() || len(items) > 1:
		return list(items)
	}
	return quoted(items[0])
}

func list(items []string) string {
	all := make([]string, len(items))
	for i, s := range items {
		all[i] = quoted(s)
	}
	return "[" + strings.Join(all, ", ") + "]"
}

func quoted(s string) string { return string(strictjson.AppendString(nil, s)) }

// marshalled is JSON that decode reads back, or fails to: store sees to that.
func marshalled(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return quoted(err.Error())
	}
	return string(b)
}

// printable escapes, in JSON, whatever a terminal might act on. Such characters
// are found in strings only.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsGraphic(r) {
			b.WriteRune(r)
			continue
		}
		for _, u := range utf16.Encode([]rune{r}) {
			b.WriteString(`\u` + strconv.FormatUint(0x10000|uint64(u), 16)[1:])
		}
	}
	return b.String()
}
