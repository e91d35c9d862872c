package ntfy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/outbound"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/notifytest"
	"github.com/saysohq/sayso/app/surface/notify/ntfy"
	"github.com/saysohq/sayso/app/surface/notify/ntfytest"
	"github.com/saysohq/sayso/app/surface/surfacetest"
	"github.com/saysohq/sayso/hub"
)

// TestSurface has a person answer in the ntfy app, over a server of their own that may
// show the question.
func TestSurface(t *testing.T) {
	surfacetest.Run(t, surfacetest.Surface{Name: "ntfy", Open: func(w *surfacetest.World) *surfacetest.Person {
		s := ntfytest.New(w.T)
		s.Allow("tk_hub", "ask", "w")
		store := &notifytest.Store{Store: w.Store}
		p := &holder{World: w, server: s, store: store}
		w.Ready = p.ready
		w.OnKill(func() { store.SetAway(true) }, func() { store.SetAway(false) })
		allow := []string{"127.0.0.1"}
		c := ntfy.New(&ntfy.Options{Client: outbound.Client(&outbound.Options{Allow: allow}), Stream: outbound.Client(&outbound.Options{Allow: allow, Stream: true}), Ready: time.Minute})
		ntfy.TellAlways(c)
		n := notify.Start(w.Hub, store, &notify.Options{
			Node: "a", Alone: true, Wait: -1, Channels: map[notify.Kind]notify.Channel{notify.Ntfy: c}, URL: inboxURL,
		})
		w.Cleanup(n.Close)
		to := &notify.Contact{Tenant: surfacetest.Tenant, Detail: notify.DetailText}
		if err := (&ntfy.Address{Server: s.URL(), Topic: "ask", Token: "tk_hub", Answers: "back"}).Fill(to); err != nil {
			w.Fatal(err)
		}
		if _, err := n.Add(w.Context(), to); err != nil {
			w.Fatal(err)
		}
		return p.person()
	}})
}

func inboxURL(handle string) string { return "https://hub.example/ask/" + handle }

// holder is a person with a phone.
type holder struct {
	*surfacetest.World
	server *ntfytest.Server
	store  *notifytest.Store
	ticket *hub.Ticket
	label  string // of the button that they mean to press
}

func (p *holder) person() *surfacetest.Person {
	return &surfacetest.Person{
		Show: p.show, Sees: p.sees, SeesAll: p.sees, Says: p.says, Refers: true, Single: true, Limit: 4000, Assurance: sayso.AssuranceKey,
		Choose: func(question int, option string) {
			for i, o := range p.ticket.Ask.Questions[question].Options {
				if o.ID == option {
					p.label = fmt.Sprintf("%d. %s", i+1, o.LabelMarked())
					if p.ticket.Ask.Approval != nil {
						p.label = o.Label
					}
				}
			}
		},
		Send: func() {
			m := p.now()
			if p.label == "" || m == nil {
				return
			}
			for _, a := range m.Actions {
				if a.Label == p.label && a.Action == "http" {
					replies := p.replies()
					p.server.Press(a)
					p.Eventually("what becomes of the press", func() bool { return p.now() == nil || p.replies() > replies || p.store.Away() })
				}
			}
			p.label = ""
		},
		Confirm: func() {},
	}
}

// show waits for the notification about the ask.
func (p *holder) show(t *hub.Ticket) {
	p.Helper()
	p.ticket, p.label = t, ""
	p.Eventually("a notification", func() bool { return p.now() != nil })
}

// now is the notification about the ask, nil if there is none.
func (p *holder) now() *ntfytest.Message {
	for _, m := range p.server.Shown("ask") {
		if p.ticket != nil && m.Click == inboxURL(p.Hub.Handle(p.ticket.Address)) {
			return &m
		}
	}
	return nil
}

// ready waits until there is a notification about every ask that waits: those of one
// moment would be one notification.
func (p *holder) ready() {
	p.Helper()
	p.Eventually("a notification about every ask", func() bool {
		page, err := p.Hub.List(p.Context(), surfacetest.Tenant, &hub.Filter{})
		if err != nil {
			p.Fatal(err)
		}
		n := 0
		for _, m := range p.server.Shown("ask") {
			if m.Sequence != "reply" {
				n++
			}
		}
		return n == len(page.Tickets)
	})
}

// replies counts what the channel said about presses.
func (p *holder) replies() (n int) {
	for _, m := range p.server.Published("ask") {
		if m.Sequence == "reply" {
			n++
		}
	}
	return n
}

func (p *holder) sees() string {
	m := p.now()
	if m == nil || refers(m) {
		return ""
	}
	all := []string{m.Title, m.Message}
	for _, a := range m.Actions {
		all = append(all, a.Label)
	}
	return strings.Join(all, "\n")
}

// says is what the phone said last.
func (p *holder) says() string {
	said := ""
	for _, m := range p.server.Shown("ask") {
		if m.Sequence == "reply" || p.ticket != nil && m.Click == inboxURL(p.Hub.Handle(p.ticket.Address)) && refers(&m) {
			said = m.Message
		}
	}
	return said
}

// refers reports whether a notification only says where to answer: the ask is too long
// for it, or has more options than it has buttons.
func refers(m *ntfytest.Message) bool {
	return strings.Contains(m.Message, "too long") || strings.Contains(m.Message, "no room for its options")
}
