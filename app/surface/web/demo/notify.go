package main

import (
	"context"
	"encoding/json"
	"os"
	"strconv"
	"time"

	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/web"
	"github.com/saysohq/sayso/app/surface/words"
)

// nowhere is a channel that takes everything and shows it to nobody.
type nowhere struct{}

func (nowhere) Put(_ context.Context, _ *notify.Contact, n *notify.Note, _ string) (string, error) {
	if n.Over {
		return "", nil
	}
	return "nowhere", nil
}

func (nowhere) PublicKey() string {
	return "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
}

func (nowhere) Address(subscription []byte, _, _ string) (json.RawMessage, error) {
	return json.Marshal(string(subscription))
}

// notified are the options of a site with notifications, if SAYSO_DEMO_NOTIFY wants it.
func (d *demo) notified() *web.Options {
	grace := time.Duration(-1) // an answer counts at once
	if n, err := strconv.Atoi(os.Getenv("SAYSO_DEMO_GRACE")); err == nil {
		grace = time.Duration(n) * time.Second
	}
	if os.Getenv("SAYSO_DEMO_NOTIFY") == "" {
		return &web.Options{Grace: grace}
	}
	d.notifier = notify.Start(d.hub, d.store, &notify.Options{Node: "demo", Alone: true, Channels: map[notify.Kind]notify.Channel{
		notify.Push: nowhere{}, notify.Telegram: nowhere{}, notify.Desktop: nowhere{},
	}})
	return &web.Options{Grace: grace, Notify: d.notifier, Push: nowhere{}, Accounts: func() []web.Account {
		return []web.Account{{
			Kind: notify.Telegram, Name: "Telegram", Do: func(w *words.Catalogue) string { return w.Say(w.Notify.TelegramDo, "my_sayso_bot") },
			Text: func(code string) string { return "/start " + code }, Link: func(code string) string { return "https://t.me/my_sayso_bot?start=" + code },
		}}
	}}
}

// devices gives a person two devices and an account that fails.
func (d *demo) devices(ctx context.Context, person string) error {
	now := time.Now()
	for _, c := range []notify.Contact{
		{Kind: notify.Push, Name: "Safari on iPhone", Detail: notify.DetailSender, Confirmed: now.Add(-3 * time.Hour)},
		{Kind: notify.Desktop, Name: "GNOME on desk", Detail: notify.DetailText},
		{Kind: notify.Telegram, Name: "@ann", Detail: notify.DetailSender, Failing: now.Add(-25 * time.Minute), Error: "Telegram refuses the bot token"},
	} {
		c.Tenant, c.Person, c.Address = "local", person, json.RawMessage(`{}`)
		made, err := d.notifier.Add(ctx, &c)
		if err != nil {
			return err
		}
		if _, err := d.notifier.Change(ctx, "local", person, made.ID, func(to *notify.Contact) {
			to.Confirmed, to.Failing, to.Error = c.Confirmed, c.Failing, c.Error
		}); err != nil {
			return err
		}
	}
	return d.notifier.SetPrefs(ctx, "local", person, func(p *notify.Prefs) {
		p.Quiet = &notify.Quiet{From: "22:00", To: "07:00", Zone: "Europe/Berlin"}
		p.Mutes = []notify.Mute{{Agent: "nightly-build"}}
	})
}
