package acp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/surfacetest"
	"github.com/saysohq/sayso/hub"
)

// desk is an editor with a person in front of it.
type desk struct {
	*surfacetest.World
	ask *sayso.Ask

	mu      sync.Mutex
	before  *request       // what is before the person
	notices []string       // what was said to them
	content map[string]any // what they filled in: the reply, but for its envelope
}

// request is one of the requests to the editor.
type request struct {
	Params struct {
		Message string
		Schema  struct {
			Properties map[string]property
		} `json:"requestedSchema"`
		ToolCall struct {
			Title   string
			Content []struct{ Content struct{ Text string } }
		}
		Options []struct{ OptionID, Name string }
	}
	answer func(any)
}

type property struct {
	Title, Description string
	OneOf              []choice
	Items              struct{ AnyOf []choice }
}

type choice struct{ Const, Title, Description string }

// put brings a request before the person.
func (d *desk) put(params any, answer func(any)) {
	b, err := json.Marshal(params)
	r := &request{answer: answer}
	if err == nil {
		err = json.Unmarshal(b, &r.Params)
	}
	if err != nil {
		d.Error(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.before, d.content = r, nil
}

// gone takes it away again.
func (d *desk) gone() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.before = nil
}

// Call is the editor's side of a form.
func (d *desk) Call(ctx context.Context, _ string, params any) (json.RawMessage, error) {
	reply := make(chan any, 1)
	d.put(params, func(v any) { reply <- v })
	select {
	case v := <-reply:
		return json.Marshal(v)
	case <-ctx.Done():
		d.gone()
		return nil, ctx.Err()
	}
}

// RequestPermission is the editor's side of a permission request.
func (d *desk) RequestPermission(ctx context.Context, params sdk.RequestPermissionRequest) (r sdk.RequestPermissionResponse, err error) {
	b, err := d.Call(ctx, "", params)
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	return r, err
}

// SessionUpdate is the editor's side of a message.
func (d *desk) SessionUpdate(_ context.Context, n sdk.SessionNotification) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.notices = append(d.notices, n.Update.AgentMessageChunk.Content.Text.Text)
	return nil
}

// sees is every text of the request that is before the person.
func (d *desk) sees() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.before == nil {
		return ""
	}
	p := &d.before.Params
	all := []string{p.Message, p.ToolCall.Title}
	for _, c := range p.ToolCall.Content {
		all = append(all, c.Content.Text)
	}
	for i := range len(p.Schema.Properties) {
		for _, suffix := range []string{"", "_custom"} {
			f := p.Schema.Properties[fmt.Sprintf("question_%d%s", i, suffix)]
			all = append(all, f.Title, f.Description)
			for _, c := range append(f.OneOf, f.Items.AnyOf...) {
				all = append(all, c.Title, c.Description)
			}
		}
	}
	for _, o := range p.Options {
		all = append(all, o.Name)
	}
	return strings.Join(all, "\n")
}

// says is what was said last: in a message, or above a request that came again.
func (d *desk) says() string {
	if _, wrong, again := strings.Cut(d.sees(), "Nothing was sent"); again {
		wrong, _, _ = strings.Cut(wrong, "\n\n")
		return "Nothing was sent" + wrong
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.notices) == 0 {
		return ""
	}
	return d.notices[len(d.notices)-1]
}

// reply answers the request that is before the person.
func (d *desk) reply(v any) {
	d.mu.Lock()
	r := d.before
	d.before, d.content = nil, nil
	d.mu.Unlock()
	if r != nil {
		r.answer(v)
	}
	synctest.Wait()
}

func (d *desk) isForm() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.before != nil && d.before.Params.Schema.Properties != nil
}

// fill notes what the person does. A permission request has one question: the next
// comes after its reply.
func (d *desk) fill(i int, form, permission map[string]any) {
	if d.isForm() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.content == nil {
			d.content = map[string]any{}
		}
		for k, v := range form {
			d.content[k] = v
		}
		return
	}
	if i < len(d.ask.Questions)-1 {
		d.reply(map[string]any{"outcome": permission})
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.content = permission
}

func (d *desk) send() {
	d.mu.Lock()
	content := d.content
	d.mu.Unlock()
	switch {
	case d.isForm():
		d.reply(map[string]any{"action": "accept", "content": content})
	case content != nil:
		d.reply(map[string]any{"outcome": content})
	default: // there is nothing to send with: the person waits
		<-time.After(3 * time.Second)
		synctest.Wait()
	}
}

// person uses the editor; show has it asked.
func (d *desk) person(show func(*hub.Ticket)) *surfacetest.Person {
	return &surfacetest.Person{
		Show: func(t *hub.Ticket) {
			d.gone()
			d.ask = t.Ask
			show(t)
			synctest.Wait()
		},
		Sees: d.sees, SeesAll: d.sees, Says: d.says, Send: d.send,
		Choose: func(i int, option string) {
			key, label := fmt.Sprintf("question_%d", i), d.ask.Questions[i].Option(option).Label
			d.fill(i, map[string]any{key: label}, map[string]any{"outcome": "selected", "optionId": label})
		},
		Type: func(i int, text string) {
			key := fmt.Sprintf("question_%d", i)
			if d.ask.Questions[i].Chooses() {
				key += "_custom"
			}
			d.fill(i, map[string]any{key: text}, map[string]any{
				"outcome": "selected", "optionId": "__other__", "_meta": map[string]any{"customText": text},
			})
		},
		Confirm: func() {
			yes := "Yes, send “Drop the table”"
			if d.ask.Approval != nil {
				yes = "Yes, send “" + d.ask.Questions[0].Option(sayso.OfferUnseen).Label + "”"
			}
			d.fill(0, map[string]any{"question_0": yes}, map[string]any{"outcome": "selected", "optionId": yes})
			d.send()
		},
		Away:    func() {},
		Numbers: true,
		Limit:   8000,
	}
}
