package hubtest

import (
	"errors"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// deskAsksAgain asks what was declined once more. It waits for the same people, whoever
// asks again gets the same one, and the program gets the answer as a late one.
func deskAsksAgain(t *testing.T, team Team) {
	ctx := within(t)
	first := newAsk("region", "ann", "bea")
	first.Origin.ToolCall, first.Deadline = "call_1", time.Now().Add(time.Hour).UTC()
	asked := must[*hub.Ticket](t)(team.Asker.Submit(ctx, first))
	if _, err := team.Ann.AskAgain(ctx, only(t, team.Ann)); !errors.Is(err, hub.ErrOpen) {
		t.Errorf("what is open: %v", err)
	}
	past := must[*hub.Ticket](t)(team.Ann.Close(ctx, only(t, team.Ann), &sayso.Outcome{Status: sayso.StatusDeclined}))
	must[*hub.Ticket](t)(team.Asker.Consume(ctx, asked.Handle))
	other := newAsk("region-2", "ann", "bea") // the id that comes next is not free
	other.Questions[0].Text = "Another question?"
	taken := must[*hub.Ticket](t)(team.Asker.Submit(ctx, other))
	must[*hub.Ticket](t)(team.Asker.Withdraw(ctx, taken.Handle, sayso.StatusCancelled, ""))

	again := must[*hub.Ticket](t)(team.Ann.AskAgain(ctx, past))
	if again.Address.ID != "region-3" || again.Again == nil || *again.Again != (hub.Again{Of: "region", By: "ann"}) || !again.Open() || again.Replayed || again.Digest != past.Digest {
		t.Errorf("it is asked again as %q: %+v, open %v, replayed %v", again.Address.ID, again.Again, again.Open(), again.Replayed)
	}
	if a := again.Ask; !a.Deadline.IsZero() || a.Origin.ToolCall != "" || a.Origin.Conversation != first.Origin.Conversation || a.Origin.Asker != "robot" || len(a.To) != 2 {
		t.Errorf("it is %+v", a)
	}
	waits := only(t, team.Bea)
	if waits.Address.ID != "region-3" || waits.Again == nil || waits.Again.By != "ann" {
		t.Errorf("for bea waits %q, %+v", waits.Address.ID, waits.Again)
	}
	if same := must[*hub.Ticket](t)(team.Bea.AskAgain(ctx, past)); same.Address.ID != "region-3" || !same.Replayed {
		t.Errorf("bea asks %q, replayed %v", same.Address.ID, same.Replayed)
	}
	if was := only(t, team.Ann); was.Address.ID != "region-3" {
		t.Errorf("for ann waits %q", was.Address.ID)
	}

	past = must[*hub.Ticket](t)(team.Bea.Close(ctx, waits, says("", "o2")))
	late, _, err := hub.TakeLate(ctx, team.Asker, first.Origin.Conversation, time.Now().Add(time.Hour))
	if err != nil || len(late) != 1 || choice(late[0].Outcome) != choice(says("bea", "o2")) {
		t.Errorf("the program gets %d late answers, %v", len(late), err)
	}
	if third := must[*hub.Ticket](t)(team.Ann.AskAgain(ctx, past)); third.Address.ID != "region-4" || third.Again.Of != "region" {
		t.Errorf("then it is %q, of %+v", third.Address.ID, third.Again)
	}
}

// deskAgainRefuses asks again what is not the person's, and what is about a call.
func deskAgainRefuses(t *testing.T, team Team) {
	ctx := within(t)
	must[*hub.Ticket](t)(team.Asker.Submit(ctx, newAsk("hers", "ann")))
	hers := must[*hub.Ticket](t)(team.Ann.Close(ctx, only(t, team.Ann), says("", "o1")))
	if _, err := team.Cat.AskAgain(ctx, hers); !errors.Is(err, hub.ErrNotFound) && !errors.Is(err, hub.ErrNotAllowed) {
		t.Errorf("cat asks what was for ann: %v", err)
	}
	call, _ := largeApproval(t, "call")
	call.To = []string{"ann"}
	must[*hub.Ticket](t)(team.Asker.Submit(ctx, call))
	denied := must[*hub.Ticket](t)(team.Ann.Close(ctx, only(t, team.Ann), &sayso.Outcome{Status: sayso.StatusDeclined}))
	if _, err := team.Ann.AskAgain(ctx, denied); !errors.As(err, new(*sayso.InvalidError)) {
		t.Errorf("an approval: %v", err)
	}
	if page := must[*hub.Tickets](t)(team.Ann.List(ctx, nil)); len(page.Tickets) > 0 {
		t.Errorf("%d tickets wait", len(page.Tickets))
	}
}
