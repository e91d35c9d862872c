package telegram

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
)

// Telegram asks for no more than one message a second in a chat, and 30 in all.
const (
	perChat = time.Second
	perBot  = time.Second / 30
	patient = 10 * time.Second // who would have to wait longer for Telegram is told to come again
)

// pace spaces out messages.
type pace struct {
	mu    sync.Mutex
	all   time.Time           // when the next message may be sent
	chats map[int64]time.Time // the same, in each chat
	free  bool                // of limits: for tests with thousands of messages
}

func newPace() *pace { return &pace{chats: map[int64]time.Time{}} }

// wait waits for the chat's turn, and takes it. It gives up at once if Telegram wants
// the chat to be left alone for long.
func (p *pace) wait(ctx context.Context, id int64) error {
	for {
		d := p.take(id)
		if d <= 0 {
			return ctx.Err()
		}
		if d > patient {
			return &notify.RetryError{After: d, Err: fmt.Errorf("telegram: too many messages; the next one can be sent in %s", d.Round(time.Second))}
		}
		if err := pause(ctx, d); err != nil {
			return err
		}
	}
}

// take takes the turn of the chat if it is there, and says otherwise how long that may
// take at least.
func (p *pace) take(id int64) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free {
		return 0
	}
	now := time.Now()
	if d := max(p.all.Sub(now), p.chats[id].Sub(now)); d > 0 {
		return d
	}
	if len(p.chats) > 1000 {
		for other, t := range p.chats {
			if t.Before(now) {
				delete(p.chats, other)
			}
		}
	}
	p.all, p.chats[id] = now.Add(perBot), now.Add(perChat)
	return 0
}

// hold keeps the chat quiet for so long, because Telegram said so.
func (p *pace) hold(id int64, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := time.Now().Add(d); t.After(p.chats[id]) {
		p.chats[id] = t
	}
}

// pause waits, or fails with the context.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// known are accounts that are linked, as far as this process has noticed.
type known struct {
	mu  sync.Mutex
	are map[string]bool
}

func newKnown() *known { return &known{are: map[string]bool{}} }

func (k *known) add(account string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.are[account] = true
}

func (k *known) has(account string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.are[account]
}

// shy limits what strangers are told: each of them one thing in ten minutes, and all
// together ten in a minute. Anybody can write to a bot, and an answer each would make
// it a means to keep the bot busy.
type shy struct {
	mu    sync.Mutex
	last  map[string]time.Time
	since time.Time
	count int
}

func newShy() *shy { return &shy{last: map[string]time.Time{}} }

// may reports whether the stranger is answered now.
func (s *shy) may(account string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if now.Sub(s.since) >= time.Minute {
		s.since, s.count = now, 0
		for a, t := range s.last {
			if now.Sub(t) >= 10*time.Minute {
				delete(s.last, a)
			}
		}
	}
	if _, told := s.last[account]; told && now.Sub(s.last[account]) < 10*time.Minute || s.count >= 10 {
		return false
	}
	s.last[account] = now
	s.count++
	return true
}
