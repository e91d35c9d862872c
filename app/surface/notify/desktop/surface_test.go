package desktop_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/desktop"
	"github.com/saysohq/sayso/app/surface/notify/notifytest"
	"github.com/saysohq/sayso/app/surface/surfacetest"
	"github.com/saysohq/sayso/hub"
)

// TestSurface has a person answer at a desktop that allows them to see questions there.
func TestSurface(t *testing.T) {
	surfacetest.Run(t, surfacetest.Surface{Name: "desktop notification", Open: func(w *surfacetest.World) *surfacetest.Person {
		address := startBus(w.T)
		store := &notifytest.Store{Store: w.Store}
		d := &sitting{World: w, fake: startDaemon(w.T, address, everything...), store: store}
		w.Ready = d.ready
		w.OnKill(func() { store.SetAway(true) }, func() { store.SetAway(false) })
		c := desktop.New(&desktop.Options{Address: address, Open: func(*notify.Note, string) error { d.opened.Add(1); return nil }})
		n := notify.Start(w.Hub, store, &notify.Options{
			Node: "a", Alone: true, Wait: -1, Channels: map[notify.Kind]notify.Channel{notify.Desktop: c},
			URL: func(handle string) string { return "https://hub.example/ask/" + handle },
		})
		w.Cleanup(func() { n.Close(); c.Close() })
		_, err := n.Add(w.Context(), &notify.Contact{Tenant: surfacetest.Tenant, Kind: notify.Desktop, Account: "uid-1", Detail: notify.DetailText})
		must(w.T, err)
		return d.person()
	}})
}

// sitting is a person at a desktop.
type sitting struct {
	*surfacetest.World
	fake   *daemon
	store  *notifytest.Store
	ticket *hub.Ticket
	id     uint32 // of the notification in front of them
	label  string // of the button that they mean to press
	opened atomic.Int64
}

func (d *sitting) person() *surfacetest.Person {
	return &surfacetest.Person{
		Show: d.show, Sees: d.sees, SeesAll: d.sees, Says: d.says, Refers: true, Limit: 400,
		Choose: func(question int, option string) {
			for i, o := range d.ticket.Ask.Questions[question].Options {
				if o.ID == option {
					d.label = fmt.Sprintf("%d. %s", i+1, o.LabelMarked())
					if d.ticket.Ask.Approval != nil {
						d.label = o.Label
					}
				}
			}
		},
		Send: func() {
			if d.label == "" {
				d.click()
				return
			}
			said, failed := d.messages(), d.store.Missed()
			if !d.fake.press(d.id, d.label) {
				return // there is no such button
			}
			d.label = ""
			d.Eventually("what becomes of the press", func() bool { return d.messages() > said || d.store.Missed() > failed })
		},
		Confirm: func() {},
	}
}

// click clicks on the notification itself, as somebody does who has chosen nothing: the
// question opens elsewhere. Whatever was pressed before has been taken then.
func (d *sitting) click() {
	opened := d.opened.Load()
	if d.fake.press(d.id, "Open") {
		d.Eventually("the question opens, or is over", func() bool { return d.opened.Load() > opened || d.now() == nil })
	}
}

// show waits for the notification about the ask.
func (d *sitting) show(t *hub.Ticket) {
	d.Helper()
	d.ticket, d.label = t, ""
	before := d.id
	d.Eventually("a notification", func() bool {
		for _, n := range d.fake.screen() {
			if !n.passing && n.id > before && (strings.HasPrefix(n.body, sayso.RenderIntroduction(t.Ask)) || strings.Contains(n.body, "too long")) {
				d.id = n.id
				return true
			}
		}
		return false
	})
}

func (d *sitting) now() *notification {
	for _, n := range d.fake.screen() {
		if n.id == d.id {
			return &n
		}
	}
	return nil
}

// ready waits until there is a notification about every ask that waits: those of one
// moment would be one notification.
func (d *sitting) ready() {
	d.Helper()
	d.Eventually("a notification about every ask", func() bool {
		page, err := d.Hub.List(d.Context(), surfacetest.Tenant, &hub.Filter{})
		must(d.T, err)
		n := 0
		for _, one := range d.fake.screen() {
			if !one.passing {
				n++
			}
		}
		return n == len(page.Tickets)
	})
}

// messages counts what the desktop has said about presses.
func (d *sitting) messages() (n int) {
	for _, one := range d.fake.screen() {
		if one.passing {
			n++
		}
	}
	return n
}

func (d *sitting) sees() string {
	n := d.now()
	if n == nil || strings.Contains(n.body, "too long") {
		return ""
	}
	return strings.Join(append([]string{n.summary, n.body}, n.labels...), "\n")
}

// says is what the desktop said last.
func (d *sitting) says() string {
	said := ""
	for _, n := range d.fake.screen() {
		if n.passing || n.id == d.id && strings.Contains(n.body, "too long") {
			said = n.body
		}
	}
	return said
}
