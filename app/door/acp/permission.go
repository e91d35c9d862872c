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
// does. An option's id is its label.
func permissionFor(a *sayso.Ask, i int) sdk.RequestPermissionRequest {
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
		},
		Meta: map[string]any{"claudeCode": map[string]any{"questionType": "askUserQuestion", "multiSelect": q.Several()}},
	}
	for _, opt := range q.Options {
		name := opt.Label
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

// readPicked reads the reply to the permission request for a question. The outcome
// has one answer.
func readPicked(q *sayso.Question, result []byte) (*sayso.Outcome, error) {
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
	said := p.Outcome.Meta.OptionIDs
	if len(said) == 0 {
		said = []string{p.Outcome.OptionID}
	}
	if slices.Contains(said, otherOption) && sayso.Blank(words) {
		return nil, errNoWords
	}
	said = slices.DeleteFunc(said, func(id string) bool { return id == otherOption })
	a, err := q.Match(said, &sayso.MatchOptions{Joined: true})
	if err != nil {
		return nil, err
	}
	switch {
	case a.Other == otherOption && sayso.Blank(words):
		return nil, errNoWords
	case a.Other != "" && a.Other != otherOption:
		return nil, errors.New("acp: the reply to a permission request has an option that was not offered")
	}
	a = remarked(q, a.Selected, words)
	o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{a}}
	one := &sayso.Ask{Questions: []sayso.Question{*q}}
	return o, one.Check(o)
}

// remarked is an answer of options and words beside them: beside a single choice
// they are a remark on it.
func remarked(q *sayso.Question, selected []string, words string) sayso.Answer {
	a := sayso.Answer{QuestionID: q.ID, Selected: selected}
	if len(selected) > 0 && !q.Several() {
		a.Note = words
	} else {
		a.Other = words
	}
	return a
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
