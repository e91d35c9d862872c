package telegramtest

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

// kept is how long an update waits for a poll.
const kept = 24 * time.Hour

type update struct {
	id   int64
	at   time.Time
	data json.RawMessage
}

// poller is a poll that waits.
type poller struct {
	offset int64
	limit  int
	until  time.Duration
	wake   chan struct{} // something came
	ended  chan struct{} // another poll came
}

type getUpdates struct {
	Offset  int64    `json:"offset"`
	Limit   *int     `json:"limit"`
	Timeout int      `json:"timeout"`
	Allowed []string `json:"allowed_updates"`
}

// getUpdates confirms, and returns what waits. The lock is held.
func (s *Server) getUpdates(body []byte) (any, *poller, *refusal) {
	in := getUpdates{}
	if no := strict(body, &in); no != nil {
		return nil, nil, no
	}
	if s.webhook {
		return nil, nil, &refusal{code: 409, text: "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"}
	}
	if in.Allowed != nil {
		for _, a := range in.Allowed {
			if !slices.Contains([]string{"message", "callback_query"}, a) {
				return nil, nil, bad("sayso has no use for updates of type %q", a)
			}
		}
		s.allowed = in.Allowed
	}
	limit := 100
	if in.Limit != nil {
		limit = *in.Limit
	}
	if limit < 1 || limit > 100 || in.Timeout < 0 || in.Timeout > 50 {
		return nil, nil, bad("limit %d or timeout %d is out of range", limit, in.Timeout)
	}
	// Who asks again for the same at once gets one, as the real server does.
	if now := time.Now(); in.Offset == s.lastPoll.offset && now.Sub(s.lastPoll.at) < 500*time.Millisecond {
		limit = 1
	}
	s.lastPoll.offset, s.lastPoll.at = in.Offset, time.Now()
	got := s.take(in.Offset, limit)
	if len(got) > 0 || in.Timeout == 0 {
		return got, nil, nil
	}
	if s.poll != nil {
		close(s.poll.ended)
	}
	s.poll = &poller{offset: in.Offset, limit: limit, until: time.Duration(in.Timeout) * time.Second, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	return nil, s.poll, nil
}

// take forgets what the offset confirms and returns the rest. An offset beyond the end
// of the queue confirms nothing: after a week of silence ids begin anew, anywhere.
func (s *Server) take(offset int64, limit int) []json.RawMessage {
	now := time.Now()
	s.updates = slices.DeleteFunc(s.updates, func(u *update) bool { return now.Sub(u.at) > kept })
	if offset < 0 {
		s.updates = s.updates[max(0, len(s.updates)+int(offset)):]
	}
	if offset > 0 && offset <= s.nextID+1 {
		s.updates = slices.DeleteFunc(s.updates, func(u *update) bool { return u.id < offset })
		s.offset = max(s.offset, offset)
	}
	out := []json.RawMessage{}
	for _, u := range s.updates[:min(limit, len(s.updates))] {
		out = append(out, u.data)
	}
	return out
}

// hold waits until there is something, the time is over, or another poll comes.
func (s *Server) hold(ctx context.Context, p *poller) (any, *refusal) {
	end := time.NewTimer(p.until)
	defer end.Stop()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.poll == p {
			s.poll = nil
		}
	}()
	select {
	case <-ctx.Done():
	case <-end.C:
	case <-p.ended:
		return nil, &refusal{code: 409, text: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"}
	case <-p.wake:
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.take(p.offset, p.limit), nil
	}
	return []json.RawMessage{}, nil
}

// push adds an update of a kind. The lock is held.
func (s *Server) push(kind string, what map[string]any) int64 {
	if !slices.Contains(s.allowed, kind) {
		return 0
	}
	s.nextID++
	data, err := json.Marshal(map[string]any{"update_id": s.nextID, kind: what})
	if err != nil {
		s.t.Error(err)
	}
	s.raw(s.nextID, data)
	return s.nextID
}

func (s *Server) raw(id int64, data json.RawMessage) {
	s.updates = append(s.updates, &update{id: id, at: time.Now(), data: data})
	if s.poll != nil {
		select {
		case s.poll.wake <- struct{}{}:
		default:
		}
	}
}

// PushRaw adds an update as it is, with the id that the function is given.
func (s *Server) PushRaw(make func(id int64) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID++
	s.raw(s.nextID, json.RawMessage(make(s.nextID)))
}

// Pending is how many updates no offset has confirmed.
func (s *Server) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.updates)
}

// Confirmed is the highest offset that a poll gave.
func (s *Server) Confirmed() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.offset
}

// Polled reports whether somebody waits for updates.
func (s *Server) Polled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.poll != nil
}

// Renumber has the ids begin anew at another place, as after a week of silence.
func (s *Server) Renumber(next int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID, s.offset = next-1, 0
}
