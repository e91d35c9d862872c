package opencode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/bridge"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/hub"
)

// Surface is the name of opencode in an inbox, and of the place where somebody is who
// answers in its own dialog.
const Surface = "opencode"

// caller sends a request to the API of opencode, for the project in a folder, and
// returns the status and the JSON of the response.
type caller func(ctx context.Context, dir, method, path string, body any) (int, json.RawMessage, error)

// door is between one opencode and the hub.
type door struct {
	bridge *bridge.Bridge
	call   caller
	log    *slog.Logger

	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	alone bool // opencode decides about permissions by itself, at once

	mu       sync.Mutex
	waiting  map[string]*waiting // by the id of the request
	done     map[string]bool     // requests that have an answer; a list may be older
	sessions map[string]session
}

// waiting is a request of opencode that has no answer.
type waiting struct {
	dir     string // of the project
	session string
	stop    context.CancelFunc // ends the preparation
	ask     *sayso.Ask         // nil until it is prepared
}

// session is what is known of a session.
type session struct {
	root string // the session that a person talks to
	dir  string
}

func newDoor(h hub.Asker, call caller, o *bridge.Options) *door {
	opts := *o
	opts.Host = Surface
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	d := &door{bridge: bridge.New(h, &opts), call: call, log: opts.Log, waiting: map[string]*waiting{}, done: map[string]bool{}, sessions: map[string]session{}}
	d.life, d.end = context.WithCancel(context.Background())
	return d
}

// close ends the door, and waits.
func (d *door) close() {
	d.end()
	d.work.Wait()
	d.bridge.Close()
}

// take takes an event of the project in dir. It returns at once.
func (d *door) take(dir string, e *event) {
	switch {
	case !d.alone:
	case e.Type == permissionAsked, e.Type == permissionReplied:
		return
	}
	switch e.Type {
	case questionAsked:
		d.begin(dir, e.Data.ID, e.Data.Session, func(ctx context.Context) (*bridge.Request, error) { return d.question(ctx, dir, &e.Data) })
	case permissionAsked:
		d.begin(dir, e.Data.ID, e.Data.Session, func(ctx context.Context) (*bridge.Request, error) { return d.permission(ctx, dir, &e.Data) })
	case questionReplied:
		d.settled(e.Data.Request, func(a *sayso.Ask) *sayso.Outcome { return answered(a, e.Data.Answers) })
	case questionRejected:
		d.settled(e.Data.Request, func(*sayso.Ask) *sayso.Outcome { return &sayso.Outcome{Status: sayso.StatusDeclined} })
	case permissionReplied:
		d.settled(e.Data.Request, func(a *sayso.Ask) *sayso.Outcome { return said(a, e.Data.Reply) })
	case sessionIdle, sessionDeleted:
		d.idle(e.Data.Session)
	}
}

// begin prepares a request and opens it, unless opencode has an answer before.
func (d *door) begin(dir, id, session string, prepare func(context.Context) (*bridge.Request, error)) {
	ctx, stop := context.WithCancel(d.life)
	w := &waiting{dir: dir, session: session, stop: stop}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waiting[id] != nil || d.done[id] {
		stop()
		return
	}
	d.waiting[id] = w
	d.work.Go(func() {
		defer stop()
		r, err := prepare(ctx)
		d.mu.Lock()
		defer d.mu.Unlock()
		switch {
		case d.waiting[id] != w || ctx.Err() != nil: // answered, or gone
			return
		case err != nil:
			delete(d.waiting, id)
			d.log.Warn("a request of opencode is not in the inbox", "request", id, "err", err)
			return
		}
		w.ask = r.Ask
		d.bridge.Open(r)
	})
}

// settled says that opencode has an answer.
func (d *door) settled(id string, said func(*sayso.Ask) *sayso.Outcome) {
	if w := d.forget(id); w != nil && w.ask != nil {
		d.bridge.Settled(id, said(w.ask))
	}
}

// maxKnown is how many sessions and answered requests are remembered.
const maxKnown = 1000

