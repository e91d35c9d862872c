package pi

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/bridge"
	"github.com/saysohq/sayso/dialect"
)

// result is what the tool returns to pi. One that is an error is thrown there.
type result struct {
	Text    string          `json:"text"`
	Details json.RawMessage `json:"details,omitempty"`
	IsError bool            `json:"isError,omitempty"`
}

func (s *server) ask(ctx context.Context, p *bridge.Peer, f from, arguments json.RawMessage) (*result, error) {
	a, err := s.bridge.Question(dialect.Pi, f.bridge(), arguments)
	if err != nil {
		return &result{Text: err.Error(), IsError: true}, nil
	}
	var dialog func(context.Context) *sayso.Outcome
	if f.UI {
		dialog = func(ctx context.Context) *sayso.Outcome {
			return (&form{plugin{p, f.Call}}).ask(ctx, a)
		}
	}
	told, err := s.race(ctx, f, &bridge.Request{Ask: a}, dialog)
	if err != nil {
		return nil, err
	}
	o := &sayso.Outcome{Status: sayso.StatusUnreachable, Reason: "the question was closed without an answer"}
	if told != nil {
		o = told.Outcome
	}
	r, err := (&sayso.Tool{Dialect: dialect.Pi}).Finish(a, o)
	if err != nil {
		return nil, err
	}
	return &result{Text: r.Text, Details: r.Structured, IsError: r.IsError}, nil
}

// plugin has pi show dialogs for a call.
type plugin struct {
	*bridge.Peer
	call string
}

// show has pi show a dialog, and returns what was chosen or typed. It is false if the
// person closed the dialog. It returns when the dialog is gone, also if ctx ends.
func (g *plugin) show(ctx context.Context, kind, title string, options ...string) (text string, ok bool, err error) {
	var r struct {
		Value *string `json:"value"`
	}
	defer context.AfterFunc(ctx, func() { g.Notify("close", map[string]string{"call": g.call}) })()
	err = g.Call(context.WithoutCancel(ctx), "dialog", map[string]any{"call": g.call, "kind": kind, "title": title, "options": options}, &r)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil || r.Value == nil {
		return "", false, err
	}
	return *r.Value, true, nil
}

// form asks the questions of an ask in pi's dialogs, one after the other.
type form struct{ plugin }

const (
	otherChoice = "Answer in your own words"
	doneChoice  = "Done"
)

// ask returns nil if pi cannot show the questions.
func (f *form) ask(ctx context.Context, a *sayso.Ask) *sayso.Outcome {
	o := &sayso.Outcome{Status: sayso.StatusAnswered}
	for i := range a.Questions {
		ans, ok, err := f.one(ctx, a, i)
		switch {
		case err != nil:
			return nil
		case !ok:
			return &sayso.Outcome{Status: sayso.StatusCancelled}
		}
		o.Answers = append(o.Answers, ans)
	}
	if o = o.Settled(); a.Check(o) != nil {
		return nil
	}
	return o
}

// one asks a question. It is false if the person closed the dialog.
func (f *form) one(ctx context.Context, a *sayso.Ask, i int) (ans sayso.Answer, ok bool, err error) {
	q := &a.Questions[i]
	ans.QuestionID = q.ID
	title := titleOf(a, i)
	if len(q.Options) == 0 {
		ans.Other, ok, err = f.show(ctx, "input", title)
		return ans, ok, err
	}
	for {
		chosen, ok, err := f.show(ctx, "select", title, f.choices(q, &ans)...)
		if err != nil || !ok {
			return ans, ok, err
		}
		at, known := indexOf(chosen)
		switch {
		case chosen == otherChoice || strings.HasPrefix(chosen, otherChoice+":"):
			if ans.Other, ok, err = f.show(ctx, "input", title); err != nil || !ok {
				return ans, ok, err
			}
		case chosen == doneChoice:
			return ans, true, nil
		case !known || at >= len(q.Options):
			return ans, false, fmt.Errorf("pi: %q is none of the choices", chosen)
		default:
			option := &q.Options[at]
			if option.Danger && !slices.Contains(ans.Selected, option.ID) {
				sure, ok, err := f.show(ctx, "select", option.Label+" is marked as dangerous. Choose it?", "Yes, choose it", "No")
				if err != nil || !ok {
					return ans, ok, err
				}
				if sure == "No" {
					continue
				}
			}
			if ans.Selected = toggled(ans.Selected, option.ID, q.Several()); q.Several() {
				continue
			}
			return ans, true, nil
		}
		if !q.Several() {
			return ans, true, nil
		}
	}
}

// choices are the lines to choose from. A number tells them apart.
func (f *form) choices(q *sayso.Question, ans *sayso.Answer) (lines []string) {
	for i := range q.Options {
		o := &q.Options[i]
		mark := ""
		if q.Several() {
			if mark = "[ ] "; slices.Contains(ans.Selected, o.ID) {
				mark = "[x] "
			}
		}
		line := strconv.Itoa(i+1) + ". " + mark + sayso.SafeLine(o.LabelMarked())
		if o.Description != "" {
			line += ": " + sayso.SafeLine(o.Description)
		}
		lines = append(lines, line)
	}
	other := otherChoice
	if ans.Other != "" {
		other += ": " + sayso.SafeLine(ans.Other)
	}
	lines = append(lines, other)
	if q.Several() {
		lines = append(lines, doneChoice)
	}
	return lines
}

func indexOf(line string) (int, bool) {
	number, _, ok := strings.Cut(line, ". ")
	n, err := strconv.Atoi(number)
	return n - 1, ok && err == nil && n > 0
}

func toggled(ids []string, id string, several bool) []string {
	switch {
	case !several:
		return []string{id}
	case slices.Contains(ids, id):
		return slices.DeleteFunc(ids, func(other string) bool { return other == id })
	}
	return append(ids, id)
}

func titleOf(a *sayso.Ask, i int) string {
	q := &a.Questions[i]
	title := q.Text
	if q.Body != "" {
		title += "\n\n" + q.Body
	}
	switch {
	case len(a.Questions) > 1 && q.Header != "":
		title = fmt.Sprintf("%s (%d of %d)\n%s", q.Header, i+1, len(a.Questions), title)
	case len(a.Questions) > 1:
		title = fmt.Sprintf("%d of %d\n%s", i+1, len(a.Questions), title)
	}
	return title
}
