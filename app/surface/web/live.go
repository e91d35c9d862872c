package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/hub"
)

const (
	heartbeat  = 15 * time.Second
	writeTime  = 10 * time.Second
	gatherTime = 100 * time.Millisecond // several changes make one update of the list
)

// events keeps an open page up to date: the list as it changes, and the ask that is
// open when its state is another one than the page shows. What the person has typed
// is not touched from here. When the session ends, the page is told, and nothing
// more.
func (s *Site) events(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	leave, status := s.streams.wait(r.Context(), who)
	if status != 0 {
		w.Header().Set("Retry-After", "30")
		w.Header().Set("HX-Reswap", "none") // the list stays as it is
		http.Error(w, "Too many pages of this inbox are open: this one is not updated by itself. Close some of them, and load it again.", status)
		return
	}
	defer leave()
	ctx, cancel := who.Bind(r.Context())
	defer cancel()
	addr, _ := s.hub.Find(r.Context(), r.URL.Query().Get("ask"))

	changes, current := make(chan struct{}, 1), make(chan struct{}, 1)
	watching := make(chan error, 1)
	go func() {
		watching <- s.inboxOf(who).Watch(ctx, func(c hub.Change) {
			if c.Ticket != nil && c.Ticket.Address == addr || c.Reset {
				wake(current)
			}
			wake(changes)
		})
	}()
	defer func() { cancel(); <-watching }()

	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	st := &stream{Site: s, w: w, rc: http.NewResponseController(w), who: who, addr: addr, shown: r.URL.Query().Get("state")}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	var gather <-chan time.Time
	for {
		var err error
		select {
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), auth.ErrCredential) {
				st.write("event: sayso:signedout\ndata:\n\n")
			}
			return
		case <-current:
			err = st.ask(ctx)
		case <-changes:
			if gather == nil {
				gather = time.After(gatherTime)
			}
		case <-gather:
			gather = nil
			err = st.list(ctx, r)
		case <-beat.C:
			err = st.write(": still here\n\n")
		}
		if err != nil {
			return // the page connects again
		}
	}
}

// wake wakes who waits, once for any number of calls.
func wake(waiting chan struct{}) {
	select {
	case waiting <- struct{}{}:
	default:
	}
}

// stream writes the events of one page.
type stream struct {
	*Site
	w     http.ResponseWriter
	rc    *http.ResponseController
	who   *auth.Principal
	addr  hub.Address
	shown string // the state of the ask that the page shows
}

func (st *stream) list(ctx context.Context, r *http.Request) error {
	current := ""
	if st.addr.ID != "" {
		current = st.hub.Handle(st.addr)
	}
	l, err := st.Site.list(ctx, st.who, r.URL.Query(), current)
	if err != nil {
		return err
	}
	return st.send("", "list", page{Title: l.title(), List: l})
}

// ask sends the ask that is open when its state has changed. The page decides what to
// do with it: it may know already.
func (st *stream) ask(ctx context.Context) error {
	if st.addr.ID == "" || st.addr.Tenant != st.who.Tenant {
		return nil
	}
	t, err := st.hub.Get(ctx, st.addr)
	if err != nil || !mayAnswer(t.Ask, st.who) || state(t, responder(st.who)) == st.shown {
		return nil
	}
	st.shown = state(t, responder(st.who))
	return st.send("sayso:ask", "part", page{Ask: st.view(ctx, st.who, t)})
}

// send writes a template as one event, with a name if the script is to take it.
func (st *stream) send(event, name string, p page) error {
	var b bytes.Buffer
	if err := st.pages.ExecuteTemplate(&b, name, p); err != nil {
		return err
	}
	out := &bytes.Buffer{}
	if event != "" {
		fmt.Fprintf(out, "event: %s\n", event)
	}
	for line := range bytes.Lines(b.Bytes()) {
		fmt.Fprintf(out, "data: %s\n", bytes.TrimRight(line, "\n"))
	}
	out.WriteString("\n")
	return st.write(out.String())
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
