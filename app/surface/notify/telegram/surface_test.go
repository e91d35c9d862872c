package telegram_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/telegramtest"
	"github.com/saysohq/sayso/app/surface/surfacetest"
	"github.com/saysohq/sayso/hub"
)

// TestSurface holds Telegram to the contract: the real notifier, the real channel, a
// strict Bot API and a person who looks at the chat.
func TestSurface(t *testing.T) {
	surfacetest.Run(t, surfacetest.Surface{Name: "Telegram", Virtual: true, Open: openChat})
}

// chatter is a person in a chat with the bot, to whom an ask is shown.
type chatter struct {
	w    *surfacetest.World
	s    *telegramtest.Server
	u    *telegramtest.User
	t    *hub.Ticket
	note int64 // the message with the ask

	send, last     func() // what is about to be sent, and what was
	toasts, before int    // how many there were before that
}

func openChat(w *surfacetest.World) *surfacetest.Person {
	w.Apart = 11 * time.Minute // more than three in ten minutes are put together
	s := telegramtest.New(w)
	c := channel(s)
	var n *notify.Notifier
	start := func() {
		n = notify.Start(w.Hub, w.Store, &notify.Options{
			Node: "n1", Alone: true, Channels: map[notify.Kind]notify.Channel{notify.Telegram: c}, Wait: -1, URL: address,
		})
	}
	start()
	w.Cleanup(func() { n.Close() })
	// The notifier lives where the hub does: they die together.
	w.OnKill(func() { n.Close() }, start)

	must(w, n.SetPrefs(w.Context(), surfacetest.Tenant, surfacetest.Who, func(p *notify.Prefs) { p.Shared = true }))
	code, err := n.NewCode(w.Context(), surfacetest.Tenant, surfacetest.Who, notify.Telegram, &notify.Contact{Detail: notify.DetailSender, After: -1})
	must(w, err)
	p := &chatter{w: w, s: s, u: s.User(42, "ann")}
	p.u.Start(code)
	soon()
	return &surfacetest.Person{
		Show: p.show, Sees: p.sees, SeesAll: p.seesAll, Says: p.says,
		Choose:  func(_ int, option string) { p.choose(option) },
		Type:    func(_ int, text string) { p.send = func() { p.write(text) } },
		Send:    p.sends,
		Confirm: func() { p.sends() },
		Undo: func(*hub.Ticket) {
			p.u.Press(p.note, "Undo")
			soon()
			p.send = p.last // the person presses the same again
		},
		Numbers: true, Refers: true, Single: true, Limit: 3840, Assurance: sayso.AssuranceKey,
	}
}

func address(handle string) string { return "https://hub.example/ask/" + handle }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// soon lets everything happen that happens soon.
func soon() { <-time.After(10 * time.Second) }

// message is the message with the ask, as it is now.
func (p *chatter) message() *telegramtest.Message {
	all := p.u.FromBot()
	for i := range all {
		if slices.ContainsFunc(slices.Concat(all[i].Buttons...), func(b telegramtest.Button) bool { return b.URL == address(p.w.Hub.Handle(p.t.Address)) }) {
			p.note = all[i].ID
		}
	}
	for i := range all {
		if all[i].ID == p.note {
			return &all[i]
		}
	}
	return nil
}

func (p *chatter) show(t *hub.Ticket) {
	p.t, p.note, p.send, p.last = t, 0, nil, nil
	soon()
	m := p.message()
	if m == nil {
		p.w.Fatalf("no message has the ask: %+v", p.u.FromBot())
	}
	if strings.Contains(m.Text, t.Ask.Questions[0].Text) {
		p.w.Errorf("the lock screen showed %q", m.Text)
	}
	for _, show := range []string{"Show the question", "Show the request"} {
		if slices.Contains(m.Labels(), show) {
			p.u.Press(m.ID, show)
			soon()
		}
	}
}

// sees is the chat from the ask on.
func (p *chatter) sees() string {
	if p.t == nil {
		return ""
	}
	soon()
	p.message()
	var b strings.Builder
	for _, m := range p.u.Messages() {
		if m.ID >= p.note {
			fmt.Fprintf(&b, "%s\n%s\n", m.Text, strings.Join(m.Labels(), "\n"))
		}
	}
	return b.String()
}

func (p *chatter) seesAll() string {
	soon()
	if m := p.message(); m == nil || p.w.Now(p.t).Open() && !strings.Contains(m.Text, p.t.Ask.Questions[0].Text) {
		return "" // it only says that there is one
	}
	return p.sees()
}

// says is what came since something was sent: on the screen of the app, or as a message.
func (p *chatter) says() string {
	var said []string
	for _, t := range p.u.Toasts()[p.toasts:] {
		said = append(said, t.Text)
	}
	for _, m := range p.u.FromBot()[min(p.before, len(p.u.FromBot())):] {
		said = append(said, m.Text)
	}
	if m := p.message(); m != nil && p.seesAll() == "" {
		said = append(said, m.Text, strings.Join(m.Labels(), "\n"))
	}
	return strings.Join(said, "\n")
}

// choose is a finger above the button of an option. Where there is none, it is that of
// a person with a modified app.
func (p *chatter) choose(option string) {
	i := slices.IndexFunc(p.t.Ask.Questions[0].Options, func(o sayso.Option) bool { return o.ID == option })
	p.send = func() {
		m := p.message()
		for _, b := range slices.Concat(m.Buttons...) {
			if b.Data != "" && (strings.HasPrefix(b.Text, fmt.Sprintf("%d. ", i+1)) || i >= 0 && b.Text == p.t.Ask.Questions[0].Options[i].Label) {
				p.u.Press(m.ID, b.Text)
				return
			}
		}
		for _, b := range slices.Concat(m.Buttons...) {
			if token, _, ok := strings.Cut(b.Data, "."); ok {
				p.u.PressData(m.ID, fmt.Sprintf("%s.%d", token, i))
				return
			}
		}
	}
}

// write answers in own words, with the button for that if there is one.
func (p *chatter) write(text string) {
	m := p.message()
	to := m.ID
	for _, words := range []string{"Own words…", "Deny with a message…"} {
		if !slices.Contains(m.Labels(), words) {
			continue
		}
		p.u.Press(m.ID, words)
		soon()
		if last := p.u.Last(); last.ForceReply {
			to = last.ID
		}
	}
	p.u.Reply(to, text)
}

func (p *chatter) sends() {
	if p.send == nil {
		soon()
		return
	}
	p.toasts, p.before = len(p.u.Toasts()), len(p.u.FromBot())
	send := p.send
	p.send, p.last = nil, send
	send()
	soon()
}
