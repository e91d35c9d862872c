package slack_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/slack"
	"github.com/saysohq/sayso/app/surface/notify/slacktest"
	"github.com/saysohq/sayso/app/surface/surfacetest"
	"github.com/saysohq/sayso/hub"
)

// TestSurface holds Slack to the contract: the real notifier, the real channel over the
// real protocol, a strict Slack, and a person who looks at the direct message.
func TestSurface(t *testing.T) {
	surfacetest.Run(t, surfacetest.Surface{Name: "Slack", Virtual: true, Open: openSlack})
}

// member is a person of the workspace, to whom an ask is shown.
type member struct {
	w  *surfacetest.World
	s  *slacktest.Server
	t  *hub.Ticket
	ts string // of the message with the ask

	send, last func() // what is about to be sent, and what was
	shown      int    // how much the person had been told when the ask was shown
	told       int    // and when something was sent last
}

func openSlack(w *surfacetest.World) *surfacetest.Person {
	w.Apart = 11 * time.Minute // more than three in ten minutes are put together
	s := slacktest.New(w)
	url, client := s.Inside()
	c := slack.New(&slack.Options{BotToken: slacktest.BotToken, AppToken: slacktest.AppToken, API: url, Client: client})
	var n *notify.Notifier
	start := func() {
		n = notify.Start(w.Hub, w.Store, &notify.Options{
			Node: "n1", Alone: true, Channels: map[notify.Kind]notify.Channel{notify.Slack: c}, Wait: -1, URL: address,
		})
		soon()
	}
	start()
	w.Cleanup(func() {
		n.Close()
		for _, wrong := range s.Wrong() {
			w.Errorf("Slack does not allow: %s", wrong)
		}
	})
	// The notifier lives where the hub does: they die together.
	w.OnKill(func() { n.Close() }, start)

	if err := n.SetPrefs(w.Context(), surfacetest.Tenant, surfacetest.Who, func(p *notify.Prefs) { p.Shared = true }); err != nil {
		w.Fatal(err)
	}
	code, err := n.NewCode(w.Context(), surfacetest.Tenant, surfacetest.Who, notify.Slack, &notify.Contact{Detail: notify.DetailSender, After: -1})
	if err != nil {
		w.Fatal(err)
	}
	s.Slash(slacktest.Ann, code)
	soon()
	p := &member{w: w, s: s}
	return &surfacetest.Person{
		Show: p.show, Sees: p.sees, SeesAll: p.seesAll, Says: p.says,
		Choose: func(_ int, option string) { p.choose(option) },
		Type:   func(_ int, text string) { p.write(text) },
		Send:   p.sends, Confirm: p.sends,
		Undo: func(*hub.Ticket) {
			p.press("Undo")
			p.send = p.last // the person does the same again
		},
		Numbers: true, Refers: true, Single: true, Limit: 8000, Field: 3000, Assurance: sayso.AssuranceKey,
	}
}

// soon lets everything happen that happens soon.
func soon() { <-time.After(10 * time.Second) }

// message is the message with the ask, as it is now.
func (p *member) message() *slacktest.Message {
	all := p.s.Messages(slacktest.Ann)
	for _, m := range all {
		if slices.ContainsFunc(m.Buttons, func(b slacktest.Button) bool { return b.URL == address(p.w.Hub.Handle(p.t.Address)) }) {
			p.ts = m.TS
		}
	}
	for i := range all {
		if all[i].TS == p.ts {
			return &all[i]
		}
	}
	return nil
}

func (p *member) show(t *hub.Ticket) {
	p.t, p.ts, p.send, p.last = t, "", nil, nil
	p.shown = len(p.s.Told(slacktest.Ann))
	p.told = p.shown
	soon()
	m := p.message()
	if m == nil {
		p.w.Fatalf("no message has the ask: %+v", p.s.Messages(slacktest.Ann))
	}
	if len(m.Markup) > 0 {
		p.w.Errorf("not plain text: %q", m.Markup)
	}
	if strings.Contains(m.Text, t.Ask.Questions[0].Text) {
		p.w.Errorf("the lock screen shows %q", m.Text)
	}
}

// sees is the message with the ask, what came below it, and the form if one is open.
func (p *member) sees() string {
	if p.t == nil {
		return ""
	}
	soon()
	var b strings.Builder
	if m := p.message(); m != nil {
		fmt.Fprintln(&b, m.Shown)
		for _, button := range m.Buttons {
			fmt.Fprintln(&b, button.Label)
		}
	}
	fmt.Fprintln(&b, strings.Join(p.s.Told(slacktest.Ann)[p.shown:], "\n"))
	if v := p.s.View(slacktest.Ann); v != nil {
		fmt.Fprintln(&b, v.Shown, v.Typed, v.Errors)
	}
	return b.String()
}

func (p *member) seesAll() string {
	soon()
	if m := p.message(); m == nil || p.w.Now(p.t).Open() && !strings.Contains(m.Shown, p.t.Ask.Questions[0].Text) {
		return "" // it only says that there is one
	}
	return p.sees()
}

// says is what came since something was sent.
func (p *member) says() string {
	said := slices.Clone(p.s.Told(slacktest.Ann)[p.told:])
	if v := p.s.View(slacktest.Ann); v != nil {
		for _, e := range v.Errors {
			said = append(said, e)
		}
	}
	if m := p.message(); m != nil && p.seesAll() == "" {
		said = append(said, m.Shown)
	}
	return strings.Join(said, "\n")
}

// press presses a button, and lets happen what happens then.
func (p *member) press(label string) {
	p.s.Press(slacktest.Ann, *p.message(), label)
	soon()
}

// choose is a finger above the button of an option. Where there is none, it is that of
// a person with a modified app.
func (p *member) choose(option string) {
	i := slices.IndexFunc(p.t.Ask.Questions[0].Options, func(o sayso.Option) bool { return o.ID == option })
	p.send = func() {
		m := p.message()
		for _, b := range m.Buttons {
			if b.Value != "" && (strings.HasPrefix(b.Label, fmt.Sprintf("%d. ", i+1)) || i >= 0 && b.Label == p.t.Ask.Questions[0].Options[i].Label) {
				p.s.PressAs(slacktest.Press{User: slacktest.Ann, Message: *m, Button: b})
				return
			}
		}
		for _, b := range m.Buttons {
			if token, _, ok := strings.Cut(b.Value, "."); ok {
				p.s.PressAs(slacktest.Press{User: slacktest.Ann, Message: *m, Value: fmt.Sprintf("%s.%d", token, i)})
				return
			}
		}
	}
}

// write opens the form for own words, if there is one, and types into it.
func (p *member) write(text string) {
	p.told = len(p.s.Told(slacktest.Ann))
	words := "Own words…"
	if p.t.Ask.Approval != nil {
		words = "Deny with a message…"
	}
	if _, ok := p.message().Button(words); ok {
		p.press(words)
	}
	if p.s.View(slacktest.Ann) == nil {
		p.send = nil // it has no field to type in
		return
	}
	p.s.Type(slacktest.Ann, text)
	p.send = func() {
		if p.s.View(slacktest.Ann) == nil { // after an undo
			p.press(words)
		}
		p.s.Submit(slacktest.Ann, text)
	}
}

// sends sends. The form stays open until Slack is told to close it.
func (p *member) sends() {
	if p.send == nil && p.s.View(slacktest.Ann) != nil && p.last != nil {
		p.send = p.last
	}
	if p.send == nil {
		soon()
		return
	}
	p.told = len(p.s.Told(slacktest.Ann))
	send := p.send
	p.send, p.last = nil, send
	send()
	soon()
}
