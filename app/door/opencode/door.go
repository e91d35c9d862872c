package opencode

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"sync"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/bridge"
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
