package desktop

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/godbus/dbus/v5"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify"
)

// action is something to press.
type action struct {
	key string
	notify.Button
}

// click is the key of the notification itself.
const click = "default"

// show shows a note, in the place of what is shown of it.
func (b *bus) show(ctx context.Context, s *shown) error {
	replaces := s.id
	if s.guid != b.guid || s.owner != b.owner {
		replaces = 0
	}
	n := s.note
	body, whole := n.Body, false
	if n.Text != "" {
		body, whole = n.Text, b.can("body")
	}
	s.actions = b.actions(s, whole)
	keys := []string{}
	for _, a := range s.actions {
		keys = append(keys, a.key, sayso.SafeLine(a.Label))
	}
	hints := map[string]dbus.Variant{
		"urgency":           dbus.MakeVariant(urgency(n)),
		"desktop-entry":     dbus.MakeVariant("sayso"),
		"category":          dbus.MakeVariant("im.received"),
		"x-dunst-stack-tag": dbus.MakeVariant(n.Key), // the same note is never there twice
	}
	if !n.Alert {
		hints["suppress-sound"] = dbus.MakeVariant(true)
	}
	var id uint32
	err := b.call(ctx, "Notify", "sayso", replaces, "", sayso.SafeLine(n.Title), b.text(body), keys, hints, int32(0)).Store(&id)
	if err != nil {
		return fmt.Errorf("showing the notification: %w", err)
	}
	s.guid, s.owner, s.id = b.guid, b.owner, id
	s.puts++
	s.pressed, s.dismissed = false, false
	return nil
}

// actions are what can be pressed. Nobody answers what they cannot see whole, or what
// is dangerous, or on behalf of nobody.
func (b *bus) actions(s *shown, whole bool) []action {
	if !b.can("actions") {
		return nil
	}
	all := []action{{click, notify.Button{Label: "Open", URL: s.note.URL}}}
	if n := s.note; n.Test && s.account != "" && len(n.Buttons) > 0 && n.Buttons[0].Data != "" {
		all[0].Button = n.Buttons[0] // a click says as well that it arrived
	}
	for i, button := range s.note.Buttons {
		switch {
		case button.Data == "" && button.URL == "", button.Data != "" && s.account == "":
		case button.Answer && (!whole || button.Danger):
		default:
			all = append(all, action{strconv.Itoa(i), button})
		}
	}
	return all
}

// text is a text as the service shows it: as it is.
func (b *bus) text(s string) string {
	s = sayso.SafeText(s)
	if b.can("body-markup") {
		s = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
	}
	return s
}

// urgency is critical for what must not be overlooked: services show that until
// somebody takes it away, and over everything else.
func urgency(n *notify.Note) byte {
	if n.Urgent {
		return 2
	}
	for _, t := range n.Asks {
		for _, q := range t.Ask.Questions {
			for _, o := range q.Options {
				if o.Danger {
					return 2
				}
			}
		}
	}
	return 1
}

// tell shows a message that goes away by itself.
func (b *bus) tell(ctx context.Context, title, text string) error {
	hints := map[string]dbus.Variant{"urgency": dbus.MakeVariant(byte(1)), "transient": dbus.MakeVariant(true), "desktop-entry": dbus.MakeVariant("sayso")}
	return b.call(ctx, "Notify", "sayso", uint32(0), "", sayso.SafeLine(title), b.text(text), []string{}, hints, int32(8000)).Err
}

// close takes a notification away, if this service shows it.
func (b *bus) close(ctx context.Context, s *shown) error {
	if s.id == 0 || s.guid != b.guid || s.owner != b.owner {
		return nil
	}
	if err := b.call(ctx, "CloseNotification", s.id).Err; err != nil {
		if _, said := err.(dbus.Error); said {
			return nil // it is not there any more
		}
		return fmt.Errorf("withdrawing the notification: %w", err)
	}
	return nil
}

// where is how a notification is found again: numbers begin anew with every service,
// and the names of services with every session.
func (s *shown) where() string {
	return s.guid + " " + s.owner + " " + strconv.FormatUint(uint64(s.id), 10)
}

func parseWhere(where string) (guid, owner string, id uint32) {
	parts := strings.Split(where, " ")
	if len(parts) != 3 {
		return "", "", 0
	}
	n, err := strconv.ParseUint(parts[2], 10, 32)
	if err != nil {
		return "", "", 0
	}
	return parts[0], parts[1], uint32(n)
}
