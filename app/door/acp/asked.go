package acp

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
)

// question is what an agent asks its editor, and how the reply is spelled.
type question struct {
	ask   *sayso.Ask
	reply func(*sayso.Outcome) any          // spells an outcome as the reply
	read  func(raw) (*sayso.Outcome, error) // reads a reply of the editor
	form  bool                              // an elicitation: the editor may not take it

	// Of an approval:
	line  []byte            // the agent's request, which the editor gets as it is
	again func() *sayso.Ask // makes the ask again, of what is known now
	deny  func() any        // the reply when nobody decides
	note  func(raw) string  // says what a reply of the editor means that is none of the offers
}

// approval reports whether it is about something that the agent wants to do.
func (q *question) approval() bool { return q.again != nil }

// readQuestion returns the question in a request of the agent, or nil if it is none
// that the hub can carry. One that asks for permission is read by
// [proxy.readApproval].
func readQuestion(method string, params raw) *question {
	switch method {
	case "elicitation/create":
		f, err := readForm(params)
		if err != nil {
			return nil
		}
		return &question{ask: f.ask, reply: f.reply, read: func(r raw) (*sayso.Outcome, error) { return f.read(r) }, form: true}
	case "session/request_permission":
		return readPermission(params)
	}
	return nil
}

// permission is what the proxy looks at in a permission request.
type permission struct {
	Session  string `json:"sessionId"`
	ToolCall struct {
		ID       string `json:"toolCallId"`
		Title    string `json:"title"`
		RawInput struct {
			Question string `json:"question"`
			Header   string `json:"header"`
		} `json:"rawInput"`
		Meta qwenMeta `json:"_meta"`
	} `json:"toolCall"`
	Options []struct {
		ID   string `json:"optionId"`
		Name string `json:"name"`
	} `json:"options"`
	Meta struct {
		qwenMeta
		Claude struct {
			Type  string `json:"questionType"`
			Multi bool   `json:"multiSelect"`
		} `json:"claudeCode"`
	} `json:"_meta"`
}

// qwenMeta is how Qwen Code marks a permission request as a question.
type qwenMeta struct {
	Kind      string `json:"qwenInteractionKind"`
	Questions raw    `json:"qwenQuestions"`
}

// readPermission returns the question in a permission request. One that asks for a
// permission is none.
func readPermission(params raw) *question {
	var p permission
	if sayso.CheckJSON(params) != nil || json.Unmarshal(params, &p) != nil {
		return nil
	}
	for _, m := range []qwenMeta{p.ToolCall.Meta, p.Meta.qwenMeta} {
		if m.Kind == "user_question" {
			return p.qwen(m.Questions)
		}
	}
	if p.Meta.Claude.Type == "askUserQuestion" {
		return p.seed2()
	}
	return nil
}

// ask makes an ask that can be stored, or none.
func (p *permission) prepare(a *sayso.Ask) *sayso.Ask {
	a.Dialect = "acp"
	a.Origin.Conversation, a.Origin.ToolCall = p.Session, p.ToolCall.ID
	a.Normalize()
	if a.Validate(sayso.Limits{}) != nil {
		return nil
	}
	return a
}

// seed2 reads a request of seed 2's adapter.
func (p *permission) seed2() *question {
	q := sayso.Question{Text: p.ToolCall.RawInput.Question, Header: p.ToolCall.RawInput.Header, Multi: p.Meta.Claude.Multi}
	if q.Text == "" {
		q.Text = p.ToolCall.Title
	}
	other := false
	for _, o := range p.Options {
		if o.ID == otherOption {
			other = true
			continue
		}
		description, _ := strings.CutPrefix(o.Name, o.ID+" - ")
		if description == o.Name {
			description = ""
		}
		q.Options = append(q.Options, sayso.Option{Label: o.ID, Description: description})
	}
	a := p.prepare(&sayso.Ask{Questions: []sayso.Question{q}})
	if a == nil || !other {
		return nil // own words would have no place
	}
	return &question{
		ask:   a,
		reply: func(o *sayso.Outcome) any { return seed2Reply(a, o) },
		read:  func(r raw) (*sayso.Outcome, error) { return readPicked(&a.Questions[0], r, nil) },
	}
}

