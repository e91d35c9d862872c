package acp_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/acp"
	"github.com/saysohq/sayso/app/door/hubfake"
	"github.com/saysohq/sayso/hub"
)

const mayI = `{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"ses_1","toolCall":{"toolCallId":"call_1","name":"Bash","rawInput":{"command":"COMMAND"},"kind":"execute"},` +
	`"options":[{"optionId":"always","name":"Always","kind":"allow_always"},{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}}`

const yes = `{"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}`

// wanted is an agent that asks whether it may run a command, and its editor.
func wanted(t *testing.T, h hub.Asker, command string) (editor, agent *program) {
	editor, agent, _ = between(t, h, &acp.Options{Origin: sayso.Origin{Host: "goose"}})
	agent.send(t, strings.Replace(mayI, "COMMAND", command, 1))
	synctest.Wait()
	return editor, agent
}

// cutOff is a hub that is not heard any more after the ask was stored.
type cutOff struct {
	hub.Asker
	back atomic.Bool
}

func (c *cutOff) Wait(ctx context.Context, handle string) (*hub.Ticket, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (c *cutOff) Relay(ctx context.Context, t *hub.Ticket, o *sayso.Outcome) (*hub.Ticket, error) {
	if !c.back.Load() {
		return nil, sayso.ErrUnreachable
	}
	return c.Asker.Relay(ctx, t, o)
}

// TestApprovalJustStored: the editor goes before the hub has said that it has the
// request. Nobody can allow it any more.
func TestApprovalJustStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hubfake.New(t)
		editor, _ := wanted(t, hubfake.Slow{Asker: w.Client("editor")}, "make")
		if now := w.Find("Run: make"); !now.Open() {
			t.Fatalf("it is %s", now.Status())
		}
		editor.out.Close()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if now := w.Find("Run: make"); now.Status() != sayso.StatusCancelled {
			t.Errorf("the editor has gone, and it is %s", now.Status())
		}
	})
}

// TestApprovalTwoDecisions: while the hub is away, the agent goes by the editor. A
// person who decided otherwise in the hub is not reported to have been heard: the
// record has both decisions.
func TestApprovalTwoDecisions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hubfake.New(t)
		h := &cutOff{Asker: w.Client("editor")}
		editor, agent := wanted(t, h, "make")
		w.Say("Run: make", "No")
		editor.send(t, yes)
		synctest.Wait()
		if got := agent.received(); len(got) > 0 {
			t.Errorf("the agent was told %q before the hub had its time", got)
		}
		time.Sleep(4 * time.Second)
		synctest.Wait()
		if got := agent.received(); len(got) != 1 || !strings.Contains(got[0], `"yes"`) {
			t.Errorf("the agent was told %q", got)
		}
		h.back.Store(true)
		time.Sleep(time.Minute)
		synctest.Wait()
		now := w.Find("Run: make")
		if !now.Consumed.IsZero() {
			t.Error("the record says that the agent has the decision of the hub")
		}
		if len(now.History) != 1 || now.Ask.Verdict(now.History[0].Outcome).Offer.ID != "yes" {
			t.Errorf("the record has %+v beside it", now.History)
		}
		if said := strings.Join(editor.received(), "\n"); !strings.Contains(said, "decided elsewhere too") {
			t.Errorf("the person in the editor was told %q", said)
		}
	})
}

// TestApprovalTwice: what was allowed once is asked again when the agent asks again.
func TestApprovalTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hubfake.New(t)
		editor, agent := wanted(t, w.Client("editor"), "make")
		w.Say("Run: make", "Yes")
		synctest.Wait()
		editor.received()
		agent.received()
		agent.send(t, strings.Replace(strings.Replace(mayI, "COMMAND", "make", 1), `"id":7`, `"id":8`, 1))
		synctest.Wait()
		if got := agent.received(); len(got) > 0 {
			t.Errorf("the second call got the answer to the first: %q", got)
		}
		if n := len(w.All()); n != 2 {
			t.Errorf("the hub has %d asks", n)
		}
	})
}

// TestApprovalLarge: a command that is too large for an ask is stored whole, and the
// editor, which was sent all of it, can allow it.
func TestApprovalLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hubfake.New(t)
		editor, agent := wanted(t, w.Client("editor"), "echo "+strings.Repeat("word ", 300_000)+"the end")
		all := w.All()
		if len(all) != 1 {
			t.Fatalf("the hub has %d asks", len(all))
		}
		whole, opened, err := hub.Whole(t.Context(), w.Client("web"), all[0])
		if err != nil || len(opened) == 0 || !strings.Contains(whole.Questions[0].Body, "word the end") {
			t.Errorf("the whole: %v, %d opened", err, len(opened))
		}
		if got := all[0].Ask.Approval.Allows(); got[0].ID != "yes" {
			t.Errorf("“allow unseen” would mean %q", got[0].ID)
		}
		editor.send(t, yes)
		synctest.Wait()
		if got := agent.received(); len(got) != 1 || !strings.Contains(got[0], `"yes"`) {
			t.Errorf("the agent was told %q", got)
		}
		if now := w.All()[0]; now.Status() != sayso.StatusAnswered {
			t.Errorf("it is %s", now.Status())
		}
	})
}

// TestApprovalLeft: what a proxy that was killed left open is closed at the next
// prompt of the session, and what was decided about it is no news for the model.
func TestApprovalLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hubfake.New(t)
		for _, c := range []string{"one", "two"} {
			p := sayso.NewApproval(sayso.ApproveShell, "Bash", []byte(`{"command":"`+c+`"}`), &sayso.ApprovalOptions{Command: "command"})
			p.Offers = []sayso.Offer{{ID: "yes", Act: sayso.ActAllow, Label: "Yes"}, {ID: "no", Act: sayso.ActDeny, Label: "No"}}
			a := &sayso.Ask{Approval: p, Dialect: "permission", Origin: sayso.Origin{Conversation: "ses_1", ToolCall: c}}
			a.Normalize()
			a.ID = a.DeriveID()
			if _, err := w.Client("editor").Submit(t.Context(), a); err != nil {
				t.Fatal(err)
			}
		}
		w.Say("Run: two", "Yes")
		time.Sleep(time.Minute)
		editor, agent, _ := between(t, w.Client("editor"), nil)
		editor.send(t, `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"ses_1","prompt":[]}}`)
		synctest.Wait()
		if got := agent.received(); len(got) != 1 || strings.Contains(got[0], "two") {
			t.Errorf("the agent was told %q", got)
		}
		if now := w.Find("Run: one"); now.Status() != sayso.StatusCancelled {
			t.Errorf("what waited for a dead agent is %s", now.Status())
		}
	})
}
