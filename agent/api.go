package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/conversation"
)

// The errors of a Host. One that refuses an event is a
// [*conversation.RejectedError].
var (
	ErrNotFound = journal.ErrNotFound
	ErrTooLarge = journal.ErrTooLarge // what is said cannot be kept
	ErrStopped  = errors.New("agent: the host has stopped")
	ErrID       = errors.New("agent: not an id for a conversation")
)

// ElsewhereError says that another host works on the conversation.
type ElsewhereError struct {
	Conversation string
	Host         string // empty if it is not known which
}

func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("agent: another host works on conversation %s (%s)", e.Conversation, e.Host)
}

// Conversation is what is known of a conversation.
type Conversation struct {
	ID         string
	State      conversation.State
	Transcript []conversation.Entry
	Closed     []journal.Closed // its asks that have an outcome, and those of sub-agents that came by it, oldest first
	Agents     []*Conversation  // its sub-agents, and theirs, in the order in which they were started
	Working    string           // the host that works on it; empty: it is at rest
	Changed    time.Time
}

// Asks returns what the conversation, or a sub-agent in its name, waits to be told
// by a person.
func (c *Conversation) Asks() []*sayso.Ask { return openAsks(c.State) }

// Send says something to a conversation, which begins with it if it is new, and
// returns once that is saved. A message with an id that was the last one is the
// same message. While an ask waits, the message takes the place of the answer.
func (h *Host) Send(ctx context.Context, id, messageID, text string) error {
	return h.tell(ctx, id, mail{create: true, event: conversation.UserMessage{ID: messageID, Text: text}})
}

// Cancel ends the turn of a conversation: what runs is stopped, what it asks is
// withdrawn, sub-agents are cancelled.
func (h *Host) Cancel(ctx context.Context, id, reason string) error {
	return h.tell(ctx, id, mail{event: conversation.Cancel{Reason: reason}})
}

// Retry asks the model again after it could not be reached.
func (h *Host) Retry(ctx context.Context, id string) error {
	return h.tell(ctx, id, mail{event: conversation.Retry{}})
}

// End ends a conversation for good.
func (h *Host) End(ctx context.Context, id, reason string) error {
	return h.tell(ctx, id, mail{event: conversation.End{Reason: reason}})
}

func validID(id string) bool { return id != "" && len(id) <= 200 && !strings.Contains(id, agentMark) }

// tell waits until the conversation has taken the mail.
func (h *Host) tell(ctx context.Context, id string, m mail) error {
	if !validID(id) {
		return ErrID
	}
	taken := make(chan error, 1)
	m.reply = func(err error) { taken <- err }
	h.post(id, m)
	select {
	case err := <-taken:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Get returns a conversation as it was saved last, or ErrNotFound.
func (h *Host) Get(ctx context.Context, id string) (*Conversation, error) {
	return Look(ctx, h.o.Journal, id)
}

// Look returns a conversation as a journal has it, without a host.
func Look(ctx context.Context, j journal.Journal, id string) (*Conversation, error) {
	log, err := j.Read(ctx, id)
	if err != nil {
		return nil, err
	}
	f := family{root: id, members: map[string]*member{}}
	if err := f.replay(log); err != nil {
		return nil, fmt.Errorf("agent: conversation %s: %w", id, err)
	}
	top := &Conversation{ID: id, Working: f.owner.Name, Changed: log.Records[len(log.Records)-1].At}
	for _, member := range f.order {
		c := top
		if member != id {
			c = &Conversation{ID: member, Working: top.Working, Changed: top.Changed}
			top.Agents = append(top.Agents, c)
		}
		m := f.members[member]
		c.State, c.Transcript, c.Closed = m.state, m.transcript, m.closed
	}
	return top, nil
}

// Summary is a conversation in a list.
type Summary struct {
	ID      string
	State   string // its name, as in package conversation
	Working string // the host that works on it; empty: it is at rest
	Changed time.Time
}

// List calls fn for every conversation, in no order, until fn returns false.
func (h *Host) List(ctx context.Context, fn func(Summary) bool) error {
	return h.o.Journal.Heads(ctx, func(head journal.Head) bool {
		return fn(Summary{head.ID, head.Status, head.Owner.Name, head.At})
	})
}

// Wait returns a conversation once it is at rest: it waits for a message or an
// answer, has failed or has ended.
func (h *Host) Wait(ctx context.Context, id string) (*Conversation, error) {
	rested := make(chan struct{}, 1)
	defer h.Subscribe(func(u Update) {
		if u.Conversation == id && u.Resting {
			select {
			case rested <- struct{}{}:
			default:
			}
		}
	})()
	for {
		c, err := h.Get(ctx, id)
		if err != nil || h.Rests(c) {
			return c, err
		}
		select {
		case <-rested:
		case <-time.After(time.Second): // it may be another host that works on it
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-h.ctx.Done():
			return nil, ErrStopped
		}
	}
}

// Rests reports whether nobody works on a conversation that [Host.Get] returned. One
// that waits for its person is saved as at rest before its ask is put, and this host
// works on it until then.
func (h *Host) Rests(c *Conversation) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return c.Working == "" && h.active[c.ID] == nil
}

// Update is news of a conversation on this host.
type Update struct {
	Conversation string // the one at the top
	Member       string // whose news it is: that one, or a sub-agent
	State        string
	Revision     int                  // of the member's state, where it was saved
	Entries      []conversation.Entry // what was added to the member's transcript
	Length       int                  // of the transcript with them
	Asks         []*sayso.Ask         // what the member now waits to be told
	Closed       *journal.Closed      // the ask whose outcome made it go on
	Delta        string               // what the model says, as it says it; the whole of it comes again as an entry
	Resting      bool                 // nobody works on the conversation any more
}

// Subscribe calls fn for everything that happens to conversations on this host,
// until the function that it returns is called. fn may be called from several
// goroutines, and must neither block nor call the host.
func (h *Host) Subscribe(fn func(Update)) (stop func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := h.nextSub
	h.nextSub++
	h.subs[n] = fn
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.subs, n)
	}
}

func (h *Host) publish(u Update) {
	h.mu.Lock()
	fns := make([]func(Update), 0, len(h.subs))
	for _, fn := range h.subs {
		fns = append(fns, fn)
	}
	h.mu.Unlock()
	for _, fn := range fns {
		fn(u)
	}
}
