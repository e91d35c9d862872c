package conversation_test

import (
	"fmt"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/conversation"
)

// A conversation asks its person, is written down, and goes on from there when the
// answer comes, in whatever process that is.
func Example() {
	ask := &sayso.Ask{ID: "ask_1", Questions: []sayso.Question{{Text: "Which database?", Options: []sayso.Option{{Label: "PostgreSQL"}, {Label: "SQLite"}}}}}
	ask.Normalize()

	state := conversation.New("main", nil)
	feed := func(e conversation.Event) {
		next, effects, err := conversation.Transition(state, e)
		if err != nil {
			fmt.Println(err)
			return
		}
		state = next
		for _, effect := range effects {
			fmt.Print(effect.Key(), " ")
		}
		fmt.Println("→", conversation.Name(state))
	}

	feed(conversation.UserMessage{ID: "m1", Text: "Set up a service"})
	feed(conversation.ModelReplied{Step: 1, Calls: []conversation.ToolCall{{ID: "c1", Name: "ask_user"}}})
	feed(conversation.AskPending{Step: 1, Call: "c1", Ask: ask})

	saved, _ := conversation.MarshalState(state)
	state, _ = conversation.UnmarshalState(saved) // days later

	feed(conversation.Resumed{})
	answer := conversation.AskClosed{
		Ask:     "ask_1",
		Outcome: &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o2"}}}},
		Result:  conversation.ToolResult{Text: "SQLite"},
	}
	feed(answer)
	feed(answer) // a second time: nothing to do
	feed(conversation.UserMessage{ID: "m2", Text: "And hurry"})

	// Output:
	// save/1 notify/1 model/1/1 → llm_requesting
	// save/2 notify/2 tool/1/c1 → tool_executing
	// save/3 notify/3 ask/ask_1 → awaiting_user_response
	// ask/ask_1 → awaiting_user_response
	// save/4 notify/4 model/2/1 → llm_requesting
	// → llm_requesting
	// conversation: llm_requesting does not take user_message: the conversation is not waiting for a message
}
