package web_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/surface/surfacetest"
	"github.com/saysohq/sayso/app/surface/web"
	"github.com/saysohq/sayso/hub"
)

// TestSurface holds the web inbox to the contract, without JavaScript. The end-to-end
// tests hold it to what only a script can do.
func TestSurface(t *testing.T) {
	surfacetest.Run(t, surfacetest.Surface{Name: "web", Open: openWeb})
}

// wire is the way to the hub, which can be cut.
type wire struct {
	http.RoundTripper
	cut atomic.Bool
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if w.cut.Load() {
		return nil, errors.New("connection refused")
	}
	return w.RoundTripper.RoundTrip(r)
}

func openWeb(w *surfacetest.World) *surfacetest.Person {
	sessions := auth.NewSessions(hub.NewMemory(nil), nil)
	w.Cleanup(sessions.Close)
	site := web.New(w.Hub, sessions, &web.Options{Grace: -1})
	srv := httptest.NewServer(site)
	w.Cleanup(srv.Close)
	way := &wire{RoundTripper: srv.Client().Transport}
	w.OnKill(func() { way.cut.Store(true) }, func() { way.cut.Store(false) })
	b := &browser{c: &http.Client{Transport: way, Jar: newJar()}, base: srv.URL}
	link, err := site.LoginLink(w.Context(), srv.URL, &auth.Principal{Tenant: surfacetest.Tenant, ID: surfacetest.Who, Role: auth.Answerer})
	if err != nil {
		w.Fatal(err)
	}
	_, token, _ := strings.Cut(link, "#")
	b.load("POST", "/login", url.Values{"token": {token}})

	var shown *hub.Ticket
	show := func(t *hub.Ticket) {
		shown = t
		b.open("/ask/" + w.Hub.Handle(t.Address))
	}
	send := func() { b.press(b.form(), nil) }
	// Without a script nothing comes by itself: who is not first learns it by sending.
	look := func() {
		if shown != nil && b.form() != nil && !w.Now(shown).Open() {
			send()
		}
	}
	return &surfacetest.Person{
		Show: show,
		Sees: func() string { look(); return b.main(false) },
		SeesAll: func() string {
			all := b.main(true)
			for _, words := range []string{"Open all of it", "Next page", "Next page"} { // to the end, where it can be allowed
				if next := find(b.doc, func(n *node) bool { return n.Data == "a" && strings.HasPrefix(textOf(n, true), words) }); next != nil {
					b.open(get(next, "href"))
					all += b.main(true)
				}
			}
			return all
		},
		Says: func() string {
			if b.err != nil {
				return b.err.Error()
			}
			var said []string
			for n := range b.doc.Descendants() {
				if role := get(n, "role"); role == "alert" || role == "status" {
					said = append(said, textOf(n, false))
				}
			}
			return strings.TrimSpace(strings.Join(said, "\n"))
		},
		Choose: func(i int, option string) { b.tick(b.form(), fmt.Sprint("q", i), "option:"+option) },
		Type:   func(i int, text string) { b.write(b.form(), fmt.Sprint("t", i), text) },
		Send:   send,
		Confirm: func() {
			b.press(b.form(), func(n *node) bool { return n.Data == "button" && get(n, "class") == "danger" })
		},
		Decline: func() { b.press(b.form(), button("decline")) },
		Reopen:  func(t *hub.Ticket) { b.press(b.form(), button("save")); show(t) },
		Undo:    func(*hub.Ticket) { b.press(b.undo(), button("undo")) },
		List: func() string {
			list := *b
			list.open("/")
			return textOf(find(list.doc, byID("nav")), true)
		},
	}
}
