package codex

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"

	"github.com/coder/websocket"
)

// maxMessage is the most bytes of a message: a turn with all its steps is one.
const maxMessage = 64 << 20

// conn is a connection to Codex.
type conn struct {
	ws *websocket.Conn

	mu      sync.Mutex
	next    int
	waiting map[string]chan *message // by the id of our request
	ended   error
}

// dial connects to the socket. Codex speaks websockets on it.
func dial(ctx context.Context, socket string) (*conn, error) {
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		},
	}}
	ws, _, err := websocket.Dial(ctx, "ws://localhost/", &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		return nil, fmt.Errorf("connecting to Codex: %w", err)
	}
	ws.SetReadLimit(maxMessage)
	return &conn{ws: ws, waiting: map[string]chan *message{}}, nil
}

// read calls handle for everything that Codex says and that is no reply, one after the
// other, until the connection ends.
func (c *conn) read(ctx context.Context, handle func(*message)) error {
	for {
		_, data, err := c.ws.Read(ctx)
		if err != nil {
			c.mu.Lock()
			c.ended = err
			for id, reply := range c.waiting {
				close(reply)
				delete(c.waiting, id)
			}
			c.mu.Unlock()
			return fmt.Errorf("reading from Codex: %w", err)
		}
		var m message
		if json.Unmarshal(data, &m) != nil {
			continue // of another kind than there is
		}
		if m.Method != "" {
			handle(&m)
			continue
		}
		c.mu.Lock()
		reply := c.waiting[string(m.ID)]
		delete(c.waiting, string(m.ID))
		c.mu.Unlock()
		if reply != nil {
			reply <- &m
		}
	}
}

// call asks Codex for something. It must not be called by handle of read.
func (c *conn) call(ctx context.Context, method string, params, result any) error {
	c.mu.Lock()
	if c.ended != nil {
		c.mu.Unlock()
		return c.ended
	}
	c.next++
	id := strconv.Itoa(c.next)
	reply := make(chan *message, 1)
	c.waiting[id] = reply
	c.mu.Unlock()
	if err := c.send(ctx, map[string]any{"id": c.number(id), "method": method, "params": params}); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case m, ok := <-reply:
		switch {
		case !ok:
			return errors.New("the connection to Codex has ended")
		case m.Error != nil:
			return fmt.Errorf("%s: Codex says: %s (%d)", method, m.Error.Message, m.Error.Code)
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	}
}

func (c *conn) number(id string) json.RawMessage { return json.RawMessage(id) }

// tell sends a notification.
func (c *conn) tell(ctx context.Context, method string) error {
	return c.send(ctx, map[string]any{"method": method})
}

// reply answers a request of Codex.
func (c *conn) reply(ctx context.Context, id json.RawMessage, result any) error {
	return c.send(ctx, map[string]any{"id": id, "result": result})
}

func (c *conn) send(ctx context.Context, m any) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := c.ws.Write(ctx, websocket.MessageText, data); err != nil {
		return fmt.Errorf("writing to Codex: %w", err)
	}
	return nil
}
