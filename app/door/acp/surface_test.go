package acp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/acp"
	"github.com/saysohq/sayso/app/surface/surfacetest"
	"github.com/saysohq/sayso/hub"
)

// The surfaces are the requests that are made here, at an editor that shows every
// text in them and nothing more. What an agent asks itself, with a form in an editor
// that takes forms, passes as it is and is the agent's.

func TestSurfaceForm(t *testing.T) {
	surfacetest.Run(t, surfacetest.Surface{Name: "ACP form", Virtual: true, Open: func(w *surfacetest.World) *surfacetest.Person {
		d := &desk{World: w}
		p := d.person(d.inGo(&acp.Resolver{Hub: w.Asker("agent"), Forms: d, Notices: d}))
		p.Decline = func() { d.reply(map[string]any{"action": "decline"}) }
		p.Numbers = false // a form does not show them
		return p
	}})
}

func TestSurfacePermission(t *testing.T) {
	surfacetest.Run(t, surfacetest.Surface{Name: "ACP permission", Virtual: true, Open: func(w *surfacetest.World) *surfacetest.Person {
		d := &desk{World: w}
		return d.person(d.inGo(&acp.Resolver{Hub: w.Asker("agent"), Permissions: d}))
	}})
}

// TestSurfaceProxy is the same with an agent that asks by a form, in an editor that
// takes none.
func TestSurfaceProxy(t *testing.T) {
	surfacetest.Run(t, surfacetest.Surface{Name: "ACP permission", Virtual: true, Questions: true, Open: func(w *surfacetest.World) *surfacetest.Person {
		d := &desk{World: w}
		return d.person(d.inProxy())
	}})
}

// inGo asks as a Go agent does.
func (d *desk) inGo(r *acp.Resolver) func(*hub.Ticket) {
	ctx, cancel := context.WithCancel(d.Context())
	var work sync.WaitGroup
	d.Cleanup(func() { cancel(); work.Wait() })
	h := r.Hub
	return func(t *hub.Ticket) {
		one := *r // several are asked at a time
		one.Hub = &shows{Asker: h, ticket: t}
		work.Go(func() { one.Ask(ctx, t.Ask) })
	}
}

// inProxy asks as an agent does whose editor takes no forms.
func (d *desk) inProxy() func(*hub.Ticket) {
	h := &shows{Asker: d.Asker("editor")}
	editor, agent, _ := between(d.T, h, nil)
	editor.send(d.T, `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"clientCapabilities":{}}}`)
	editor.takes(func(line string) {
		var m struct {
			ID, Method string
			Params     json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			d.Error(err)
		}
		switch m.Method {
		case "session/request_permission":
			d.put(m.Params, func(v any) {
				b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": v})
				if err != nil {
					d.Fatal(err)
				}
				editor.send(d.T, string(b))
			})
		case "$/cancel_request":
			d.gone()
		case "session/update":
			var n sdk.SessionNotification
			if err := json.Unmarshal(m.Params, &n); err != nil {
				d.Error(err)
			}
			d.SessionUpdate(d.Context(), n)
		}
	})
	n := 0
	return func(t *hub.Ticket) {
		h.ticket = t
		n++
		form := map[string]any{"jsonrpc": "2.0", "id": n, "method": "elicitation/create", "params": elicitation(t.Ask, n)}
		b, err := json.Marshal(form)
		if err != nil {
			d.Fatal(err)
		}
		agent.send(d.T, string(b))
	}
}

// shows is a hub that has the question already that it is asked.
type shows struct {
	hub.Asker
	ticket *hub.Ticket
}

func (s *shows) Submit(context.Context, *sayso.Ask) (*hub.Ticket, error) { return s.ticket, nil }

// elicitation is the ask as the Claude adapter would send it.
func elicitation(a *sayso.Ask, n int) map[string]any {
	properties := map[string]any{}
	for i := range a.Questions {
		q := &a.Questions[i]
		key := fmt.Sprintf("question_%d", i)
		p := map[string]any{"type": "string", "title": q.Header, "description": q.Text}
		var options []any
		for j := range q.Options {
			options = append(options, map[string]any{"const": q.Options[j].LabelAsAsked()})
		}
		switch {
		case q.Several():
			p["type"], p["items"] = "array", map[string]any{"anyOf": options}
		case q.Chooses():
			p["oneOf"] = options
		}
		if properties[key] = p; q.Chooses() {
			properties[key+"_custom"] = map[string]any{"type": "string"}
		}
	}
	return map[string]any{
		"mode": "form", "sessionId": a.Origin.Conversation, "toolCallId": fmt.Sprint("call ", n), "message": a.Questions[0].Text,
		"requestedSchema": map[string]any{"type": "object", "properties": properties},
	}
}

// TestUnseenAsksAgain: who allows what the editor did not show is asked again, with the
// reason, and can still deny it there.
func TestUnseenAsksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := surfacetest.NewWorld(t)
		d := &desk{World: w}
		p := d.person(d.inGo(&acp.Resolver{Hub: w.Asker("agent"), Permissions: d}))
		content := strings.Repeat("0123456789\n", 20_000)
		a := sayso.NewApproval(sayso.ApproveEdit, "Write", []byte(`{}`), &sayso.ApprovalOptions{Files: []sayso.FileChange{sayso.NewFileChange("big.txt", nil, &content)}})
		a.Offers = []sayso.Offer{{ID: "once", Act: sayso.ActAllow}, {ID: "deny", Act: sayso.ActDeny}}
		ticket := w.Submit(&sayso.Ask{ID: "big", Approval: a, Origin: sayso.Origin{Conversation: "talk"}})
		p.Show(ticket)
		p.Choose(0, "once")
		p.Send()
		if !strings.Contains(p.Sees(), "were not opened") {
			t.Errorf("the editor does not say why it asks again: %q", p.Sees())
		}
		w.StaysOpen(ticket, "it was not opened")
		p.Choose(0, "deny")
		p.Send()
		if now := w.Closed(ticket); now.Ask.Verdict(now.Outcome) == nil {
			t.Error("it cannot be denied")
		}
	})
}
