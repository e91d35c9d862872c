package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/internal/strictjson"
)

// Detect returns the dialect that a raw call speaks, from the name of the tool
// and the shape of the arguments. It is for programs that meet calls of several
// agents, such as a hook; whoever knows the agent uses its dialect.
//
// A name that no dialect has is not detected, whatever the arguments: another
// tool's call must not be taken for a question. A name that one dialect has is
// that dialect. Where several share a name, or the name is empty, the first of
// these decides that fits:
//
//   - follow_up: [Roo]
//   - requestedSchema: [CopilotForm]
//   - a form with confirm_title or confirm_description, or questions with choices
//     or with Crush's types ("yes_no", "single_choice" …): [Crush]
//   - questions with another type: [Gemini]
//   - questions with a prompt or allowMultiple: [Cursor]
//   - questions with a title and no question: [CodexAsync]
//   - questions with multi_select: [Kimi]
//   - questions with multiple: [OpenCode]
//   - questions with message or allowFreeformInput, or options with recommended:
//     [VSCode]
//   - questions with an id: [Codex]
//   - one question with suggestions: [Pi]
//   - one question with choices or allow_freeform: [Copilot]
//   - one question with options: [Cline]
//   - questions that all have a header and options: [Claude], or by the name
//     ask_user_question [Qwen]
//   - any other list of questions: [Pi], or by the name AskUserQuestion [Kimi]
//   - one question and nothing else: [Copilot]
//
// If none fits, a name that several dialects share is that of the agent that is
// met most: Claude, Copilot, OpenCode or Qwen. Without a name, nothing is detected.
//
// Some dialects look like another one and are never detected: [ACP] and
// [ClaudeOlder] are Claude's calls, [JSON] and [Text] Qwen's, [Opal] Copilot's.
func Detect(name string, arguments json.RawMessage) (sayso.Dialect, bool) {
	s := shapeOf(arguments)
	for _, rule := range detectRules {
		switch {
		case name != "" && rule.dialect.Spec().Name != name:
		case rule.fits == nil && name != "", rule.fits != nil && rule.fits(s):
			return rule.dialect, true
		}
	}
	return nil, false
}

// detectRules are tried in this order. One without fits needs a name.
var detectRules = []struct {
	dialect sayso.Dialect
	fits    func(shape) bool
}{
	{Roo, func(s shape) bool { return s.has("follow_up") }},
	{CopilotForm, func(s shape) bool { return s.has("requestedSchema") }},
	{Crush, func(s shape) bool {
		return s.form() && s.has("confirm_title", "confirm_description") || s.anyHas("choices") ||
			s.anyType("yes_no", "single_choice", "multi_choice", "free_text")
	}},
	{Gemini, func(s shape) bool { return s.anyHas("type") }},
	{Cursor, func(s shape) bool { return s.anyHas("prompt", "allowMultiple") }},
	{CodexAsync, func(s shape) bool { return s.anyHas("title") && !s.anyHas("question") }},
	{Kimi, func(s shape) bool { return s.anyHas("multi_select") }},
	{OpenCode, func(s shape) bool { return s.anyHas("multiple") }},
	{VSCode, func(s shape) bool { return s.anyHas("message", "allowFreeformInput") || s.anyOptionHas("recommended") }},
	{Codex, func(s shape) bool { return s.anyHas("id") }},
	{Pi, func(s shape) bool { return s.has("question") && s.has("suggestions") }},
	{Copilot, func(s shape) bool { return s.has("question") && s.has("choices", "allow_freeform") }},
	{Cline, func(s shape) bool { return s.has("question") && s.has("options") }},
	{Claude, func(s shape) bool { return s.allHave("header") && s.allHave("options") }},
	{Qwen, nil},
	{Pi, shape.form},
	{Kimi, shape.form},
	{Copilot, func(s shape) bool { return s.has("question") }},
	{Claude, nil},
	{Cline, nil},
	{Codex, nil},
	{CodexAsync, nil},
	{Copilot, nil},
	{Cursor, nil},
	{OpenCode, nil},
	{Roo, nil},
	{VSCode, nil},
}

// shape is what the rules look at: the members of the call and of its questions.
// What is no object has no members.
type shape struct {
	call      strictjson.Value
	questions []strictjson.Value
}

func shapeOf(arguments json.RawMessage) shape {
	r := newReader()
	v, ok := r.open(arguments)
	if !ok {
		return shape{}
	}
	return shape{v, r.list(v, "", namesQuestions)}
}

func (s shape) has(names ...string) bool { return hasOne(s.call, names) }

func (s shape) form() bool { return len(s.questions) > 0 }

func (s shape) anyHas(names ...string) bool {
	return slices.ContainsFunc(s.questions, func(q strictjson.Value) bool { return hasOne(q, names) })
}

func (s shape) allHave(name string) bool {
	return s.form() && !slices.ContainsFunc(s.questions, func(q strictjson.Value) bool { return !hasOne(q, []string{name}) })
}

func (s shape) anyType(types ...string) bool {
	return slices.ContainsFunc(s.questions, func(q strictjson.Value) bool {
		t, _ := q.Get("type")
		return slices.Contains(types, strings.ToLower(t.Str()))
	})
}

func (s shape) anyOptionHas(name string) bool {
	return slices.ContainsFunc(s.questions, func(q strictjson.Value) bool {
		list := newReader().list(q, "", namesOptions)
		return slices.ContainsFunc(list, func(o strictjson.Value) bool { return hasOne(o, []string{name}) })
	})
}

func hasOne(v strictjson.Value, names []string) bool {
	_, ok := member(v, names)
	return ok
}
