package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/saysohq/sayso/agent/journal"
	"github.com/saysohq/sayso/conversation"
)

// family is a conversation with its sub-agents while somebody works on it. One
// goroutine feeds its members what happens and carries out what follows; models
// and tools run beside it. When nothing runs any more, it is forgotten: all of it
// is in the journal.
type family struct {
	h    *Host
	root string
	bell chan struct{} // there is mail, or work has ended

	inbox   []mail // guarded by h.mu, as are the next two
	later   bool   // it is in the backlog, or came from there and is being read
	started bool   // it has a goroutine

	// The rest is the goroutine's own.
	members map[string]*member
	order   []string // of the members, as they appeared
	last    uint64   // of the log
	owner   journal.Owner
	resume  bool   // it was left unfinished
	asleep  bool   // the last record is that of a conversation that waits for its person
	unsure  bool   // nobody here knows whether the ask that it waits for was put
	claimed string // the call that the last save has claimed, with the member's id
	work    works
	local   []mail // from member to member, before the inbox
}

// member is one conversation of a family.
type member struct {
	state      conversation.State
	transcript []conversation.Entry
	claims     map[string]bool // tool calls that may have run
	closed     []journal.Closed
}

// mail is something for a family to do.
type mail struct {
	to       string              // the member; empty: the one at the top
	event    conversation.Event  // nil: nothing but to resume
	answered string              // an ask that may have an outcome by now
	note     *conversation.Entry // something for the transcript
	create   bool                // the conversation may be new
	purge    bool                // remove the conversation
	work     string              // the work that this comes from
	reply    func(error)         // is told what became of it; may be nil
}

func (m mail) done(err error) {
	if m.reply != nil {
		m.reply(err)
	}
}

func (f *family) ring() {
	select {
	case f.bell <- struct{}{}:
	default:
	}
}

// run works until there is nothing left to do.
func (f *family) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	err := f.loop(ctx)
	cancel()
	f.work.wait()
	if err == nil {
		return
	}
	_, rest := f.h.leave(f, true)
	var elsewhere *ElsewhereError
	gone := f.h.ctx.Err() != nil || errors.As(err, &elsewhere)
	for _, m := range append(f.local, rest...) {
		m.done(err)
		if m.answered != "" && !gone { // nobody would wake it again
			f.h.later(f.root, m)
		}
	}
	if gone {
		return
	}
	f.h.warn("conversation "+f.root, err)
	select { // what was saved says that this host works on it
	case f.h.doubt <- struct{}{}:
	default:
	}
}

func (f *family) loop(ctx context.Context) error {
	if err := f.load(ctx); err != nil {
		return err
	}
	if f.resume {
		if err := f.own(ctx); err != nil {
			return err
		}
		for _, id := range f.order {
			f.local = append(f.local, mail{to: id, event: conversation.Resumed{}})
		}
	}
	for {
		m, ok := f.next()
		if ok {
			if err := f.take(ctx, m); err != nil {
				f.local = append(f.local, m)
				return err
			}
			continue
		}
		if f.work.none() {
			if err := f.rest(ctx); err != nil {
				return err
			}
			if left, _ := f.h.leave(f, false); left {
				f.h.publish(Update{Conversation: f.root, State: f.status(), Resting: true})
				return nil
			}
			continue
		}
		f.h.mu.Lock()
		if f.later {
			f.h.resumed(f)
			f.h.admit()
		}
		f.h.mu.Unlock()
		select {
		case <-f.bell:
		case <-ctx.Done():
			return ErrStopped
		}
	}
}

func (f *family) next() (m mail, ok bool) {
	if len(f.local) > 0 {
		m, f.local = f.local[0], f.local[1:]
		return m, true
	}
	f.h.mu.Lock()
	defer f.h.mu.Unlock()
	if len(f.inbox) == 0 {
		return m, false
	}
	m, f.inbox = f.inbox[0], f.inbox[1:]
	return m, true
}

// load reads the family from the journal.
func (f *family) load(ctx context.Context) error {
	f.members, f.order = map[string]*member{}, nil
	log, err := f.h.o.Journal.Read(ctx, f.root)
	if errors.Is(err, journal.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := f.replay(log); err != nil {
		return err
	}
	if f.owner.IsZero() {
		f.unsure = f.asleep && f.h.handles.get(openAsks(f.members[f.root].state)[0].ID) == ""
		return nil
	}
	if f.owner != f.h.owner {
		there, err := f.h.o.Journal.Attends(ctx, f.owner)
		if err != nil {
			return err
		}
		if there {
			return &ElsewhereError{Conversation: f.root, Host: f.owner.Name}
		}
	}
	f.resume = true
	return nil
}

func (f *family) replay(log *journal.Log) error {
	f.last = log.Last
	for i, r := range log.Records {
		f.owner = r.Owner
		if r.Conversation == "" {
			continue
		}
		m := f.members[r.Conversation]
		if m == nil {
			m = &member{}
			f.members[r.Conversation] = m
			f.order = append(f.order, r.Conversation)
		}
		if r.State != nil {
			var err error
			if m.state, err = conversation.UnmarshalState(r.State); err != nil {
				return fmt.Errorf("record %d: %w", i, err)
			}
		}
		m.transcript = append(m.transcript, r.Entries...)
		if r.Claim != "" {
			m.claim(r.Claim)
		}
		if r.Closed != nil {
			m.closed = append(m.closed, *r.Closed)
		}
		f.asleep = f.sleeps(r)
	}
	return nil
}

// sleeps reports whether a record, the last one, is that of a conversation that
// waits for its person. Nobody works on it, and nobody has to say so when it goes on
// with an answer: [Host.sleepers] finds those that were left halfway.
func (f *family) sleeps(r journal.Record) bool {
	return r.Owner.IsZero() && r.Conversation == f.root && r.State != nil && awaitsUser(f.members[f.root].state)
}

func awaitsUser(s conversation.State) bool {
	_, ok := s.(conversation.AwaitingUserResponse)
	return ok
}

func (m *member) claim(key string) {
	if m.claims == nil {
		m.claims = map[string]bool{}
	}
	m.claims[key] = true
}

// append writes a record, as the next of the log or not at all.
func (f *family) append(ctx context.Context, r journal.Record) error {
	r.Status, r.At = f.status(), time.Now().UTC()
	seq, err := f.h.o.Journal.Append(ctx, f.root, r, f.last)
	if errors.Is(err, journal.ErrConflict) {
		return &ElsewhereError{Conversation: f.root}
	}
	if err != nil {
		return err
	}
	f.last, f.owner, f.asleep = seq, r.Owner, f.sleeps(r)
	return nil
}

// own says that this host works on the family, unless it has said so.
func (f *family) own(ctx context.Context) error {
	if f.owner == f.h.owner && !f.resume {
		return nil
	}
	f.resume = false
	f.before(f.root, "own")
	defer f.after(f.root, "own")
	return f.append(ctx, journal.Record{Owner: f.h.owner})
}

// rest says that nobody needs to work on it.
func (f *family) rest(ctx context.Context) error {
	if f.owner.IsZero() {
		return nil
	}
	f.before(f.root, "rest")
	defer f.after(f.root, "rest")
	return f.append(ctx, journal.Record{})
}

func (f *family) status() string {
	if m := f.members[f.root]; m != nil && m.state != nil {
		return conversation.Name(m.state)
	}
	return ""
}
