package opencode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/bridge"
	"github.com/saysohq/sayso/dialect"
)

// question prepares a question.
func (d *door) question(ctx context.Context, dir string, q *data) (*bridge.Request, error) {
	s := d.session(ctx, dir, q.Session)
	from := bridge.From{Session: s.root, Dir: s.dir}
	if q.Tool != nil {
		from.Call = q.Tool.Call
	}
	a, err := d.bridge.Question(dialect.OpenCode, from, q.arguments())
	if err != nil {
		return nil, err
	}
	return &bridge.Request{ID: q.ID, Ask: a, Again: d.again(dir, "/question", q.ID), Reply: func(ctx context.Context, t *bridge.Told) error {
		d.forget(q.ID)
		path := "/question/" + url.PathEscape(q.ID)
		switch t.Outcome.Status {
		case sayso.StatusAnswered, sayso.StatusUnanswered:
			return d.post(ctx, dir, path+"/reply", map[string]any{"answers": answers(t.Ask, t.Outcome)})
		}
		return d.post(ctx, dir, path+"/reject", nil)
	}}, nil
}

// permission prepares a request for permission. It waits for the input of the call.
func (d *door) permission(ctx context.Context, dir string, p *data) (*bridge.Request, error) {
	w := &wanted{data: *p}
	s := d.session(ctx, dir, p.Session)
	from := bridge.From{Session: s.root, Dir: s.dir}
	w.dir = s.dir
	if p.Tool != nil {
		from.Call = p.Tool.Call
		m, call, err := d.join(ctx, dir, p)
		if err != nil && ctx.Err() != nil {
			return nil, err
		}
		if w.call = call; m != nil {
			if m.Info.Path.Cwd != "" {
				w.dir = m.Info.Path.Cwd
			}
			if p.Session != s.root && m.Info.Agent != "" && len(m.Info.Agent) <= maxName {
				from.Agents = []string{m.Info.Agent}
			}
		}
	}
	a, err := d.bridge.Approval(w.approval(), from)
	if err != nil {
		return nil, err
	}
	return &bridge.Request{ID: p.ID, Ask: a, Again: d.again(dir, "/permission", p.ID), Reply: func(ctx context.Context, t *bridge.Told) error {
		d.forget(p.ID)
		v := w.decide(t.Verdict)
		switch {
		case t.Changed:
			v = &verdict{Reply: "reject", Message: changed}
		case v == nil:
			return errors.New("opencode: the decision is not one of those that it can carry out")
		}
		return d.post(ctx, dir, "/permission/"+url.PathEscape(p.ID)+"/reply", v)
	}}, nil
}

// again returns a function that reports whether opencode still waits for a request that
// has an answer: the plugin may be there too, and needs a moment to tell it.
func (d *door) again(dir, path, id string) func(context.Context) bool {
	return func(ctx context.Context) bool {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(againWait):
		}
		status, raw, err := d.call(ctx, dir, http.MethodGet, path, nil)
		var list []data
		return err == nil && status == http.StatusOK && json.Unmarshal(raw, &list) == nil &&
			slices.ContainsFunc(list, func(r data) bool { return r.ID == id })
	}
}

// post sends an answer. One that comes too late is not found.
func (d *door) post(ctx context.Context, dir, path string, body any) error {
	status, raw, err := d.call(ctx, dir, http.MethodPost, path, body)
	switch {
	case err != nil:
		return err
	case status == http.StatusNotFound:
		return bridge.ErrSettled
	case status/100 != 2:
		return fmt.Errorf("opencode: POST %s: status %d: %.200s", path, status, raw)
	}
	return nil
}

// againWait is how long an answer may be on its way to opencode.
const againWait = 3 * time.Second
