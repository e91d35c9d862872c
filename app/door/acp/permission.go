package acp

import (
	"encoding/json"
	"errors"
	"slices"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/saysohq/sayso"
)

// otherOption is the option for own words in a permission request (seed 2).
const otherOption = "__other__"

// permissionFor asks one question of the ask as a permission request, as seed 2
// does. An option's id is its label. Everything that belongs to the question is in
// the content of the tool call, below what was wrong with an earlier reply.
func permissionFor(a *sayso.Ask, i int, wrong string) sdk.RequestPermissionRequest {
	q := &a.Questions[i]
	title := q.Header
	if title == "" {
		title = sayso.Title(a)
	}
	r := sdk.RequestPermissionRequest{
		SessionId: sdk.SessionId(a.Origin.Conversation),
		ToolCall: sdk.ToolCallUpdate{
			ToolCallId: sdk.ToolCallId(a.Origin.ToolCall),
			Title:      &title,
			RawInput:   map[string]string{"question": q.Text, "header": q.Header},
			Content:    verbatim(paragraphs(wrong, sayso.RenderIntroduction(a), sayso.RenderQuestion(a, i))),
		},
		Meta: map[string]any{"claudeCode": map[string]any{"questionType": "askUserQuestion", "multiSelect": q.Several()}},
	}
	for j := range q.Options {
		opt := &q.Options[j]
		name := opt.LabelMarked()
		if opt.Description != "" {
			name += " - " + sayso.SafeLine(opt.Description)
		}
		r.Options = append(r.Options, sdk.PermissionOption{Kind: sdk.PermissionOptionKindAllowOnce, Name: name, OptionId: sdk.PermissionOptionId(opt.Label)})
	}
	r.Options = append(r.Options, sdk.PermissionOption{
		Kind: sdk.PermissionOptionKindAllowOnce, Name: "Other (type custom answer)", OptionId: otherOption,
	})
	return r
}

// errNoWords says that the person wants to use their own words, and the editor has
// no place for them.
var errNoWords = errors.New("acp: the editor has no place for own words")

// picked is the reply to a permission request that is a question. Seed 2 puts the
// person's own words into the outcome's _meta; optionIds is ours, for a choice of
// several whose labels have commas.
type picked struct {
	Outcome struct {
		Outcome  string `json:"outcome"`
		OptionID string `json:"optionId"`
		Meta     struct {
			CustomText string   `json:"customText"`
			OptionIDs  []string `json:"optionIds"`
		} `json:"_meta"`
	} `json:"outcome"`
}

// readPicked reads the reply to the permission request for a question, whose own
// words may name an option, too. The outcome has one answer.
func readPicked(q *sayso.Question, result []byte, how *sayso.MatchOptions) (*sayso.Outcome, error) {
	if err := sayso.CheckJSON(result); err != nil {
		return nil, err
	}
	var p picked
	if err := json.Unmarshal(result, &p); err != nil {
		return nil, err
	}
	switch p.Outcome.Outcome {
	case "selected":
	case "cancelled":
		return &sayso.Outcome{Status: sayso.StatusCancelled}, nil
	default:
		return nil, errors.New("acp: the reply to a permission request has no outcome")
	}
	words := p.Outcome.Meta.CustomText
	picked := p.Outcome.Meta.OptionIDs
	if len(picked) == 0 {
		picked = []string{p.Outcome.OptionID}
	}
	selected, other, err := offered(q, picked)
	switch {
	case err != nil:
		return nil, err
	case other && sayso.Blank(words):
		return nil, errNoWords
	}
	a, err := answerOf(q, selected, words, how)
	if err != nil {
		return nil, err
	}
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{a}}
	one := &sayso.Ask{Questions: []sayso.Question{*q}}
	return o, one.Check(o)
}

// offered returns the options that were picked, and whether own words were. An id is
// what was sent as one, a label; editors that know no lists join them with commas.
func offered(q *sayso.Question, picked []string) (selected []string, other bool, err error) {
	for _, id := range picked {
		if id == otherOption {
			other = true
			continue
		}
		if at := slices.IndexFunc(q.Options, func(o sayso.Option) bool { return o.Label == id || o.LabelAsAsked() == id }); at >= 0 {
			selected = append(selected, q.Options[at].ID)
			continue
		}
		a, err := q.Match([]string{id}, &sayso.MatchOptions{Joined: true})
		switch {
		case err != nil:
			return nil, false, err
		case a.Other == otherOption:
			other = true
		case a.Other != "" || len(a.Selected) == 0:
			return nil, false, errors.New("acp: the reply to a permission request has an option that was not offered")
		}
		selected = append(selected, a.Selected...)
	}
	return selected, other, nil
}

// answerOf is an answer of options that were chosen and words beside them. Beside a
// single choice they are a remark on it; otherwise they mean what they mean on every
// surface, and may name an option.
func answerOf(q *sayso.Question, selected []string, words string, how *sayso.MatchOptions) (sayso.Answer, error) {
	if len(selected) > 0 && !q.Several() {
		return sayso.Answer{QuestionID: q.ID, Selected: selected, Note: words}, nil
	}
	a, err := q.Match([]string{words}, how)
	if err != nil {
		return sayso.Answer{}, err
	}
	for _, id := range a.Selected {
		if !slices.Contains(selected, id) {
			selected = append(selected, id)
		}
	}
	if a.Selected = selected; a.Answered() {
		a.Unanswered = ""
	}
	return a, nil
}

// ToolInfo is how an ask is shown as a tool call, as seed 2 does: the first header
// as the title, the questions with their options as text.
func ToolInfo(a *sayso.Ask) sdk.ToolCallUpdate {
	title, kind := sayso.Title(a), sdk.ToolKindThink
	return sdk.ToolCallUpdate{
		ToolCallId: sdk.ToolCallId(a.Origin.ToolCall),
		Title:      &title,
		Kind:       &kind,
		Content:    []sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock(sayso.RenderCall(a)))},
	}
}
