package hub_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

func approval(t *testing.T, content string) *sayso.Ask {
	t.Helper()
	input, err := json.Marshal(map[string]string{"file_path": "a.txt", "content": content})
	if err != nil {
		t.Fatal(err)
	}
	p := sayso.NewApproval(sayso.ApproveEdit, "Write", input, &sayso.ApprovalOptions{
		Files: []sayso.FileChange{sayso.NewFileChange("a.txt", nil, &content)}, Covered: []string{"content"},
	})
	p.Offers = []sayso.Offer{{ID: "once", Act: sayso.ActAllow}, {ID: "deny", Act: sayso.ActDeny, Message: true}}
	a := &sayso.Ask{Approval: p}
	a.Normalize()
	return a
}

// TestContent stores an approval that is larger than an ask may be, reads it whole and
// allows it.
func TestContent(t *testing.T) {
	ctx := t.Context()
	h, err := hub.Open(ctx, hub.NewMemory(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	asker := h.Asker("acme", sayso.Responder{ID: "agent"})
	a := approval(t, strings.Repeat("\x01é line\n", 60_000)+"the end")
	ticket, err := asker.Submit(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	if ticket.Digest != a.Digest() {
		t.Error("the digest is another one once it is stored")
	}
	if b, err := json.Marshal(ticket.Ask); err != nil || len(b) > 64<<10 {
		t.Errorf("the ask has %d bytes, %v", len(b), err)
	}
	again, err := asker.Submit(ctx, a)
	if err != nil || again.Digest != ticket.Digest {
		t.Errorf("the same again: %v", err)
	}
	in := h.Inbox("acme", sayso.Responder{Kind: sayso.ByPerson, ID: "ann"})
	whole, opened, err := hub.Whole(ctx, in, ticket)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(whole.Questions[0].Body, "+the end") || strings.Contains(ticket.Ask.Questions[0].Body, strings.Repeat("+␁é line\n", 300)) {
		t.Error("the whole is not shown, or the ask has it")
	}
	if _, _, err := hub.Whole(ctx, h.Inbox("other", sayso.Responder{}), ticket); !errors.Is(err, hub.ErrNotFound) {
		t.Errorf("another tenant reads it: %v", err)
	}
	if _, err := h.Content(ctx, ticket, strings.Repeat("0", 64), 0); !errors.Is(err, hub.ErrNotFound) {
		t.Errorf("a content that the ask does not have: %v", err)
	}
	allow := sayso.Answer{QuestionID: sayso.VerdictQuestion, Selected: []string{"once"}}
	if _, err := in.Close(ctx, ticket, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{allow}}); !errors.Is(err, sayso.ErrUnseen) {
		t.Errorf("allowed unseen: %v", err)
	}
	allow.Opened = opened
	closed, err := in.Close(ctx, ticket, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{allow}})
	if err != nil || !closed.Ask.Verdict(closed.Outcome).Allowed() {
		t.Errorf("opened and allowed: %v", err)
	}
}

// TestContentMissing submits an ask whose content was never sent.
func TestContentMissing(t *testing.T) {
	h, err := hub.Open(t.Context(), hub.NewMemory(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	a := approval(t, strings.Repeat("line\n", 60_000))
	for _, c := range a.Approval.Contents() {
		if c.Stored {
			c.Text = ""
		}
	}
	if _, err := h.Submit(t.Context(), "acme", a); !errors.Is(err, sayso.ErrContent) {
		t.Errorf("stored without its content: %v", err)
	}
	for _, page := range []struct {
		hash string
		n    int
		text string
	}{{"../x", 0, "a"}, {strings.Repeat("0", 64), -1, "a"}, {strings.Repeat("0", 64), 1000, "a"}, {strings.Repeat("0", 64), 0, ""}, {strings.Repeat("0", 64), 0, strings.Repeat("a", sayso.PageSize+1)}} {
		if err := h.PutContent(t.Context(), hub.Address{Tenant: "acme"}, page.hash, page.n, page.text); !errors.Is(err, sayso.ErrContent) {
			t.Errorf("%q, page %d with %d bytes is stored: %v", page.hash, page.n, len(page.text), err)
		}
	}
}

// TestDecidedThere denies at the inbox what the agent's own dialog had allowed a moment
// before: the record has both.
func TestDecidedThere(t *testing.T) {
	ctx := t.Context()
	h, err := hub.Open(ctx, hub.NewMemory(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Stop()
	a := approval(t, "x")
	a.Origin.Host = "claude-code"
	asker := h.Asker("acme", sayso.Responder{ID: "agent"})
	ticket, err := asker.Submit(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	says := func(offer, surface string) *sayso.Outcome {
		return &sayso.Outcome{Status: sayso.StatusAnswered, By: sayso.Responder{Surface: surface}, Answers: []sayso.Answer{{QuestionID: sayso.VerdictQuestion, Selected: []string{offer}}}}
	}
	if _, err := h.Inbox("acme", sayso.Responder{Kind: sayso.ByPerson, ID: "ann"}).Close(ctx, ticket, says("deny", "web")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		surface string
		kept    int
	}{{"other", 0}, {"claude-code", 1}} {
		var closed *hub.ClosedError
		if _, err := asker.Relay(ctx, ticket, says("once", c.surface)); !errors.As(err, &closed) || len(closed.Ticket.History) != c.kept {
			t.Errorf("%s: %v", c.surface, err)
		} else if v := closed.Ticket.Ask.Verdict(closed.Ticket.Outcome); v.Allowed() {
			t.Errorf("%s: the answer that won is gone", c.surface)
		}
	}
}
