package sayso_test

import (
	"context"
	"fmt"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/hub"
)

// A host that cannot wait asks, goes on with other work, and looks again later. Here
// the hub is in the program; with package client it is the same.
func ExampleTry() {
	ctx, hub, stop := openHub()
	defer stop()

	// begin try
	tool := &sayso.Tool{Dialect: dialect.Claude, Resolver: hub.Resolver("acme")}
	ask, refusal := tool.Prepare(call)
	if refusal != nil {
		fmt.Println(refusal.Text)
		return
	}
	outcome, handle, err := sayso.Try(ctx, tool.Resolver, ask)
	fmt.Println(outcome.Status, "with a handle:", handle != "", err)

	answer(ctx, hub, "o2") // a person, some time later

	outcome, _, err = sayso.Try(ctx, tool.Resolver, ask)
	fmt.Println(outcome.Status, err)
	result, err := tool.Finish(ask, outcome)
	fmt.Println(result.Text, err)
	// end try
	// Output:
	// pending with a handle: true <nil>
	// answered <nil>
	// Your questions have been answered: "Which testing framework should we use?"="Vitest". You can now continue with these answers in mind. <nil>
}

func openHub() (context.Context, *hub.Hub, func()) {
	ctx := context.Background()
	h, err := hub.Open(ctx, hub.NewMemory(nil), nil)
	if err != nil {
		panic(err)
	}
	return ctx, h, h.Stop
}

// answer is a person who looks into the inbox.
func answer(ctx context.Context, h *hub.Hub, option string) {
	inbox := h.Inbox("acme", sayso.Responder{Kind: sayso.ByPerson, ID: "ann"})
	waiting, err := inbox.List(ctx, nil)
	if err != nil {
		panic(err)
	}
	for _, t := range waiting.Tickets {
		said := []sayso.Answer{{QuestionID: t.Ask.Questions[0].ID, Selected: []string{option}}}
		if _, err := inbox.Close(ctx, t, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: said}); err != nil {
			panic(err)
		}
	}
}
