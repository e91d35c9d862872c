package localhub

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/mail"
	"github.com/saysohq/sayso/app/surface/notify/slack"
	"github.com/saysohq/sayso/app/surface/notify/telegram"
	"github.com/saysohq/sayso/app/surface/web"
	"github.com/saysohq/sayso/app/surface/words"
)

// services are the accounts that the hub has at services. One that is not set up is its
// zero value.
type services struct {
	telegram TelegramService
	slack    SlackService
	mail     MailService
}

// readServices puts the services to use that have files here, and those out of use that
// have none any more.
func (n *notifying) readServices() {
	n.settle.Lock()
	defer n.settle.Unlock()
	read(n, notify.Telegram, &n.services.telegram, func(s *TelegramService) notify.Channel { return telegram.New(n.telegram(s)) })
	read(n, notify.Slack, &n.services.slack, func(s *SlackService) notify.Channel { return slack.New(n.slack(s)) })
	read(n, notify.Mail, &n.services.mail, func(s *MailService) notify.Channel { return mail.New(n.mail(s)) })
}

// read reads the file of a service, and makes another channel count if it has changed.
func read[S comparable](n *notifying, kind notify.Kind, now *S, channel func(*S) notify.Channel) {
	var next, none S
	_, err := n.o.Places.readService(kind, &next)
	n.fails(kind, err)
	if err != nil {
		next = none // a file that others can read is of no use any more
	}
	if next == *now {
		return
	}
	*now = next
	if next == none {
		n.SetChannel(kind, nil)
		n.log.Info("notifications are not sent this way any more", "kind", kind)
		return
	}
	n.SetChannel(kind, channel(&next))
	n.log.Info("notifications can be sent this way", "kind", kind)
}

func (n *notifying) telegram(s *TelegramService) *telegram.Options {
	return &telegram.Options{Token: s.Token, API: s.API, Log: n.log}
}

func (n *notifying) slack(s *SlackService) *slack.Options {
	return &slack.Options{BotToken: s.BotToken, AppToken: s.AppToken, API: s.API, Log: n.log}
}

func (n *notifying) mail(s *MailService) *mail.Options {
	return &mail.Options{Server: s.SMTP, From: s.From, User: s.User, Pass: s.Password, Now: n.o.Now}
}

// now returns the services that are set up.
func (n *notifying) now() services {
	n.settle.Lock()
	defer n.settle.Unlock()
	return n.services
}

// accounts are the services at which people can link accounts in the web inbox.
func (n *notifying) accounts() []web.Account {
	s := n.now()
	var all []web.Account
	if s.telegram.Token != "" && s.telegram.Bot != "" {
		all = append(all, web.Account{
			Kind: notify.Telegram, Name: "Telegram", Do: func(w *words.Catalogue) string { return w.Say(w.Notify.TelegramDo, s.telegram.Bot) },
			Text: func(code string) string { return "/start " + code },
			Link: func(code string) string { return botLink(s.telegram.Bot, code) },
		})
	}
	if s.slack.BotToken != "" {
		all = append(all, web.Account{
			Kind: notify.Slack, Name: "Slack", Do: func(w *words.Catalogue) string { return w.Notify.SlackDo },
			Text: func(code string) string { return "/sayso " + code },
		})
	}
	return all
}

func botLink(bot, code string) string {
	return "https://t.me/" + bot + "?start=" + url.QueryEscape(code)
}

// keep writes the file of a service, and puts the service to use.
func (n *notifying) keep(kind notify.Kind, s any) error {
	if err := n.o.Places.writeService(kind, s); err != nil {
		return err
	}
	n.readServices()
	return nil
}

// addTelegram makes a code for an account, after it has checked the bot.
func (n *notifying) addTelegram(ctx context.Context, d *NewDevice, c *notify.Contact, made *AddedDevice) error {
	s := d.Telegram
	if s == nil {
		now := n.now().telegram
		if s = &now; s.Token == "" {
			return &OperatorError{"this hub has no Telegram bot yet", "Make one with @BotFather and put its token into a file: sayso notify add telegram --token-file FILE."}
		}
	}
	bot, err := telegram.Check(ctx, n.telegram(s))
	if err != nil {
		return &OperatorError{strings.TrimPrefix(err.Error(), "telegram: "), "Check the token, and that this machine reaches the Bot API."}
	}
	if d.Telegram != nil || s.Bot != bot {
		s.Bot = bot
		if err := n.keep(notify.Telegram, s); err != nil {
			return fmt.Errorf("keeping the token: %w", err)
		}
	}
	if made.Code, err = n.NewCode(ctx, c.Tenant, c.Person, c.Kind, c); err != nil {
		return err
	}
	made.Link = botLink(bot, made.Code)
	return nil
}

// addSlack makes a code for an account, after it has checked the app.
func (n *notifying) addSlack(ctx context.Context, d *NewDevice, c *notify.Contact, made *AddedDevice) (err error) {
	if d.Slack == nil && n.now().slack.BotToken == "" {
		return &OperatorError{"this hub has no Slack app yet", "Make one and put its tokens into files: sayso notify add slack --bot-token-file FILE --app-token-file FILE."}
	}
	if d.Slack != nil {
		if _, _, err := slack.Check(ctx, n.slack(d.Slack)); err != nil {
			return &OperatorError{strings.TrimPrefix(err.Error(), "slack: "), "Check the tokens and the scopes of the app."}
		}
		if err := n.keep(notify.Slack, d.Slack); err != nil {
			return fmt.Errorf("keeping the tokens: %w", err)
		}
	}
	made.Code, err = n.NewCode(ctx, c.Tenant, c.Person, c.Kind, c)
	return err
}

// addMail checks the address, and keeps the server if one is named.
func (n *notifying) addMail(d *NewDevice, c *notify.Contact) error {
	a, err := mail.NewAddress(d.To)
	if err == nil && d.Mail != nil {
		err = n.mail(d.Mail).Check()
	}
	if err != nil {
		return &OperatorError{err.Error(), "Example: sayso notify add mail ann@example.com --smtp smtp.example.com:587 --from sayso@example.com."}
	}
	if d.Mail == nil && n.now().mail.SMTP == "" {
		return &OperatorError{"this hub has no mail server yet", "Name it once: sayso notify add mail " + a.To + " --smtp smtp.example.com:587 --from sayso@example.com."}
	}
	if d.Mail != nil {
		if err := n.keep(notify.Mail, d.Mail); err != nil {
			return fmt.Errorf("keeping the mail server: %w", err)
		}
	}
	name(c, a.To)
	return addressed(c, a)
}
