package hubtest

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// largeApproval asks to write a file that is larger than an ask may be.
func largeApproval(t *testing.T, id string) (a *sayso.Ask, end string) {
	t.Helper()
	end = "this is the end"
	content := strings.Repeat("\x01é and a line of text\n", 30_000) + end
	input, err := json.Marshal(map[string]string{"content": content})
	if err != nil {
		t.Fatal(err)
	}
	p := sayso.NewApproval(sayso.ApproveEdit, "Write", input, &sayso.ApprovalOptions{
		Files: []sayso.FileChange{sayso.NewFileChange("a.txt", nil, &content)}, Covered: []string{"content"},
	})
	p.Offers = []sayso.Offer{{ID: "once", Act: sayso.ActAllow}, {ID: "deny", Act: sayso.ActDeny, Message: true}}
	a = &sayso.Ask{ID: id, Approval: p, Origin: sayso.Origin{Conversation: "c1"}}
	a.Normalize()
	return a, end
}

// askerAsksForMuch stores a large approval, reads all of it, and allows it once it was
// opened.
func askerAsksForMuch(t *testing.T, p Party) {
	ctx := within(t)
	a, end := largeApproval(t, "much")
	ticket := must[*hub.Ticket](t)(p.Asker.Submit(ctx, a))
	if ticket.Digest != a.Digest() {
		t.Error("the digest is another one once it is stored")
	}
	if !a.Approval.Shown[0].Whole() {
		t.Error("Submit changes the ask of its caller")
	}
	if b, err := json.Marshal(ticket.Ask); err != nil || len(b) > 64<<10 {
		t.Errorf("the ask has %d bytes as it is stored, %v", len(b), err)
	}
	if again := must[*hub.Ticket](t)(p.Asker.Submit(ctx, a)); !again.Replayed {
		t.Error("the same again is another ask")
	}
	page := must[*hub.Tickets](t)(p.Person.List(ctx, nil))
	if len(page.Tickets) != 1 {
		t.Fatalf("the person finds %d asks", len(page.Tickets))
	}
	seen := page.Tickets[0]
	whole, opened, err := hub.Whole(ctx, p.Person, seen)
	if err != nil {
		t.Fatal(err)
	}
	if body := whole.Questions[0].Body; !strings.Contains(body, "+"+end) || len(body) < 600_000 {
		t.Errorf("the person is shown %d bytes", len(body))
	}
	allow := func(opened []string) error {
		_, err := p.Person.Close(ctx, seen, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{
			{QuestionID: sayso.VerdictQuestion, Selected: []string{"once"}, Opened: opened},
		}})
		return err
	}
	var invalid *sayso.InvalidError
	if err := allow(nil); !errors.As(err, &invalid) {
		t.Errorf("allowed without being opened: %v", err)
	}
	if err := allow(opened); err != nil {
		t.Fatal(err)
	}
	got := must[*hub.Ticket](t)(p.Asker.Consume(ctx, ticket.Handle))
	if !got.Ask.Verdict(got.Outcome).Allowed() {
		t.Errorf("the asker gets %+v", got.Outcome)
	}
}
