package opencode

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/saysohq/sayso/app/door/bridge"
	"github.com/saysohq/sayso/hub"
)

// said by the plugin with every message.
type fromPlugin struct {
	Directory string          `json:"directory"` // of the project
	Command   string          `json:"command"`   // of opencode: run, serve; empty in a terminal
	Event     json.RawMessage `json:"event"`     // of "event"
	Session   string          `json:"session"`   // of "prompt"
}

// Serve speaks with the plugin of opencode, until it ends. The plugin sends
//
//	event   {directory, command, event}    what happened
//	prompt  {directory, command, session}  a person prompts; the result has the text of late answers
//
// and answers the request
//
//	http    {method, path, body}           with {status, body} of opencode's API
func Serve(ctx context.Context, h hub.Asker, in io.Reader, out io.Writer, o *Options) error {
	var d *door
	var first sync.Once
	defer func() {
		if d != nil {
			d.close()
		}
	}()
	return bridge.Serve(ctx, in, out, func(ctx context.Context, p *bridge.Peer, method string, params json.RawMessage, wants bool) (any, error) {
		var m fromPlugin
		if err := json.Unmarshal(params, &m); err != nil {
			return nil, fmt.Errorf("opencode: reading %s: %w", method, err)
		}
		first.Do(func() {
			asker := h
			if o.Notes != nil {
				asker = &noting{h, o, func(session string) string { return d.dirOf(session, m.Directory) }}
			}
			d = newDoor(asker, func(ctx context.Context, _, method, path string, body any) (int, json.RawMessage, error) {
				return overPlugin(ctx, p, method, path, body)
			}, &o.Options)
			d.alone = m.Command == "run"
			d.work.Go(func() { // an earlier process may have ended while something waited
				if err := d.pending(d.life, m.Directory, nil); err != nil && d.life.Err() == nil {
					d.log.Warn("what waits in opencode is not known", "err", err)
				}
			})
		})
		switch method {
		case "event":
			e, err := readEvent(m.Event)
			if err != nil {
				d.log.Warn("an event of opencode is not understood", "err", err)
				return nil, nil
			}
			d.take(m.Directory, e)
			return nil, nil
		case "prompt":
			return map[string]string{"text": d.prompted(ctx, h, o, m.Session, m.Directory)}, nil
		}
		return nil, fmt.Errorf("opencode: unknown method %q", method)
	})
}

func overPlugin(ctx context.Context, p *bridge.Peer, method, path string, body any) (int, json.RawMessage, error) {
	var reply struct {
		Status int             `json:"status"`
		Body   json.RawMessage `json:"body"`
	}
	params := map[string]any{"method": method, "path": path}
	if body != nil {
		params["body"] = body
	}
	err := p.Call(ctx, "http", params, &reply)
	return reply.Status, reply.Body, err
}