// forget takes a request off, which has an answer.
func (d *door) forget(id string) *waiting {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.done) > maxKnown {
		clear(d.done)
	}
	d.done[id] = true
	w := d.waiting[id]
	if w != nil {
		w.stop()
		delete(d.waiting, id)
	}
	return w
}

// wentOn is why an ask is withdrawn that opencode no longer waits for.
const wentOn = "the turn was interrupted in opencode, or its call has ended"

// idle says that a session does nothing: none of its calls waits. opencode does not tell
// of those that were interrupted.
func (d *door) idle(session string) {
	d.mu.Lock()
	var gone []string
	for id, w := range d.waiting {
		if w.session == session {
			w.stop()
			delete(d.waiting, id)
			gone = append(gone, id)
		}
	}
	d.mu.Unlock()
	for _, id := range gone {
		d.bridge.Dropped(id, wentOn)
	}
}

// known returns the requests of the project that wait, as far as was told.
func (d *door) known(dir string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var ids []string
	for id, w := range d.waiting {
		if w.dir == dir {
			ids = append(ids, id)
		}
	}
	return ids
}

// pending opens what waits already in the project, and drops those of the requests before
// that no longer do.
func (d *door) pending(ctx context.Context, dir string, before []string) error {
	open := map[string]bool{}
	for _, kind := range []struct{ path, event string }{{"/question", questionAsked}, {"/permission", permissionAsked}} {
		status, raw, err := d.call(ctx, dir, http.MethodGet, kind.path, nil)
		if err != nil {
			return err
		}
		var list []data
		if status != http.StatusOK || json.Unmarshal(raw, &list) != nil {
			return fmt.Errorf("opencode: GET %s: status %d", kind.path, status)
		}
		for i := range list {
			e := &event{Type: kind.event, Data: list[i]}
			if err := e.check(); err != nil {
				return err
			}
			open[e.Data.ID] = true
			d.take(dir, e)
		}
	}
	for _, id := range before {
		if !open[id] && d.forget(id) != nil {
			d.bridge.Dropped(id, wentOn)
		}
	}
	return nil
}

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

// How often a message is read until it has the input of a call.
const (
	joins    = 40
	joinWait = 100 * time.Millisecond
)

// join finds the tool call of a request, which stands in a message.
func (d *door) join(ctx context.Context, dir string, p *data) (*message, *part, error) {
	path := "/session/" + url.PathEscape(p.Session) + "/message/" + url.PathEscape(p.Tool.Message)
	for i := 0; ; i++ {
		var m message
		status, raw, err := d.call(ctx, dir, http.MethodGet, path, nil)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("opencode: GET %s: status %d", path, status)
		}
		if err == nil {
			err = json.Unmarshal(raw, &m)
		}
		if err != nil {
			return nil, nil, err
		}
		call, err := m.call(p.Tool.Call)
		if err == nil || i == joins {
			return &m, call, err
		}
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-time.After(joinWait):
		}
	}
}

// dirOf returns the folder of a session, if that is known.
func (d *door) dirOf(id, otherwise string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s, ok := d.sessions[id]; ok {
		return s.dir
	}
	return otherwise
}

// session returns where a session belongs. A sub-agent has one of its own, below that of
// the person. What cannot be found out is taken for a person's session.
func (d *door) session(ctx context.Context, dir, id string) session {
	d.mu.Lock()
	s, ok := d.sessions[id]
	d.mu.Unlock()
	if ok {
		return s
	}
	s = session{root: id, dir: dir}
	for at, levels := id, 0; at != "" && levels < 8; levels++ {
		status, raw, err := d.call(ctx, dir, http.MethodGet, "/session/"+url.PathEscape(at), nil)
		var info struct {
			Parent    string `json:"parentID"`
			Directory string `json:"directory"`
		}
		if err != nil || status != http.StatusOK || json.Unmarshal(raw, &info) != nil || len(info.Parent) > maxName {
			return s // asked again the next time
		}
		if at == id && info.Directory != "" {
			s.dir = info.Directory
		}
		s.root, at = at, info.Parent
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.sessions) > maxKnown {
		clear(d.sessions)
	}
	d.sessions[id] = s
	return s
}
