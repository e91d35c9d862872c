package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/saysohq/sayso/app/surface/notify"
)

// workspace is where the app is installed.
type workspace struct {
	Team       string `json:"team_id"`
	Name       string `json:"team"`
	Bot        string `json:"user"`
	Enterprise bool   `json:"is_enterprise_install"`

	app string // from the connection
}

// Replies connects to Slack and brings what people do to the desk. It connects anew when
// Slack or the network ends the connection. It returns when ctx ends, or when Slack
// refuses the tokens.
func (c *Channel) Replies(ctx context.Context, d notify.Desk) error {
	var w workspace
	pause := time.Second
	for {
		began := time.Now()
		err := c.connected(ctx, d, &w)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case fatal[code(err)]:
			return err
		case err == nil: // Slack renews connections every few hours
			pause = time.Second
			if time.Since(began) > pause {
				continue
			}
		default:
			c.log.Warn("slack: not connected", "error", err)
		}
		if time.Since(began) > time.Minute {
			pause = time.Second
		}
		wait := pause/2 + rand.N(pause/2+1)
		if r, ok := errors.AsType[*notify.RetryError](err); ok {
			wait = max(wait, r.After)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		pause = min(2*pause, time.Minute)
	}
}

// connected is one connection, from its beginning to its end. It returns nil if Slack
// asks to connect anew.
func (c *Channel) connected(ctx context.Context, d notify.Desk, w *workspace) error {
	if w.Team == "" {
		if err := c.call(ctx, c.bot, "auth.test", struct{}{}, w); err != nil {
			return err
		}
	}
	conn, err := c.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.CloseNow()
	s := &session{Channel: c, conn: conn, desk: d, at: w, queues: map[string][]delivery{}}
	alive, end := context.WithCancel(ctx)
	var beat sync.WaitGroup
	beat.Go(func() { s.ping(alive) })
	err = s.read(ctx)
	s.work.Wait() // what has arrived is taken, and acknowledged if it still can be
	end()
	beat.Wait()
	return err
}

// dial opens a connection. Its address is a secret and works once.
func (c *Channel) dial(ctx context.Context) (*websocket.Conn, error) {
	u, err := c.socket(ctx)
	if err != nil {
		return nil, err
	}
	conn, _, err := websocket.Dial(ctx, u, &websocket.DialOptions{HTTPClient: c.client})
	if err != nil {
		return nil, fmt.Errorf("slack: connecting: %w", c.secretless(bare(err), u))
	}
	conn.SetReadLimit(1 << 20)
	return conn, nil
}

// socket asks for the address of a connection.
func (c *Channel) socket(ctx context.Context) (string, error) {
	var open struct {
		URL string `json:"url"`
	}
	if err := c.call(ctx, c.app, "apps.connections.open", struct{}{}, &open); err != nil {
		return "", err
	}
	safe := strings.HasPrefix(open.URL, "wss://") || strings.HasPrefix(open.URL, "ws://") && strings.HasPrefix(c.api, "http://")
	if !safe {
		return "", fmt.Errorf("slack: apps.connections.open: the address of the connection is not wss://")
	}
	return open.URL, nil
}

// secretless is the error, unless it repeats a secret.
func (c *Channel) secretless(err error, secrets ...string) error {
	for _, s := range append(secrets, c.bot, c.app) {
		if _, ticket, ok := strings.Cut(s, "?"); ok && ticket != "" && strings.Contains(err.Error(), ticket) {
			return errors.New("no connection")
		}
		if s != "" && strings.Contains(err.Error(), s) {
			return errors.New("no connection")
		}
	}
	return err
}

// session is a connection while it lasts.
type session struct {
	*Channel
	conn *websocket.Conn
	desk notify.Desk
	at   *workspace

	work    sync.WaitGroup
	lock    sync.Mutex
	queues  map[string][]delivery // by account: what has arrived and is not done
	waiting int
}

type delivery struct {
	id  string
	act *act
}

// read reads until the connection ends.
func (s *session) read(ctx context.Context) error {
	for {
		_, data, err := s.conn.Read(ctx)
		if err != nil {
			return fmt.Errorf("slack: the connection ended: %w", s.secretless(bare(err)))
		}
		e, a := parse(data)
		switch {
		case e == nil:
			s.log.Warn("slack: an envelope could not be read")
		case e.Type == "hello":
			s.at.app = e.Info.App
			s.log.Info("slack: connected", "team", s.at.Team)
		case e.Type == "disconnect" && e.Reason == "link_disabled":
			return &slackError{method: "connecting", code: "link_disabled"}
		case e.Type == "disconnect":
			return nil
		case e.ID != "":
			s.queue(ctx, e.ID, a)
		}
	}
}

// queue has an act taken, after all that the same person did before. If too much waits,
// it is left to come again.
func (s *session) queue(ctx context.Context, id string, a *act) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.waiting == remembered {
		s.log.Warn("slack: too much at once; an envelope is left to come again")
		return
	}
	who := a.account()
	s.waiting++
	s.queues[who] = append(s.queues[who], delivery{id, a})
	if len(s.queues[who]) == 1 {
		s.work.Go(func() { s.drain(ctx, who) })
	}
}

// drain takes what waits of one person, one after the other.
func (s *session) drain(ctx context.Context, who string) {
	for {
		s.lock.Lock()
		if len(s.queues[who]) == 0 {
			delete(s.queues, who)
			s.lock.Unlock()
			return
		}
		d := s.queues[who][0]
		s.lock.Unlock()
		if ctx.Err() == nil {
			s.take(ctx, d)
		}
		s.lock.Lock()
		s.waiting--
		s.queues[who] = s.queues[who][1:]
		s.lock.Unlock()
	}
}

// take brings an act to the desk and acknowledges it, in this order.
func (s *session) take(ctx context.Context, d delivery) {
	s.mu.Lock()
	ack, again := s.done.find(d.id)
	s.mu.Unlock()
	var after func(context.Context)
	if !again {
		reply, then, err := s.handle(ctx, s.desk, s.at, d.act)
		if err != nil {
			s.log.Warn("slack: not taken, and left to come again", "error", s.secretless(err))
			return
		}
		after, ack = then, s.ack(d.id, reply)
		s.mu.Lock()
		s.done.keep(d.id, ack)
		s.mu.Unlock()
	}
	s.step("acking")
	soon, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := s.conn.Write(soon, websocket.MessageText, ack); err != nil {
		s.log.Warn("slack: not acknowledged, so it comes again", "error", s.secretless(bare(err)))
	}
	s.step("acked")
	if after != nil {
		s.work.Go(func() { after(ctx) })
	}
}

// ack is the acknowledgement of an envelope.
func (s *session) ack(id string, reply any) []byte {
	m := map[string]any{"envelope_id": id}
	if reply != nil {
		m["payload"] = reply
	}
	data, err := json.Marshal(m)
	if err != nil || len(data) >= 20_000 { // Slack drops what is longer
		data, _ = json.Marshal(map[string]any{"envelope_id": id})
	}
	return data
}

// ping notices a connection that is dead, which reading alone does not.
func (s *session) ping(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(s.beat):
		}
		late, cancel := context.WithTimeout(ctx, s.beat)
		err := s.conn.Ping(late)
		cancel()
		if err != nil {
			s.conn.CloseNow() // ends the reading
			return
		}
	}
}
