package convapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/conversation"
)

// StateChange is the data of a state_change event: where the conversation stands,
// and, in awaiting_user_response, what is asked (seed 3).
type StateChange struct {
	Type         string              `json:"type"`
	Conversation string              `json:"conversation"`
	Revision     int                 `json:"revision"`
	Agent        string              `json:"agent,omitempty"` // the sub-agent whose state it is
	Ask          string              `json:"ask,omitempty"`
	ToolUseID    string              `json:"tool_use_id,omitempty"`
	Questions    []api.StateQuestion `json:"questions,omitempty"`
}

// Entry is the data of an entry event: an addition to the transcript.
type Entry struct {
	Index int `json:"index"`
	conversation.Entry
}

// Delta is the data of a delta event: what the model says, while it says it.
type Delta struct {
	Agent string `json:"agent,omitempty"` // the sub-agent that speaks
	Text  string `json:"text"`
}

// queueMost is how far a slow reader may fall behind.
const queueMost = 8192

// queue holds what has happened and was not written.
type queue struct {
	mu   sync.Mutex
	all  []agent.Update
	over bool
	bell chan struct{}
}

func (q *queue) put(u agent.Update) {
	q.mu.Lock()
	if len(q.all) < queueMost {
		q.all = append(q.all, u)
	} else {
		q.over = true
	}
	q.mu.Unlock()
	select {
	case q.bell <- struct{}{}:
	default:
	}
}

func (q *queue) take() (all []agent.Update, over bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	all, q.all = q.all, nil
	return all, q.over
}

// events serves what happens in a conversation, from the beginning or from behind
// the last event that was seen, until the client goes.
func (a *API) events(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	q := &queue{bell: make(chan struct{}, 1)}
	defer a.o.Host.Subscribe(func(u agent.Update) {
		if u.Conversation == id {
			q.put(u)
		}
	})()
	c, err := a.o.Host.Get(r.Context(), id)
	if err != nil {
		return err
	}
	s := &stream{ctx: r.Context(), placed: a.o.Placed, w: w, flush: http.NewResponseController(w).Flush, id: id}
	if last, err := strconv.Atoi(cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("lastEventId"))); err == nil {
		s.told = min(max(last+1, 0), len(c.Transcript))
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	s.catchUp(c)
	if a.o.Host.Rests(c) { // it came to rest before the client came
		s.event("rest", "", StateChange{Type: conversation.Name(c.State), Conversation: id, Revision: s.revision})
	}
	heart := time.NewTicker(a.o.Heartbeat)
	defer heart.Stop()
	for s.err == nil {
		select {
		case <-r.Context().Done():
			return nil
		case <-q.bell:
			all, over := q.take()
			if over {
				return nil // the client comes again, behind what it has
			}
			for _, u := range all {
				if u.State == "awaiting_user_response" || u.State == "awaiting_sub_agents" || u.Resting {
					if c, err = a.o.Host.Get(r.Context(), id); err != nil {
						return nil
					}
				}
				s.update(u, c)
			}
		case <-heart.C:
			if c, err = a.o.Host.Get(r.Context(), id); err != nil {
				return nil
			}
			s.catchUp(c) // another host may work on it
			s.write(":\n\n")
		}
	}
	return nil
}

// stream is what one client has been told.
type stream struct {
	ctx      context.Context // of the request
	placed   func(context.Context, *sayso.Ask)
	w        http.ResponseWriter
	flush    func() error
	id       string
	told     int // entries of the transcript
	revision int
	err      error
}

func (s *stream) write(text string) {
	if s.err == nil {
		_, s.err = s.w.Write([]byte(text))
	}
	if s.err == nil {
		s.err = s.flush()
	}
}

func (s *stream) event(name, id string, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		s.err = err
		return
	}
	if id != "" {
		id = "id: " + id + "\n"
	}
	s.write(fmt.Sprintf("%sevent: %s\ndata: %s\n\n", id, name, b))
}

// catchUp tells everything that a conversation as it is now has and that was not
// told.
func (s *stream) catchUp(c *agent.Conversation) {
	s.entries(s.told, c.Transcript[min(s.told, len(c.Transcript)):])
	if n := conversation.ThreadOf(c.State).Revision; n > s.revision {
		s.revision = n
		s.state(c, conversation.Name(c.State), n)
	}
}

func (s *stream) entries(from int, all []conversation.Entry) {
	for i, e := range all {
		if n := from + i; n == s.told {
			e.Content = "" // the host's own
			s.event("entry", strconv.Itoa(n), Entry{n, e})
			s.told++
		}
	}
}

// update tells news. c is the conversation as it was read since, where the news
// need that.
func (s *stream) update(u agent.Update, c *agent.Conversation) {
	who := ""
	if u.Member != s.id {
		who = u.Member
	}
	switch {
	case u.Resting:
		s.catchUp(c)
		s.event("rest", "", StateChange{Type: u.State, Conversation: s.id, Revision: s.revision})
	case u.Delta != "":
		s.event("delta", "", Delta{who, u.Delta})
	case who != "":
		s.event("state_change", "", StateChange{Type: u.State, Conversation: s.id, Revision: u.Revision, Agent: who})
	default:
		s.entries(u.Length-len(u.Entries), u.Entries)
		if u.Revision > s.revision {
			s.revision = u.Revision
			s.state(c, u.State, u.Revision)
		}
	}
}

// state tells where the conversation stands.
func (s *stream) state(c *agent.Conversation, name string, revision int) {
	change := StateChange{Type: name, Conversation: s.id, Revision: revision}
	asks := c.Asks()
	if len(asks) == 0 || conversation.Name(c.State) != name {
		s.event("state_change", "", change)
		return
	}
	for _, a := range asks {
		s.placed(s.ctx, a)
		each := change
		each.Ask, each.ToolUseID, each.Questions = a.ID, a.Origin.ToolCall, api.StateQuestions(a)
		s.event("state_change", "", each)
	}
}
