package convapi

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/conversation"
)

// Options are what New needs.
type Options struct {
	Host *agent.Host
	Auth auth.Authenticator
	Send func(ctx context.Context, id, messageID, text string) error // default: Host.Send

	// Placed returns when people can answer an ask, which is a moment after the
	// conversation waits for it. Default: it is not waited for.
	Placed func(ctx context.Context, a *sayso.Ask)

	Hub       http.Handler  // the API of the hub; default: it is elsewhere, and answers are given there
	NewID     func() string // names conversations, messages and branches
	Heartbeat time.Duration // how often an idle stream is kept alive; default: 15 s
}

// API serves conversations: an http.Handler.
type API struct {
	o   Options
	mux *http.ServeMux
}

// New returns the handler.
func New(o Options) *API {
	if o.Send == nil {
		o.Send = o.Host.Send
	}
	if o.Placed == nil {
		o.Placed = func(context.Context, *sayso.Ask) {}
	}
	if o.Heartbeat <= 0 {
		o.Heartbeat = 15 * time.Second
	}
	a := &API{o: o, mux: http.NewServeMux()}
	for pattern, serve := range map[string]func(http.ResponseWriter, *http.Request) error{
		"POST /conversations":               a.start,
		"GET /conversations":                a.list,
		"GET /conversations/{id}":           a.get,
		"DELETE /conversations/{id}":        a.purge,
		"GET /conversations/{id}/questions": a.questions,
		"GET /conversations/{id}/events":    a.events,
		"POST /conversations/{id}/messages": a.message,
		"POST /conversations/{id}/cancel":   a.cancel,
		"POST /conversations/{id}/retry":    a.retry,
		"POST /conversations/{id}/compact":  a.compact,
		"POST /conversations/{id}/branch":   a.branch,
		"POST /conversations/{id}/end":      a.end,
	} {
		a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := serve(w, r); err != nil {
				fail(w, err)
			}
		})
	}
	a.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if o.Hub == nil {
			fail(w, &problem{http.StatusNotFound, "not here; questions wait at the hub, and are answered there"})
			return
		}
		o.Hub.ServeHTTP(w, r)
	})
	return a
}

// ServeHTTP serves a request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	if _, err := a.o.Auth.Authenticate(r); err != nil {
		h.Set("WWW-Authenticate", "Bearer")
		fail(w, &problem{http.StatusUnauthorized, "the request needs the key, as in Authorization: Bearer KEY"})
		return
	}
	a.mux.ServeHTTP(w, r)
}

// Message is something that the person says.
type Message struct {
	ID   string `json:"id,omitempty"` // of the message: sent again, it has no second effect; default: a new one
	Text string `json:"text"`
}

// Start begins a conversation.
type Start struct {
	Conversation string `json:"conversation,omitempty"` // its id; default: a new one
	Message
}

// View is a conversation as the API tells it.
type View struct {
	ID         string               `json:"id"`
	State      string               `json:"state"`
	Parent     string               `json:"parent,omitempty"` // the conversation it was branched from
	Working    bool                 `json:"working"`          // a host works on it
	Error      string               `json:"error,omitempty"`  // why it failed
	Changed    time.Time            `json:"changed"`
	Questions  []*sayso.Ask         `json:"questions,omitempty"` // that wait for the person
	Transcript []conversation.Entry `json:"transcript,omitempty"`
	Agents     []View               `json:"agents,omitempty"`
}

func view(c *agent.Conversation) View {
	v := View{
		ID: c.ID, State: conversation.Name(c.State), Parent: agent.ParentOf(c.ID), Working: c.Working != "", Changed: c.Changed,
		Questions: c.Asks(), Transcript: c.Transcript,
	}
	if s, ok := c.State.(conversation.Failed); ok {
		v.Error = s.Error
	}
	for _, s := range c.Agents {
		v.Agents = append(v.Agents, view(s))
	}
	return v
}

func (a *API) start(w http.ResponseWriter, r *http.Request) error {
	var in Start
	if err := decode(r, &in, true); err != nil {
		return err
	}
	if in.Conversation == "" {
		in.Conversation = a.o.NewID()
	}
	return a.say(w, r, in.Conversation, in.Message, http.StatusCreated)
}

