package cli

import (
	"context"
	"errors"
	"fmt"

	"charm.land/fantasy"

	"github.com/saysohq/sayso/app/demo"
)

// demoModel is a model that follows the script of the demo. It knows nothing but
// what it is told: how many results there are says which question comes next. So it
// goes on where it was, whatever ended the process.
type demoModel struct{}

var _ fantasy.LanguageModel = demoModel{}

func (demoModel) Provider() string { return "script" }
func (demoModel) Model() string    { return "demo" }

// Stream says the next words of the script, and asks its next question.
func (demoModel) Stream(_ context.Context, call fantasy.Call) (fantasy.StreamResponse, error) {
	results, last := resultsIn(call.Prompt)
	steps := demo.Steps()
	return func(yield func(fantasy.StreamPart) bool) {
		say, finish := demo.Last(last), fantasy.FinishReasonStop
		if results < len(steps) {
			say, finish = steps[results].Says, fantasy.FinishReasonToolCalls
		}
		if !yield(fantasy.StreamPart{Type: fantasy.StreamPartTypeTextDelta, ID: "text", Delta: say}) {
			return
		}
		if results < len(steps) && !yield(fantasy.StreamPart{
			Type: fantasy.StreamPartTypeToolCall, ID: fmt.Sprintf("demo-%d", results+1),
			ToolCallName: askTool, ToolCallInput: string(steps[results].Call),
		}) {
			return
		}
		yield(fantasy.StreamPart{Type: fantasy.StreamPartTypeFinish, FinishReason: finish})
	}, nil
}

// resultsIn counts the results of tools in a prompt, and returns the text of the
// last one.
func resultsIn(p fantasy.Prompt) (n int, last string) {
	for _, m := range p {
		for _, part := range m.Content {
			r, ok := part.(fantasy.ToolResultPart)
			if !ok {
				continue
			}
			n++
			last = ""
			if text, ok := r.Output.(fantasy.ToolResultOutputContentText); ok {
				last = text.Text
			}
		}
	}
	return n, last
}

var errScript = errors.New("the model of the demo only follows its script")

// Generate is not part of the script.
func (demoModel) Generate(context.Context, fantasy.Call) (*fantasy.Response, error) {
	return nil, errScript
}

// GenerateObject is not part of the script.
func (demoModel) GenerateObject(context.Context, fantasy.ObjectCall) (*fantasy.ObjectResponse, error) {
	return nil, errScript
}

// StreamObject is not part of the script.
func (demoModel) StreamObject(context.Context, fantasy.ObjectCall) (fantasy.ObjectStreamResponse, error) {
	return nil, errScript
}
