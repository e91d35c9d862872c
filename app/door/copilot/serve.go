package copilot

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/bridge"
	"github.com/saysohq/sayso/hub"
)

// The messages of the extension, and those to it.
const (
	methodEvent       = "event"       // a notification: something happened in a session
	methodPrompt      = "prompt"      // the person has sent a prompt: what else is the model told?
	methodElicitation = "elicitation" // answer a form
	methodPermission  = "permission"  // answer a request for permission
	methodPlan        = "plan"        // answer a plan
)

// event is something that happened in a session of Copilot.
type event struct {
	Session string          `json:"session"`
	Dir     string          `json:"dir"` // the folder of the session
	Type    string          `json:"type"`
	Data    json.RawMessage `json:"data"`
}

// handled is what Copilot says of a reply. It is not a success if there was one already.
type handled struct {
	Success bool `json:"success"`
}

// door is one extension.
type door struct {
	bridge *bridge.Bridge

	mu      sync.Mutex
	forms   map[string]*sayso.Ask // what Copilot shows, by the name of the request
	permits map[string]*sayso.Ask
}

// Serve speaks with the extension until in ends, which is how it ends, or ctx does.
func Serve(ctx context.Context, h hub.Asker, in io.Reader, out io.Writer, o *bridge.Options) error {
	d := &door{bridge: bridge.New(h, o), forms: map[string]*sayso.Ask{}, permits: map[string]*sayso.Ask{}}
	defer d.bridge.Close()
	return bridge.Serve(ctx, in, out, d.handle)
}

func (d *door) handle(ctx context.Context, p *bridge.Peer, method string, params json.RawMessage, wants bool) (any, error) {
	var e event
	if err := json.Unmarshal(params, &e); err != nil {
		return nil, fmt.Errorf("copilot: reading a message of the extension: %w", err)
	}
	switch {
	case method == methodEvent && !wants:
		d.take(p, &e)
		return nil, nil
	case method == methodPrompt && wants:
		text, err := d.bridge.Late(ctx, e.Session)
		return map[string]string{"text": text}, err
	}
	return nil, fmt.Errorf("copilot: the extension says %.40q, which is not known; run sayso setup copilot again", method)
}

// take takes an event. What cannot be carried stays in Copilot's own dialog.
func (d *door) take(p *bridge.Peer, e *event) {
	switch e.Type {
	case "elicitation.requested":
		d.ask(p, e)
	case "elicitation.completed":
		d.answered(e)
	case "permission.requested":
		d.permit(p, e)
	case "permission.completed":
		d.decided(e)
	case "exit_plan_mode.requested":
		d.plan(p, e)
	case "exit_plan_mode.completed":
		d.planDone(e)
	}
}

// reply hands something over to Copilot.
func reply(ctx context.Context, p *bridge.Peer, method, request string, result any) error {
	var h handled
	err := p.Call(ctx, method, map[string]any{"requestId": request, "result": result}, &h)
	if err == nil && !h.Success {
		return bridge.ErrSettled
	}
	return err
}
