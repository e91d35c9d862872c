package hub_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// Two surfaces show one ask. Both answer; one wins, the other is told who.
func Example() {
	ctx := context.Background()
	noon := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	h, err := hub.Open(ctx, hub.NewMemory(nil), &hub.Options{Now: func() time.Time { return noon }})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer h.Stop()

	ask := &sayso.Ask{
		ID: "deploy-1",
		Questions: []sayso.Question{{
			Text:    "Deploy to production?",
			Options: []sayso.Option{{Label: "Yes"}, {Label: "No"}},
		}},
	}
	ask.Normalize()
	ticket, err := h.Submit(ctx, "acme", ask)
	if err != nil {
		fmt.Println(err)
		return
	}

	terminal := h.Inbox("acme", sayso.Responder{Kind: sayso.ByPerson, ID: "alice", Surface: "terminal"})
	browser := h.Inbox("acme", sayso.Responder{Kind: sayso.ByPerson, ID: "bob", Surface: "browser"})
	say := func(in hub.Inbox, option string) {
		_, err := in.Close(ctx, ticket, &sayso.Outcome{
			Status:  sayso.StatusAnswered,
			Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{option}}},
		})
		var closed *hub.ClosedError
		switch {
		case errors.As(err, &closed):
			fmt.Println("too late:", closed)
		case err != nil:
			fmt.Println(err)
		default:
			fmt.Println("sent")
		}
	}
	say(browser, "o2")
	say(terminal, "o1")
	say(browser, "o2") // a double click

	answered, err := h.Wait(ctx, ticket.Address)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sayso.RenderResult(answered.Ask, answered.Outcome))
	// Output:
	// sent
	// too late: hub: ask deploy-1 was answered by bob on browser at 2030-01-01T12:00:00Z
	// sent
	// ✓ Deploy to production?: No
}
