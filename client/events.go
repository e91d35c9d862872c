package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

// maxEvent is the longest line of a stream; a ticket has half of that at most.
const maxEvent = 2 << 20

// Watch calls fn, one call at a time, for every change of the tickets that the
// credential may see, until ctx ends or the hub refuses: see [hub.Asker]. When a
// connection was lost it goes on behind the last event, and begins with another
// Reset where that cannot be done.
func (c *Client) Watch(ctx context.Context, f *hub.Filter, fn func(hub.Change)) error {
	r := &request{method: http.MethodGet, path: "/v1/events"}
	if f != nil && f.Conversation != "" {
		r.path = "/v1/conversations/" + url.PathEscape(f.Conversation) + "/events"
	}
	return c.watch(ctx, r, &stream{fn: fn, line: func(bool) {}})
}

func (c *Client) watch(ctx context.Context, r *request, s *stream) error {
	pause := c.newPause()
	for {
		before := s.count
		err := c.follow(ctx, r, s)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.line(false)
		var again *againError
		if err != nil && !errors.As(err, &again) {
			return fmt.Errorf("client: watching: %w", err)
		}
		if s.count > before {
			pause = c.newPause()
		}
		var after time.Duration
		if again != nil {
			after = again.after
		}
		if err := pause.sleep(ctx, after); err != nil {
			return err
		}
	}
}

// follow reads one connection to its end.
func (c *Client) follow(ctx context.Context, r *request, s *stream) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// A connection may be dead without an end.
	dead := time.AfterFunc(c.opts.Silence, cancel)
	defer dead.Stop()
	r.header = nil
	if s.last != "" {
		r.header = http.Header{"Last-Event-ID": {s.last}}
	}
	resp, err := c.send(ctx, r, nil, "text/event-stream")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	s.line(true)
	return s.read(resp.Body, func() { dead.Reset(c.opts.Silence) })
}

// stream is what is known of a stream of events over all its connections.
type stream struct {
	fn    func(hub.Change)
	line  func(up bool) // called when a connection begins, and when one ends or cannot be made
	last  string        // the id of the last event
	count int
}

// read tells the events of a connection. Every end but that of an event which
// cannot be read is one after which to connect again.
func (s *stream) read(body io.Reader, alive func()) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, 4096), maxEvent)
	var name, id string
	var named bool // id is set, perhaps to nothing
	var data []byte
	for lines.Scan() {
		alive()
		field, value, _ := bytes.Cut(lines.Bytes(), []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			name = string(value)
		case "id":
			id, named = string(value), true
		case "data":
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, value...)
		case "":
			if len(lines.Bytes()) > 0 {
				continue // a comment, the sign of life
			}
			if err := s.tell(name, data); err != nil {
				return err
			}
			if named { // only now: what was not told is told again
				s.last = id
			}
			name, id, named, data = "", "", false, nil
		}
	}
	return &againError{err: errors.Join(errors.New("the stream ended"), lines.Err())}
}

func (s *stream) tell(name string, data []byte) error {
	switch name {
	case api.EventReset:
		s.fn(hub.Change{Reset: true})
	case api.EventReady:
		s.fn(hub.Change{Ready: true})
	case api.EventAsk:
		var t api.Ticket
		if err := json.Unmarshal(data, &t); err != nil {
			return fmt.Errorf("reading an event: %w", err)
		}
		known := t.Known()
		if known == nil {
			return fmt.Errorf("reading an event: %w", errNoTicket)
		}
		s.fn(hub.Change{Ticket: known})
	default:
		return nil // a newer hub may tell more
	}
	s.count++
	return nil
}