func (a *API) message(w http.ResponseWriter, r *http.Request) error {
	var in Message
	if err := decode(r, &in, true); err != nil {
		return err
	}
	if _, err := a.o.Host.Get(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	return a.say(w, r, r.PathValue("id"), in, http.StatusAccepted)
}

func (a *API) say(w http.ResponseWriter, r *http.Request, id string, m Message, status int) error {
	if sayso.Blank(m.Text) {
		return &problem{http.StatusUnprocessableEntity, "text: say something"}
	}
	if m.ID == "" {
		m.ID = a.o.NewID()
	}
	if err := a.o.Send(r.Context(), id, m.ID, m.Text); err != nil {
		return err
	}
	return a.tell(w, r, id, status)
}

func (a *API) list(w http.ResponseWriter, r *http.Request) error {
	all := []View{}
	err := a.o.Host.List(r.Context(), func(s agent.Summary) bool {
		all = append(all, View{ID: s.ID, State: s.State, Parent: agent.ParentOf(s.ID), Working: s.Working != "", Changed: s.Changed})
		return true
	})
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, map[string]any{"conversations": all})
}

func (a *API) get(w http.ResponseWriter, r *http.Request) error {
	c, err := a.o.Host.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, view(c))
}

// purge removes a conversation with its branches, and tells which those were.
func (a *API) purge(w http.ResponseWriter, r *http.Request) error {
	force, err := strconv.ParseBool(cmp.Or(r.URL.Query().Get("force"), "false"))
	if err != nil {
		return &problem{http.StatusUnprocessableEntity, "force: true or false"}
	}
	purged, err := a.o.Host.Purge(r.Context(), r.PathValue("id"), force)
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, map[string]any{"purged": purged})
}

func (a *API) questions(w http.ResponseWriter, r *http.Request) error {
	c, err := a.o.Host.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, map[string]any{"questions": append([]agent.Question{}, a.o.Host.Questions(c)...)})
}

func (a *API) cancel(w http.ResponseWriter, r *http.Request) error {
	return a.do(w, r, func(ctx context.Context, id, reason string) error { return a.o.Host.Cancel(ctx, id, reason) })
}

func (a *API) end(w http.ResponseWriter, r *http.Request) error {
	return a.do(w, r, func(ctx context.Context, id, reason string) error { return a.o.Host.End(ctx, id, reason) })
}

func (a *API) retry(w http.ResponseWriter, r *http.Request) error {
	return a.do(w, r, func(ctx context.Context, id, _ string) error { return a.o.Host.Retry(ctx, id) })
}

func (a *API) compact(w http.ResponseWriter, r *http.Request) error {
	return a.do(w, r, func(ctx context.Context, id, _ string) error { return a.o.Host.Compact(ctx, id) })
}

// do does something with a conversation, for a reason that may be given.
func (a *API) do(w http.ResponseWriter, r *http.Request, what func(ctx context.Context, id, reason string) error) error {
	var in struct {
		Reason string `json:"reason"`
	}
	if err := decode(r, &in, false); err != nil {
		return err
	}
	id := r.PathValue("id")
	if err := what(r.Context(), id, in.Reason); err != nil {
		return err
	}
	return a.tell(w, r, id, http.StatusOK)
}

func (a *API) branch(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Question int `json:"question"`
	}
	if err := decode(r, &in, true); err != nil {
		return err
	}
	c, err := a.o.Host.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	if n := len(a.o.Host.Questions(c)); in.Question < 1 || in.Question > n {
		return &problem{http.StatusUnprocessableEntity, fmt.Sprintf("question: the conversation has asked %d", n)}
	}
	id, err := a.o.Host.Branch(r.Context(), c.ID, in.Question, a.o.NewID())
	if err != nil {
		return err
	}
	return a.tell(w, r, id, http.StatusCreated)
}

// tell answers with the conversation as it is now.
func (a *API) tell(w http.ResponseWriter, r *http.Request, id string, status int) error {
	c, err := a.o.Host.Get(r.Context(), id)
	if err != nil {
		return err
	}
	if status == http.StatusCreated {
		w.Header().Set("Location", "/conversations/"+id)
	}
	v := view(c)
	v.Transcript, v.Agents = nil, nil
	return write(w, status, v)
}
