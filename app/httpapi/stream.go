package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

func (s *Server) events(c *call) error {
	return s.stream(c, "", (*stream).tellTicket)
}

func (s *Server) conversationEvents(c *call) error {
	id, err := c.conversation()
	if err != nil {
		return err
	}
	return s.stream(c, id, (*stream).tellTicket)
}

func (s *Server) stateEvents(c *call) error {
	id, err := c.conversation()
	if err != nil {
		return err
	}
	return s.stream(c, id, (*stream).tellState)
}

// scope narrows a filter to what the caller sees, as far as a filter can say it: an
// asker its own asks, a person theirs and the shared inbox. Who is several of these
// gets the tenant's asks, of which [sees] leaves the caller's.
func (c *call) scope(f *hub.Filter) {
	switch c.who.Role & (auth.Asker | auth.Answerer | auth.Observer) {
	case auth.Asker:
		f.Asker = c.who.ID
	case auth.Answerer:
		f.Person, f.Desk = c.who.ID, true
	}
}

// stream is one open event stream. It has no buffer of its own: a client that reads
// slowly is told the newest of what changed meanwhile.
type stream struct {
	*call
	from  *hub.Follower
	tell  func(st *stream, t *hub.Ticket, s sight, id string) bool
	open  map[hub.Address]bool // told as open by the snapshot that is being written; nil: none is
	leave func()               // ends the turn of a large read; nil: it has none
	dirty bool                 // something is written and not flushed
	buf   []byte
}

// stream serves an event stream until the client, its credential or the server
// goes.
func (s *Server) stream(c *call, conversation string, tell func(*stream, *hub.Ticket, sight, string) bool) error {
	leave, err := s.limits.enter(c.who, true)
	if err != nil {
		return err
	}
	defer leave()
	ctx, cancel := c.until()
	defer cancel()
	filter := hub.Filter{Conversation: conversation}
	c.scope(&filter)
	filter.Unconsumed = filter.Asker != ""
	after := cmp.Or(c.r.Header.Get("Last-Event-ID"), c.r.URL.Query().Get("lastEventId"))
	from, err := s.hub.Follow(ctx, c.who.Tenant, &filter, after)
	if err != nil {
		return c.stopped(err)
	}
	defer from.Close()
	h := c.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	c.w.WriteHeader(http.StatusOK)
	if c.r.Method == http.MethodHead {
		return nil
	}
	c.w.began = s.opts.Now()
	st := &stream{call: c, from: from, tell: tell}
	defer st.turnOver()
	st.run(ctx, after == "")
	if s.life.Err() != nil && c.r.Context().Err() == nil {
		// The next connection may go to another gateway, so browsers need not wait as
		// long as for one that broke; but not all of them come at once.
		st.write(fmt.Appendf(nil, "retry: %d\n\n", 100+rand.N(400)))
	}
	return nil
}

// run writes until something ends the stream; what does is nobody's fault.
func (st *stream) run(ctx context.Context, anew bool) {
	if !st.write([]byte("retry: 2000\n\n")) || anew && !st.begin(ctx) {
		return
	}
	reading := true // it is not at the end yet: what is read counts
	for beat := time.Now(); ; {
		events, start, err := []hub.FollowEvent(nil), time.Now(), error(nil)
		if st.open != nil {
			events, err = st.from.Next(ctx)
		} else {
			next, cancel := context.WithDeadline(ctx, beat.Add(st.s.opts.Heartbeat))
			events, err = st.from.Next(next)
			cancel()
		}
		switch {
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			reading, beat = false, time.Now()
			if !st.heartbeat() {
				return
			}
			continue
		case err != nil:
			return
		}
		took, size, looked := time.Since(start), 0, 0
		for _, e := range events {
			if e.Ticket != nil {
				looked, size = looked+1, size+e.Ticket.Size()
			}
			if !st.event(ctx, e) {
				return
			}
		}
		if st.dirty {
			beat = time.Now()
		}
		if !st.flush() {
			return
		}
		if reading || st.open != nil {
			st.s.limits.spend(st.who, looked*recordCost+size)
			if !st.rest(ctx, took) {
				return
			}
		}
		reading = st.open != nil
	}
}

// begin waits for the turn to read everything that is open.
func (st *stream) begin(ctx context.Context) bool {
	st.open = map[hub.Address]bool{}
	if st.leave == nil {
		leave, err := st.s.limits.reading(ctx, st.who, time.Minute)
		if err != nil {
			return false
		}
		st.leave = leave
	}
	return true
}

// turnOver lets others read.
func (st *stream) turnOver() {
	if st.leave != nil {
		st.leave()
		st.leave = nil
	}
}

// event writes one event. Within a snapshot events have no id: one that is cut short
// begins anew, and one that was read to its end is never told again.
func (st *stream) event(ctx context.Context, e hub.FollowEvent) bool {
	switch t := e.Ticket; {
	case e.Reset:
		// The empty id has a client forget where it was.
		return st.begin(ctx) && st.put([]byte("id: \nevent: "+api.EventReset+"\ndata: {}\n\n"))
	case e.Ready:
		n := len(st.open)
		st.open = nil
		st.turnOver()
		return st.put(st.frame(e.ID, api.EventReady, spell(api.Ready{Open: n})))
	case t == nil: // a record that cannot be read; if that may pass, the client comes back, and has not missed it
		return !e.Again
	default:
		s := sees(st.who, t)
		if s == nothing {
			return true
		}
		if st.open != nil {
			delete(st.open, t.Address)
			if t.Open() {
				st.open[t.Address] = true
			}
		}
		return st.tell(st, t, s, e.ID)
	}
}

// tellTicket writes an event of a ticket. Those of snapshots are told to one stream
// only, so nothing is kept of them.
func (st *stream) tellTicket(t *hub.Ticket, s sight, id string) bool {
	if id == "" {
		return st.put(st.frame("", api.EventAsk, spell(wire(st.s.hub, t, s))))
	}
	return st.put(st.frame(id, api.EventAsk, st.s.spellings.of(t).data(st.s.hub, s)))
}

// tellState writes what the change of a ticket means for its conversation.
func (st *stream) tellState(t *hub.Ticket, _ sight, id string) bool {
	v := api.StateChange{
		Type: "user_response_received", Conversation: t.Address.Conversation,
		Ask: st.s.hub.Handle(t.Address), Digest: t.Digest, ToolUseID: t.Ask.Origin.ToolCall, Asker: t.Ask.Origin.Asker, Status: t.Status(),
	}
	if t.Open() {
		v.Type, v.Status = "awaiting_user_response", ""
		v.Questions = api.StateQuestions(t.Ask)
	}
	return st.put(st.frame(id, api.EventState, spell(v)))
}

// heartbeat keeps the stream alive. Its id moves on, so that who was idle for long
// can still resume.
func (st *stream) heartbeat() bool {
	return st.write([]byte(":\nid: " + st.from.ID() + "\n\n"))
}

const keepFrame = 16 << 10 // bytes of a buffer that are kept

// frame returns an event as it is written, until the next one. One without an id
// cannot be resumed behind.
func (st *stream) frame(id, name string, data []byte) []byte {
	b := st.buf[:0]
	if id != "" {
		b = append(append(append(b, "id: "...), id...), '\n')
	}
	b = append(append(append(b, "event: "...), name...), '\n')
	b = append(append(append(b, "data: "...), data...), "\n\n"...)
	if st.buf = nil; cap(b) <= keepFrame {
		st.buf = b
	}
	return b
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
