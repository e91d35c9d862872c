package pi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/bridge"
	"github.com/saysohq/sayso/hub"
)

// Serve speaks with the extension until it ends.
func Serve(ctx context.Context, h hub.Asker, in io.Reader, out io.Writer, o *bridge.Options) error {
	b := bridge.New(h, o)
	defer b.Close()
	s := &server{bridge: b, calls: map[string]context.CancelCauseFunc{}, screen: make(chan struct{}, 1)}
	return bridge.Serve(ctx, in, out, s.handle)
}

type server struct {
	bridge *bridge.Bridge
	screen chan struct{} // has room for one: a second dialog would take the place of the first

	mu    sync.Mutex
	calls map[string]context.CancelCauseFunc // those that wait, by their name here
}

// from is where a call comes from.
type from struct {
	Session string `json:"session"`
	Call    string `json:"call"` // the id of the tool call
	Dir     string `json:"dir"`
	UI      bool   `json:"ui"` // pi can show dialogs
}

func (f from) name() string { return f.Session + "/" + f.Call }

func (f from) bridge() bridge.From {
	return bridge.From{Session: f.Session, Call: f.Call, Dir: f.Dir}
}

var errDropped = errors.New("pi no longer waits for it")

func (s *server) handle(ctx context.Context, p *bridge.Peer, method string, params json.RawMessage, _ bool) (any, error) {
	var c struct {
		from
		Arguments json.RawMessage `json:"arguments"` // of ask
		Tool      string          `json:"tool"`      // of permit
		Input     json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(params, &c); err != nil {
		return nil, fmt.Errorf("reading %s: %w", method, err)
	}
	switch method {
	case "ask":
		return s.ask(ctx, p, c.from, c.Arguments)
	case "permit":
		return s.permit(ctx, p, &call{from: c.from, tool: c.Tool, input: c.Input})
	case "late":
		text, err := s.bridge.Late(ctx, c.Session)
		return map[string]string{"text": text}, err
	case "drop":
		s.mu.Lock()
		cancel := s.calls[c.name()]
		s.mu.Unlock()
		if cancel != nil {
			s.bridge.Dropped(c.name(), "the user interrupted pi")
			cancel(errDropped)
		}
		return nil, nil
	}
	return nil, fmt.Errorf("unknown method %q", method)
}

// look is how often it is checked that the hub still has the ask.
const look = time.Second

// race opens a request and pi's own dialog, which may be nil, and returns what came
// first, or nil if nothing can come any more. A dialog returns nil if it was closed
// without an answer.
func (s *server) race(ctx context.Context, f from, r *bridge.Request, dialog func(context.Context) *sayso.Outcome) (*bridge.Told, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.ID = f.name()
	s.mu.Lock()
	s.calls[r.ID] = cancel
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.calls, r.ID)
	}()
	first := make(chan *bridge.Told, 1)
	var once sync.Once
	win := func(t *bridge.Told) (won bool) {
		once.Do(func() { won = true; first <- t })
		return won
	}
	r.Reply = func(_ context.Context, t *bridge.Told) error {
		if !win(t) {
			return bridge.ErrSettled
		}
		return nil
	}
	s.bridge.Open(r)
	shown := make(chan struct{})
	showing, closeDialog := context.WithCancel(ctx)
	go func() {
		defer close(shown)
		if dialog == nil {
			return
		}
		select {
		case s.screen <- struct{}{}:
			defer func() { <-s.screen }()
		case <-showing.Done():
			return
		}
		if o := dialog(showing); o != nil && showing.Err() == nil && win(said(r, o)) {
			s.bridge.Settled(r.ID, o)
		}
	}()
	defer func() {
		closeDialog()
		<-shown
	}()
	every := time.NewTicker(look)
	defer every.Stop()
	over := (<-chan struct{})(shown)
	for {
		select {
		case t := <-first:
			return t, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-over:
			over = nil // the hub may still answer
		case <-every.C:
			if over != nil || s.bridge.Waits(r.ID) {
				continue
			}
			select { // it may have been told just now
			case t := <-first:
				return t, nil
			default:
				return nil, nil
			}
		}
	}
}

// said is what pi's own dialog says.
func said(r *bridge.Request, o *sayso.Outcome) *bridge.Told {
	t := &bridge.Told{Ask: r.Ask, Outcome: o, Verdict: r.Ask.Verdict(o)}
	if t.Verdict.Allowed() && r.Now != nil {
		if now, err := r.Now(); err != nil || now.Digest() != r.Ask.Digest() {
			t.Verdict, t.Changed = nil, true
		}
	}
	return t
}
