package desktop

import (
	"context"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
)

// Replies takes what people press to the desk, until ctx ends. What they pressed
// before this process showed the note is lost: its buttons do nothing.
func (c *Channel) Replies(ctx context.Context, d notify.Desk) error {
	defer c.Close()
	pause := time.Second
	for ctx.Err() == nil {
		lost, err := c.listen(ctx)
		var again <-chan time.Time
		if err != nil { // nobody is logged in, perhaps: that may change
			c.o.Log.Debug("no desktop", "error", err)
			again, pause = time.After(pause), min(2*pause, time.Minute)
		} else {
			pause = time.Second
		}
		for open := true; open; {
			select {
			case p := <-c.presses:
				c.take(ctx, d, p)
			case <-lost:
				open = false
			case <-again:
				open = false
			case <-ctx.Done():
				open = false
			}
		}
	}
	return ctx.Err()
}

// listen connects to the bus. What the channel returns is closed when the connection
// is lost.
func (c *Channel) listen(ctx context.Context) (<-chan struct{}, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	b, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	if b.owner != "" {
		c.showAgain(ctx, b) // a new session has none of it
	}
	return b.conn.Context().Done(), nil
}

// invoked notes a press for Replies. The lock is held.
func (c *Channel) invoked(b *bus, id uint32, key string) {
	at, s := c.find(b, id)
	if s == nil {
		return
	}
	for _, a := range s.actions {
		if a.key != key {
			continue
		}
		s.pressed = true
		select {
		case c.presses <- press{at, s.puts, s.account, s.note, a}:
		default:
			c.o.Log.Warn("too many presses at once; one is dropped")
		}
	}
}

// closed notes that a notification is gone. That says nothing about the ask. The lock
// is held.
func (c *Channel) closed(b *bus, id, why uint32) {
	const dismissed = 2
	if _, s := c.find(b, id); s != nil && why == dismissed && !s.pressed {
		s.dismissed = true
	}
}

func (c *Channel) find(b *bus, id uint32) (place, *shown) {
	for at, s := range c.shown {
		if s.guid == b.guid && s.owner == b.owner && s.id == id {
			return at, s
		}
	}
	return place{}, nil
}

// showAgain shows everything that another service has shown, before it ended. The lock
// is held.
func (c *Channel) showAgain(ctx context.Context, b *bus) {
	for _, s := range c.shown {
		if s.dismissed || s.guid == b.guid && s.owner == b.owner {
			continue
		}
		if err := b.show(ctx, s); err != nil {
			c.o.Log.Warn("not shown again after the notification service has ended", "error", err)
		}
	}
}

// take does what a person wants.
func (c *Channel) take(ctx context.Context, d notify.Desk, p press) {
	if p.action.Data == "" {
		if err := c.o.Open(p.note, p.action.URL); err != nil {
			c.o.Log.Warn("cannot open the question", "error", err)
			c.say(ctx, p, false, p.note.Title, err.Error())
			return
		}
		c.say(ctx, p, true, "", "")
		return
	}
	r, err := d.Press(ctx, p.account, p.action.Data)
	for pause := 250 * time.Millisecond; err != nil; pause = min(2*pause, 30*time.Second) {
		c.o.Log.Warn("a press cannot be stored; trying again", "error", err)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
		r, err = d.Press(ctx, p.account, p.action.Data)
	}
	c.say(ctx, p, r.Done, p.note.Title, r.Text)
}

// say tells the person what became of a press, and takes away what is done with:
// services leave it on the screen. What was shown meanwhile stays.
func (c *Channel) say(ctx context.Context, p press, done bool, title, text string) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.bus
	if b == nil || b.owner == "" {
		return
	}
	if s := c.shown[p.at]; done && s != nil && s.puts == p.puts {
		if err := b.close(ctx, s); err != nil {
			c.o.Log.Warn("the notification stays", "error", err)
		}
	}
	if text != "" {
		if err := b.tell(ctx, title, text); err != nil {
			c.o.Log.Warn("what became of a press was not shown", "error", err)
		}
	}
}