func seed2Reply(a *sayso.Ask, o *sayso.Outcome) any {
	o = o.Settled()
	out := map[string]any{"outcome": "cancelled"}
	if o.Status == sayso.StatusAnswered {
		q := &a.Questions[0]
		said, _ := o.Answer(q.ID)
		labels := labelsOf(q, said)
		words := said.Other
		for _, more := range []string{said.Note, o.Reply} {
			if words != "" && more != "" {
				words += "\n"
			}
			words += more
		}
		meta := map[string]any{}
		if len(labels) == 0 {
			labels = []string{otherOption}
		}
		if words != "" {
			meta["customText"] = words
		}
		if q.Several() {
			if words != "" && labels[0] != otherOption {
				labels = append(labels, otherOption)
			}
			meta["optionIds"] = labels
		}
		out = map[string]any{"outcome": "selected", "optionId": strings.Join(labels, ", ")}
		if len(meta) > 0 {
			out["_meta"] = meta
		}
	}
	return map[string]any{"outcome": out}
}

func labelsOf(q *sayso.Question, a sayso.Answer) []string {
	var labels []string
	for _, id := range a.Selected {
		if opt := q.Option(id); opt != nil {
			labels = append(labels, opt.LabelAsAsked())
		}
	}
	return labels
}

// qwen reads a request of Qwen Code, which has the questions in _meta and takes the
// answers beside the outcome, under the index of each.
func (p *permission) qwen(questions raw) *question {
	arguments, err := json.Marshal(map[string]raw{"questions": questions})
	if err != nil {
		return nil
	}
	a, err := dialect.Qwen.Parse(arguments)
	if err != nil {
		return nil
	}
	if a = p.prepare(a); a == nil {
		return nil
	}
	return &question{
		ask:   a,
		reply: func(o *sayso.Outcome) any { return qwenReply(a, o) },
		read:  func(r raw) (*sayso.Outcome, error) { return readQwen(a, r) },
	}
}

func qwenReply(a *sayso.Ask, o *sayso.Outcome) any {
	o = o.Settled()
	if o.Status != sayso.StatusAnswered {
		return map[string]any{"outcome": map[string]string{"outcome": "selected", "optionId": "cancel"}}
	}
	answers := map[string]string{}
	for i := range a.Questions {
		q := &a.Questions[i]
		said, _ := o.Answer(q.ID)
		values := labelsOf(q, said)
		for _, words := range []string{said.Other, said.Note} {
			if words != "" {
				values = append(values, words)
			}
		}
		if i == 0 && o.Reply != "" {
			values = append(values, o.Reply)
		}
		if len(values) > 0 {
			answers[strconv.Itoa(i)] = strings.Join(values, ", ")
		}
	}
	return map[string]any{
		"outcome": map[string]string{"outcome": "selected", "optionId": "proceed_once"},
		"answers": answers,
	}
}

// readQwen reads the editor's reply to Qwen Code.
func readQwen(a *sayso.Ask, result raw) (*sayso.Outcome, error) {
	if err := sayso.CheckJSON(result); err != nil {
		return nil, err
	}
	var p struct {
		picked
		Answers map[string]string `json:"answers"`
	}
	if err := json.Unmarshal(result, &p); err != nil {
		return nil, err
	}
	if p.Outcome.Outcome != "selected" || p.Outcome.OptionID != "proceed_once" {
		return &sayso.Outcome{Status: sayso.StatusCancelled}, nil
	}
	o := &sayso.Outcome{Status: sayso.StatusAnswered}
	for i := range a.Questions {
		q := &a.Questions[i]
		one, err := q.Match([]string{p.Answers[strconv.Itoa(i)]}, &sayso.MatchOptions{Joined: true})
		if err != nil {
			return nil, err
		}
		o.Answers = append(o.Answers, one)
	}
	o = o.Settled()
	return o, a.Check(o)
}
