package webpush

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strconv"
	"unicode/utf8"

	"github.com/saysohq/sayso/app/surface/notify"
)

// The most that a message has: of all of it, and of the body where it may have the
// question.
const (
	maxShort = 500
	maxBody  = 1 << 10
	maxLong  = 3 << 10
)

// message is the declarative form, which newer Safari shows by itself even if it has
// ended our worker. Other browsers give it to the worker as it is.
type message struct {
	WebPush      int           `json:"web_push,omitempty"` // 8030
	Notification *notification `json:"notification,omitempty"`
	Badge        string        `json:"app_badge,omitempty"`
	N            int           `json:"n,omitempty"`

	// A withdrawal has only these two, and is of no declarative form.
	Gone bool   `json:"gone,omitempty"`
	Tag  string `json:"tag,omitempty"`
}

type notification struct {
	Title    string   `json:"title"`
	Body     string   `json:"body,omitempty"`
	Navigate string   `json:"navigate"`
	Tag      string   `json:"tag"`
	Silent   bool     `json:"silent,omitempty"`
	Again    bool     `json:"renotify,omitempty"`
	Stay     bool     `json:"requireInteraction,omitempty"`
	Actions  []action `json:"actions,omitempty"`
}

// action is a button. It opens an address, and sends nothing.
type action struct {
	Action   string `json:"action"`
	Title    string `json:"title"`
	Navigate string `json:"navigate"`
}

// payload is the message for a note.
func payload(a *address, detail notify.Detail, n *notify.Note) []byte {
	if n.Over && !a.apple() {
		return encode(&message{Gone: true, Tag: n.Key})
	}
	m := &message{WebPush: 8030, N: n.Waiting, Badge: strconv.Itoa(n.Waiting), Notification: &notification{
		Title: n.Title, Body: n.Body, Navigate: at(a.Origin, n.URL), Tag: n.Key,
		Silent: !n.Alert, Again: n.Alert && n.Round > 0, Stay: n.Alert && n.Urgent,
	}}
	if n.Over {
		m.Notification.Silent, m.Notification.Again, m.Notification.Stay = true, false, false
		if m.Notification.Title == "" {
			m.Notification.Title = "Nothing waits any more"
		}
		return fit(m, maxShort)
	}
	for i, b := range n.Buttons {
		if b.URL == "" || len(m.Notification.Actions) == 2 {
			continue
		}
		m.Notification.Actions = append(m.Notification.Actions, action{strconv.Itoa(i), cut(b.Label, 60), at(a.Origin, b.URL)})
	}
	if detail < notify.DetailText {
		return fit(m, maxShort)
	}
	m.Notification.Body = cut(m.Notification.Body, maxBody)
	return fit(m, maxLong)
}

// at is where a note leads: on the page that subscribed, whose worker gets it, so that
// it finds the page and is signed in there.
func at(origin, to string) string {
	u, err := url.Parse(to)
	if err != nil || to == "" {
		return origin + "/"
	}
	if origin == "" {
		return to
	}
	u.Scheme, u.Host, u.User = "", "", nil
	if u.Path == "" {
		u.Path = "/"
	}
	return origin + u.String()
}

// fit shortens what a message says until it has no more bytes than that: first the
// text, and then the buttons.
func fit(m *message, most int) []byte {
	for {
		b := encode(m)
		over := len(b) - most
		n := m.Notification
		switch {
		case over <= 0:
			return b
		case len(n.Body) > 0:
			n.Body = cut(n.Body, max(0, len(n.Body)-over-len("…")))
		case len(n.Actions) > 0:
			n.Actions = n.Actions[:len(n.Actions)-1]
		case len(n.Title) > 20:
			n.Title = cut(n.Title, max(20, len(n.Title)-over-len("…")))
		default:
			return b // an address of that length
		}
	}
}

// cut shortens a text to that many bytes, between two characters.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	most -= len("…")
	if most <= 0 {
		return ""
	}
	for !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

func encode(m *message) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // six bytes for one
	e.Encode(m)            // has nothing that fails
	return bytes.TrimSpace(b.Bytes())
}
