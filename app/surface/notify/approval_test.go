package notify

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// approve asks whether a command may run. Only the first way to deny takes a message.
func (w *world) approve(id string, message bool) *hub.Ticket {
	w.Helper()
	p := sayso.NewApproval(sayso.ApproveShell, "Bash", []byte(`{"command":"make clean"}`), &sayso.ApprovalOptions{Command: "command"})
	p.Offers = []sayso.Offer{
		{ID: "once", Act: sayso.ActAllow}, {ID: "always", Act: sayso.ActAllow, Scope: sayso.ScopeAlways, Rule: "Bash(make *)"},
		{ID: "deny", Act: sayso.ActDeny, Message: message}, {ID: "stop", Act: sayso.ActDeny, Stops: true},
	}
	a := &sayso.Ask{ID: id, Approval: p, Origin: sayso.Origin{Conversation: "talk", Host: "some-agent"}}
	a.Normalize()
	t, err := w.hub.Submit(w.Context(), "home", a)
	if err != nil {
		w.Fatal(err)
	}
	return t
}

// TestApproval: nothing can be allowed from a note, not by its buttons, not by data
// that is made up from them, and not by words. Words deny.
func TestApproval(t *testing.T) {
	for _, c := range []struct {
		name    string
		message bool
		do      func(ctx context.Context, d *desk, token string) (*Reply, error)
		verdict string // the offer that is carried out; empty: the approval stays open
		says    string
	}{
		{name: "the button", message: true, do: press("2"), verdict: "deny", says: "Denied."},
		{name: "the other denial, forged", do: press("3"), verdict: "stop", says: "Denied."},
		{name: "allow, forged", message: true, do: press("0"), says: "only in the inbox"},
		{name: "always, forged", message: true, do: press("1"), says: "only in the inbox"},
		{name: "unseen, forged", message: true, do: press("4"), says: "out of date"},
		{name: "the label of allow", message: true, do: say("allow"), says: "only in the inbox"},
		{name: "the number of allow", message: true, do: say("1"), says: "only in the inbox"},
		{name: "yes", message: true, do: say("yes"), verdict: "deny", says: "Denied. The agent is told: yes"},
		{name: "words", message: true, do: say("use npm instead"), verdict: "deny", says: "Denied. The agent is told: use npm instead"},
		{name: "the label of deny", message: true, do: say("Deny"), verdict: "deny", says: "Denied."},
		{name: "words that are not taken", do: say("use npm instead"), says: "takes no message"},
		{name: "the form for words, forged", do: press("w"), says: "takes no message"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDevice(Limits{Buttons: 8, Text: 4000, Words: true})
				d.chat = true
				w := newWorld(t, map[Kind]Channel{Telegram: d})
				id := w.add(Telegram, -1, func(c *Contact) { c.Account, c.Detail = "7", DetailText })
				ask := w.approve("a", c.message)
				time.Sleep(time.Second)
				w.expect(d, id, 1, 1)
				n := d.waiting(id)[0]
				for _, b := range n.Buttons {
					if strings.Contains(b.Label, "llow") || strings.Contains(b.URL, "pick") {
						t.Errorf("the note has the button %+v", b)
					}
				}
				r, err := c.do(t.Context(), &desk{w.n, Telegram}, n.Token)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(r.Text, c.says) || r.Stored != (c.verdict != "") {
					t.Errorf("the reply is %+v, want %q", r, c.says)
				}
				now, err := w.hub.Get(t.Context(), ask.Address)
				if err != nil {
					t.Fatal(err)
				}
				got := ""
				if v := now.Ask.Verdict(now.Outcome); v != nil {
					got = v.Offer.ID
				}
				if got != c.verdict || now.Open() != (c.verdict == "") {
					t.Errorf("the verdict is %q, want %q", got, c.verdict)
				}
			})
		})
	}
}

func press(verb string) func(context.Context, *desk, string) (*Reply, error) {
	return func(ctx context.Context, d *desk, token string) (*Reply, error) {
		return d.Press(ctx, "7", token+"."+verb)
	}
}

func say(text string) func(context.Context, *desk, string) (*Reply, error) {
	return func(ctx context.Context, d *desk, token string) (*Reply, error) {
		return d.Say(ctx, "7", Place{Token: token}, text)
	}
}

// TestApprovalStored: what is allowed unseen cannot be allowed from a note either.
func TestApprovalStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDevice(Limits{Buttons: 8, Text: 4000, Words: true})
		w := newWorld(t, map[Kind]Channel{Telegram: d})
		id := w.add(Telegram, -1, func(c *Contact) { c.Account, c.Detail = "7", DetailText })
		content := strings.Repeat("0123456789\n", 20_000)
		p := sayso.NewApproval(sayso.ApproveEdit, "Write", []byte(`{}`), &sayso.ApprovalOptions{Files: []sayso.FileChange{sayso.NewFileChange("/p/big.txt", nil, &content)}})
		p.Offers = []sayso.Offer{{ID: "deny", Act: sayso.ActDeny}, {ID: "once", Act: sayso.ActAllow}}
		a := &sayso.Ask{Approval: p}
		a.Normalize()
		ask, err := w.hub.Submit(t.Context(), "home", a)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		w.expect(d, id, 1, 1)
		token := d.waiting(id)[0].Token
		for i, o := range ask.Ask.Questions[0].Options {
			r, err := (&desk{w.n, Telegram}).Press(t.Context(), "7", token+"."+fmt.Sprint(len(ask.Ask.Questions[0].Options)-1-i))
			if err != nil {
				t.Fatal(err)
			}
			if now, _ := w.hub.Get(t.Context(), ask.Address); now.Ask.Verdict(now.Outcome).Allowed() {
				t.Errorf("%s from a note: %+v", o.ID, r)
			}
		}
	})
}
