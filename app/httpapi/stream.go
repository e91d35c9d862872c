package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

func (s *Server) events(c *call) error {
	return s.stream(c, "", (*stream).ticketFrame)
}

func (s *Server) conversationEvents(c *call) error {
	id, err := c.conversation()
	if err != nil {
		return err
	}
	return s.stream(c, id, (*stream).ticketFrame)
}

func (s *Server) stateEvents(c *call) error {
	id, err := c.conversation()
	if err != nil {
		return err
	}
	return s.stream(c, id, (*stream).stateFrame)
}

// stream is one open event stream. It has no buffer of its own: it reads the
// feed, and one that falls too far behind begins anew.
type stream struct {
	*call
	feed         *feed
	conversation string // empty: all
	spell        func(*stream, *event, sight) []byte
	told         map[hub.Address]uint64 // by the snapshot that is being written
	dirty        bool                   // something is written and not flushed
}

// stream serves an event stream until the client, its credential or the server
// goes.
func (s *Server) stream(c *call, conversation string, spell func(*stream, *event, sight) []byte) error {
	leave, err := s.limits.enter(c.who, true)
	if err != nil {
		return err
	}
	defer leave()
	ctx, cancel := c.until()
	defer cancel()
	f, err := s.feeds.of(ctx, c.who.Tenant)
	if err != nil {
		return err
	}
	st := &stream{call: c, feed: f, conversation: conversation, spell: spell}
	h := c.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	c.w.WriteHeader(http.StatusOK)
	if c.r.Method == http.MethodHead {
		return nil
	}
	st.run(ctx, behind(cmp.Or(c.r.Header.Get("Last-Event-ID"), c.r.URL.Query().Get("lastEventId"))))
	return nil
}

// run writes until something ends the stream; what does is nobody's fault.
func (st *stream) run(ctx context.Context, at place) {
	if !st.write([]byte("retry: 2000\n\n")) {
		return
	}
	heart := time.NewTicker(st.s.opts.Heartbeat)
	defer heart.Stop()
	for {
		events, wake, ok := st.feed.since(at)
		if !ok {
			if at, ok = st.snapshot(ctx); !ok {
				return
			}
			continue
		}
		for _, e := range events {
			at = e.at
			if st.news(e.ticket) && !st.put(st.spell(st, e, sees(st.who, e.ticket))) {
				return
			}
		}
		if !st.flush() {
			return
		}
		select {
		case <-wake:
		case <-heart.C:
			// The id moves on also where nothing concerned this stream.
			if !st.write(fmt.Appendf(nil, ":\nid: %s\n\n", at)) {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// news reports whether the ticket is for this stream and not told yet.
func (st *stream) news(t *hub.Ticket) bool {
	if st.conversation != "" && st.conversation != t.Address.Conversation || sees(st.who, t) == nothing {
		return false
	}
	return t.Revision > st.told[t.Address]
}

// snapshot tells everything that is open, and returns the place from which the
// stream goes on. Only the end of it has an id, behind all that it tells: a
// snapshot that is cut short begins anew, and one that was read to its end is
// never told again.
func (st *stream) snapshot(ctx context.Context) (at place, ok bool) {
	at = st.feed.end()
	if !st.put(frame("", api.EventReset, struct{}{})) {
		return at, false
	}
	st.told = map[hub.Address]uint64{}
	defer func() { st.told = nil }()
	written := 0 // bytes
	tell := func(t *hub.Ticket) bool {
		if !t.Open() || !st.feed.confirm(t) || !st.news(t) {
			return true
		}
		st.told[t.Address] = t.Revision
		written += t.Size()
		e := &event{ticket: t}
		return st.put(st.spell(st, e, sees(st.who, t)))
	}
	leave, err := st.s.limits.reading(ctx, st.who, time.Minute)
	if err != nil {
		return at, false
	}
	defer leave()
	filter := hub.Filter{Conversation: st.conversation, Limit: 1000, Bytes: chunkBytes}
	if st.who.Role&(auth.Asker|auth.Observer) == 0 {
		filter.Person = st.who.ID
	}
	for {
		start := time.Now()
		page, err := st.s.hub.List(ctx, st.who.Tenant, &filter)
		if err != nil {
			return at, false
		}
		before := written
		for _, t := range page.Tickets {
			if !tell(t) {
				return at, false
			}
		}
		st.scanned(page, written-before)
		if !st.rest(ctx, time.Since(start)) {
			return at, false
		}
		if page.Next == "" {
			break
		}
		filter.Cursor = page.Next
	}
	// A list may lag behind what the feed knows.
	for _, addr := range st.feed.unlisted(st.concerns, st.told) {
		t, err := st.s.hub.Get(ctx, addr)
		if err == nil {
			st.read(t.Size())
		}
		if err != nil && !errors.Is(err, hub.ErrNotFound) || err == nil && !tell(t) {
			return at, false
		}
	}
	// What changed meanwhile belongs to it.
	events, _, ok := st.feed.since(at)
	if !ok {
		return at, true // too much did: since says so again
	}
	for _, e := range events {
		at = e.at
		if !st.news(e.ticket) {
			continue
		}
		delete(st.told, e.ticket.Address)
		if e.ticket.Open() {
			st.told[e.ticket.Address] = e.ticket.Revision
		}
		if !st.put(st.spell(st, &event{ticket: e.ticket}, sees(st.who, e.ticket))) {
			return at, false
		}
	}
	return at, st.put(frame(at.String(), api.EventReady, api.Ready{Open: len(st.told)})) && st.flush()
}

// concerns reports whether what waits there may be for this stream.
func (st *stream) concerns(addr hub.Address) bool {
	if st.conversation != "" && st.conversation != addr.Conversation {
		return false
	}
	return st.who.Role.Is(auth.Asker|auth.Observer) || st.who.ID == "" || addr.Person == "" || addr.Person == st.who.ID
}

// ticketFrame spells an event of a ticket; those of a snapshot have no id.
func (st *stream) ticketFrame(e *event, s sight) []byte {
	if e.at.epoch == "" {
		return frame("", api.EventAsk, wire(st.s.hub, e.ticket, s))
	}
	return e.frame(st.s.hub, s)
}

// stateFrame spells what the change of a ticket means for its conversation.
func (st *stream) stateFrame(e *event, _ sight) []byte {
	t := e.ticket
	v := api.StateChange{
		Type: "user_response_received", Conversation: t.Address.Conversation,
		Ask: st.s.hub.Handle(t.Address), Digest: t.Digest, ToolUseID: t.Ask.Origin.ToolCall, Asker: t.Ask.Origin.Asker, Status: t.Status(),
	}
	if t.Open() {
		v.Type, v.Status = "awaiting_user_response", ""
		v.Questions = api.StateQuestions(t.Ask)
	}
	id := ""
	if e.at.epoch != "" {
		id = e.at.String()
	}
	return frame(id, api.EventState, v)
}

// put writes a frame; a client that does not take it in time is let go.
func (st *stream) put(frame []byte) bool {
	st.dirty = true
	st.w.patience()
	_, err := st.w.Write(frame)
	return err == nil
}

func (st *stream) flush() bool {
	if !st.dirty {
		return true
	}
	st.dirty = false
	st.w.patience()
	return http.NewResponseController(st.w).Flush() == nil
}

func (st *stream) write(frame []byte) bool { return st.put(frame) && st.flush() }
