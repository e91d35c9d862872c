package sayso_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/prompt"
	"github.com/saysohq/sayso/saysotest"
)

// call is what a model sends.
var call = sayso.Call{ID: "toolu_1", Conversation: "c1", Arguments: json.RawMessage(`{"questions": [{
	"question": "Which testing framework should we use?", "header": "Testing", "multiSelect": false,
	"options": [
		{"label": "Jest", "description": "Popular JavaScript testing framework"},
		{"label": "Vitest", "description": "Vite-native, fast testing framework"}]}]}`)}

// A host in ten lines: say how the model spells the tool and who gets the
// question, offer the tool, and hand back the result. Here the person types 2.
func Example() {
	tool := &sayso.Tool{
		Dialect:  dialect.Claude,
		Resolver: &prompt.Resolver{In: strings.NewReader("2\n"), Out: io.Discard},
	}
	fmt.Println("offered to the model:", tool.Spec().Name)
	result, err := tool.Call(context.Background(), call)
	if err != nil {
		fmt.Println("something broke:", err)
		return
	}
	fmt.Println(result.Text)
	// Output:
	// offered to the model: AskUserQuestion
	// Your questions have been answered: "Which testing framework should we use?"="Vitest". You can now continue with these answers in mind.
}

// A host that cannot block asks in two steps, perhaps in two processes.
func ExampleTool_Prepare() {
	tool := &sayso.Tool{Dialect: dialect.Claude}
	ask, refusal := tool.Prepare(call)
	if refusal != nil {
		fmt.Println(refusal.Text)
		return
	}
	fmt.Println(sayso.RenderCall(ask))

	outcome := &sayso.Outcome{Status: sayso.StatusDeclined, By: sayso.Responder{Kind: sayso.ByPerson}}
	result, err := tool.Finish(ask, outcome)
	fmt.Println(result.Text, err)
	// Output:
	// Which testing framework should we use?
	//   - Jest: Popular JavaScript testing framework
	//   - Vitest: Vite-native, fast testing framework
	// The user doesn't want to proceed with this tool use. The tool use was rejected. <nil>
}

// A sub-agent asks its parent first. The parent does not know, so the person is
// asked, and sees the whole chain.
func ExampleEscalate() {
	person := saysotest.Answers("Vitest")
	parent := saysotest.Unreachable()
	planner := sayso.Escalate("planner", person)
	tool := &sayso.Tool{Dialect: dialect.Claude, Resolver: sayso.Escalate("researcher", parent, planner)}

	result, err := tool.Call(context.Background(), call)
	fmt.Println(result.IsError, err)
	fmt.Println("asked by", person.Asks()[0].Origin.Agents)
	// Output:
	// false <nil>
	// asked by [planner researcher]
}

// Sub-agents that may not ask are told so.
func ExampleDeny() {
	tool := &sayso.Tool{Dialect: dialect.Claude, Resolver: sayso.Deny("Sub-agents cannot ask. Report the open question to your parent.")}
	result, err := tool.Call(context.Background(), call)
	fmt.Println(result.Text, err)
	// Output:
	// Sub-agents cannot ask. Report the open question to your parent. <nil>
}

// Test a host with a fake person in place of the real one: here one who leaves.
func Example_testingAHost() {
	person := saysotest.Later()
	tool := &sayso.Tool{Dialect: dialect.Claude, Resolver: person}

	result, err := tool.Call(context.Background(), call)
	fmt.Println(strings.Contains(result.Text, "answered"), err)
	fmt.Println("was shown:", sayso.Meta(person.Asks()[0]))
	// Output:
	// false <nil>
	// was shown: Which testing framework should we use?
}
