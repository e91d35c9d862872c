package httpapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// How much of a list is done at once. A list is written as it is read, so these
// are all that it takes of the memory.
const (
	chunkBytes = 1 << 20  // read, and then written
	pageBytes  = 4 << 20  // written; then the page ends
	scanBytes  = 16 << 20 // looked at; then the page ends, however little was found
)

func (s *Server) list(c *call) error {
	q := c.r.URL.Query()
	f, err := listFilter(c, q)
	if err != nil {
		return err
	}
	leave, err := s.limits.reading(c.r.Context(), c.who, readTurn)
	if err != nil {
		return err
	}
	defer leave()
	w := &listWriter{call: c, agent: q.Get("agent"), to: q.Get("to"), status: f.Status, consumed: q.Has("consumed") && !f.Unconsumed}
	err = w.run(f)
	if err != nil && c.w.wrote {
		panic(http.ErrAbortHandler) // nobody takes half a list for a whole one
	}
	if err != nil && f.Cursor != "" && c.problemOf(err).Status == internal.status {
		return badRequest.problem("This cursor does not belong to this list. Start again without a cursor.")
	}
	return err
}

// listFilter reads what the request selects.
func listFilter(c *call, q url.Values) (*hub.Filter, error) {
	f := &hub.Filter{Status: sayso.Status(q.Get("status")), Conversation: q.Get("conversation"), Cursor: q.Get("cursor"), Limit: 100, Bytes: chunkBytes}
	if f.Status != "" && !slices.Contains(statuses(), string(f.Status)) {
		return nil, badRequest.problemf("status must be one of: %s.", strings.Join(statuses(), ", "))
	}
	if q.Has("consumed") {
		consumed, err := c.flag("consumed")
		if err != nil {
			return nil, err
		}
		f.Unconsumed = !consumed
		f.Status = cmp.Or(f.Status, hub.AnyStatus)
	}
	if limit := q.Get("limit"); limit != "" {
		var err error
		if f.Limit, err = strconv.Atoi(limit); err != nil || f.Limit < 1 || f.Limit > 1000 {
			return nil, badRequest.problem("limit must be a number from 1 to 1000.")
		}
	}
	c.scope(f)
	if to := q.Get("to"); to != "" && f.Person == "" {
		f.Person = to // their own inbox and the shared one, which is not only for them
	}
	return f, nil
}

// listWriter writes an [api.TicketPage] chunk by chunk.
type listWriter struct {
	*call
	agent, to string // only of this agent, only to this person
	status    sayso.Status
	consumed  bool // only asks whose outcome the asker has
	written   int  // bytes
	some      bool // a ticket is written
	damaged   int
}

func (w *listWriter) run(f *hub.Filter) error {
	limit, scanned := f.Limit, 0
	for {
		start := time.Now()
		page, err := w.s.hub.List(w.r.Context(), w.who.Tenant, f)
		if err != nil {
			return err
		}
		if scanned == 0 {
			w.w.Header().Set("Content-Type", "application/json")
			w.write([]byte(`{"tickets":[`))
		}
		before := w.written
		w.w.patience()
		for _, t := range page.Tickets {
			if err := w.ticket(t); err != nil {
				return err
			}
		}
		w.scanned(page, w.written-before)
		w.damaged += len(page.Damaged)
		if !w.rest(w.r.Context(), time.Since(start)) {
			return w.r.Context().Err()
		}
		limit, scanned = limit-len(page.Tickets), scanned+max(page.Scanned, 1)
		f.Limit, f.Cursor = limit, page.Next
		if page.Next == "" || limit <= 0 || w.written >= pageBytes || scanned >= scanBytes {
			return w.end(page.Next)
		}
	}
}

func (w *listWriter) ticket(t *hub.Ticket) error {
	if w.agent != "" && !slices.Contains(t.Ask.Origin.Agents, w.agent) || w.to != "" && !slices.Contains(t.Ask.To, w.to) {
		return nil
	}
	if w.consumed && (t.Open() || t.Consumed.IsZero()) || w.status != "" && w.status != hub.AnyStatus && w.status != t.Status() {
		return nil
	}
	v, ok := w.view(t)
	if !ok {
		return nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("httpapi: spelling the response: %w", err)
	}
	if w.some {
		w.write([]byte{','})
	}
	w.some = true
	w.written += len(data)
	return w.write(data)
}

// end closes the page.
func (w *listWriter) end(next string) error {
	tail, err := json.Marshal(struct {
		Next    string `json:"next,omitempty"`
		Damaged int    `json:"damaged,omitempty"`
	}{next, w.damaged})
	if err != nil {
		return err
	}
	if len(tail) > len("{}") {
		tail[0] = ','
	} else {
		tail = tail[1:]
	}
	w.write([]byte{']'})
	return w.write(append(tail, '\n'))
}

func (w *listWriter) write(b []byte) error {
	_, err := w.w.Write(b)
	return err
}
