package copilot

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/bridge"
	"github.com/saysohq/sayso/dialect"
)

// form is a form that Copilot shows.
type form struct {
	Request string          `json:"requestId"`
	Call    string          `json:"toolCallId"`
	Source  string          `json:"elicitationSource"` // the MCP server that asks; empty: the agent
	Mode    string          `json:"mode"`
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"requestedSchema"`
}

// ask carries a question of the agent to the hub.
func (d *door) ask(p *bridge.Peer, e *event) {
	var f form
	if json.Unmarshal(e.Data, &f) != nil || f.Request == "" || f.Source != "" || f.Mode != "" && f.Mode != "form" {
		return
	}
	arguments, err := json.Marshal(map[string]any{"message": f.Message, "requestedSchema": f.Schema})
	if err != nil {
		return
	}
	a, err := d.bridge.Question(dialect.CopilotForm, bridge.From{Session: e.Session, Call: f.Call, Dir: e.Dir}, arguments)
	if err != nil {
		return
	}
	d.mu.Lock()
	d.forms[f.Request] = a
	d.mu.Unlock()
	d.bridge.Open(&bridge.Request{ID: f.Request, Ask: a, Reply: func(ctx context.Context, t *bridge.Told) error {
		content, err := f.content(t)
		if err != nil || content == nil {
			return err
		}
		return reply(ctx, p, methodElicitation, f.Request, content)
	}})
}

// content is what Copilot is told of a form; nil if nobody said anything: then its own
// dialog stays.
func (f *form) content(t *bridge.Told) (map[string]any, error) {
	r, err := (&sayso.Tool{Dialect: dialect.CopilotForm}).Finish(t.Ask, t.Outcome)
	if err != nil || r.Structured == nil {
		return nil, err
	}
	var all map[string]any
	if err := json.Unmarshal(r.Structured, &all); err != nil {
		return nil, err
	}
	var s struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	}
	values, _ := all["content"].(map[string]any)
	if json.Unmarshal(f.Schema, &s) != nil {
		return all, nil
	}
	for name, v := range values {
		text, ok := v.(string)
		if kind := s.Properties[name].Type; !ok || kind != "number" && kind != "integer" {
			continue
		}
		if _, err := strconv.ParseFloat(text, 64); err == nil && json.Valid([]byte(text)) {
			values[name] = json.Number(text)
		}
	}
	return all, nil
}

// answered closes a question that was answered in Copilot's own dialog.
func (d *door) answered(e *event) {
	var c struct {
		Request string         `json:"requestId"`
		Action  string         `json:"action"`
		Content map[string]any `json:"content"`
	}
	if json.Unmarshal(e.Data, &c) != nil {
		return
	}
	d.mu.Lock()
	a := d.forms[c.Request]
	delete(d.forms, c.Request)
	d.mu.Unlock()
	switch {
	case a == nil:
	case c.Action == "accept":
		d.bridge.Settled(c.Request, outcome(a, c.Content))
	default:
		d.bridge.Dropped(c.Request, "closed in Copilot without an answer")
	}
}

// outcome reads what was entered into a form; nil if it does not fit the questions.
func outcome(a *sayso.Ask, content map[string]any) *sayso.Outcome {
	o := &sayso.Outcome{Status: sayso.StatusAnswered}
	for i := range a.Questions {
		q := &a.Questions[i]
		var words []string
		ans := sayso.Answer{QuestionID: q.ID}
		for _, v := range texts(content[q.ID]) {
			if option := named(q, v); option != "" {
				ans.Selected = append(ans.Selected, option)
			} else if !sayso.Blank(v) {
				words = append(words, v)
			}
		}
		ans.Other = strings.Join(words, "\n")
		if ans.Answered() {
			o.Answers = append(o.Answers, ans)
		}
	}
	if o = o.Settled(); a.Check(o) != nil {
		return nil
	}
	return o
}

// named returns the id of the option that has a value, or "".
func named(q *sayso.Question, value string) string {
	for i := range q.Options {
		if q.Options[i].LabelAsAsked() == value {
			return q.Options[i].ID
		}
	}
	return ""
}

// texts returns a value of a form as texts.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case bool:
		return []string{strconv.FormatBool(v)}
	case float64:
		return []string{strconv.FormatFloat(v, 'g', -1, 64)}
	case []any:
		var all []string
		for _, one := range v {
			all = append(all, texts(one)...)
		}
		return all
	}
	return nil
}
