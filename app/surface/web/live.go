package web

import (
	"bytes"
	"context"
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

// events keeps an open page up to date: the list as it changes, and the ask that
// is open when somebody else closes it. What the person has typed is not touched
// while the ask is open.
func (s *Site) events(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	addr, _ := s.hub.Address(r.URL.Query().Get("ask"))

	changes, folded := make(chan struct{}, 1), make(chan struct{}, 1)
	watching := make(chan error, 1)
	go func() {
		watching <- s.inboxOf(who).Watch(ctx, func(c hub.Change) {
			if c.Ticket != nil && c.Ticket.Address == addr || c.Reset {
				ring(folded)
			}
			ring(changes)
		})
	}()
	defer func() { cancel(); <-watching }()

	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	st := &stream{Site: s, w: w, rc: http.NewResponseController(w), who: who, addr: addr, open: true}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	var gather <-chan time.Time
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-folded:
			err = st.fold(ctx, r)
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

func ring(bell chan struct{}) {
	select {
	case bell <- struct{}{}:
	default:
	}
}

// stream writes the events of one page.
type stream struct {
	*Site
	w    http.ResponseWriter
	rc   *http.ResponseController
	who  *auth.Principal
	addr hub.Address
	open bool // the page shows the ask as open
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
	return st.send("list", page{Title: l.title(), List: l})
}

// fold replaces the form of an ask that somebody closed.
func (st *stream) fold(ctx context.Context, r *http.Request) error {
	if st.addr.ID == "" || st.addr.Tenant != st.who.Tenant {
		return nil
	}
	t, err := st.hub.Get(ctx, st.addr)
	if err != nil || t.Open() == st.open || !mayAnswer(t.Ask, st.who) {
		return nil
	}
	st.open = t.Open()
	return st.send("folded", page{Ask: st.fill(t, nil)})
}

// send writes a template as one event.
func (st *stream) send(name string, p page) error {
	var b bytes.Buffer
	if err := st.pages.ExecuteTemplate(&b, name, p); err != nil {
		return err
	}
	event := &bytes.Buffer{}
	for line := range bytes.Lines(b.Bytes()) {
		fmt.Fprintf(event, "data: %s\n", bytes.TrimRight(line, "\n"))
	}
	event.WriteString("\n")
	return st.write(event.String())
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
