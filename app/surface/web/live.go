package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

const (
	heartbeat  = 15 * time.Second
	writeTime  = 10 * time.Second
	gatherTime = 100 * time.Millisecond // there is one notice in this time at most
	mostNamed  = 50                     // of more asks than that, a notice says only that there are changes
)

// events tells a browser what has changed, for all its pages: which asks, and nothing
// of what they say. Each page fetches what it shows of them. When the session ends, the
// browser is told, and nothing more.
func (s *Site) events(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	ctx, cancel := who.Bind(r.Context())
	defer cancel()
	defer s.streams.replace(openedBy(who, r, cancel))()
	leave, status := s.streams.wait(ctx, who)
	if status != 0 {
		w.Header().Set("Retry-After", "30")
		http.Error(w, s.reader(r.Context()).Web.TooManyBrowsers, status)
		return
	}
	defer leave()

	news := &notice{wake: make(chan struct{}, 1)}
	watching := make(chan error, 1)
	go func() {
		watching <- s.inboxOf(who).Watch(ctx, func(c hub.Change) {
			if c.Reset || c.Ticket == nil {
				news.add("")
			} else {
				news.add(s.hub.Handle(c.Ticket.Address))
			}
		})
	}()
	defer func() { cancel(); <-watching }()

	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	st := &stream{w, http.NewResponseController(w)}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	var gather <-chan time.Time
	var last time.Time // when a notice was written; the first says that the stream is open
	for {
		var err error
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), auth.ErrCredential) {
				st.write("event: sayso:signedout\ndata:\n\n")
			}
			return
		case <-news.wake:
			if gather == nil {
				gather = time.After(gatherTime - time.Since(last))
			}
		case <-gather:
			gather, last = nil, time.Now()
			err = st.write(news.take())
		case <-beat.C:
			err = st.write(": still here\n\n")
		}
		if err != nil {
			return // the browser connects again
		}
	}
}

// notice gathers which asks have changed.
type notice struct {
	wake chan struct{}

	mu   sync.Mutex
	all  bool // any may have
	asks []string
}

// add notes an ask by its handle; empty: any may have changed.
func (n *notice) add(handle string) {
	n.mu.Lock()
	switch {
	case handle == "" || len(n.asks) >= mostNamed:
		n.all, n.asks = true, nil
	case !n.all && !slices.Contains(n.asks, handle):
		n.asks = append(n.asks, handle)
	}
	n.mu.Unlock()
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// take returns what was gathered as one event, and begins anew.
func (n *notice) take() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	data, _ := json.Marshal(struct {
		All  bool     `json:"all,omitempty"`
		Asks []string `json:"asks,omitempty"`
	}{n.all, n.asks})
	n.all, n.asks = false, nil
	return fmt.Sprintf("data: %s\n\n", data)
}

// stream writes events.
type stream struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

func (st *stream) write(event string) error {
	if err := st.rc.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return err
	}
	if _, err := st.w.Write([]byte(event)); err != nil {
		return err
	}
	return st.rc.Flush()
}

// listPart is the left pane alone, as it is now: the address of a page has its query,
// and ask is the one that is open.
func (s *Site) listPart(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	l, err := s.list(r.Context(), who, r.URL.Query(), r.URL.Query().Get("ask"))
	if err != nil {
		s.broken(w, r, err)
		return
	}
	w.Header().Set(partHeader, "list")
	s.render(w, r, http.StatusOK, "list", page{Title: s.reader(r.Context()).title(l), Who: who, List: l})
}
