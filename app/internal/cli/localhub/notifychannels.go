package localhub

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"github.com/saysohq/sayso/app/outbound"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/command"
	"github.com/saysohq/sayso/app/surface/notify/desktop"
	"github.com/saysohq/sayso/app/surface/notify/ntfy"
	"github.com/saysohq/sayso/app/surface/notify/tty"
	"github.com/saysohq/sayso/app/surface/notify/webhook"
	"github.com/saysohq/sayso/app/surface/notify/webpush"
)

// here are the channels of this machine.
func (n *notifying) here() map[notify.Kind]notify.Channel {
	n.desktop = desktop.New(&desktop.Options{Open: n.openNote, Log: n.log})
	all := map[notify.Kind]notify.Channel{notify.Desktop: n.desktop, notify.Terminal: tty.New(nil)}
	if args := command.Shell(n.o.Notify.Command); args != nil {
		all[notify.Command] = command.New(&command.Options{Args: args, Dir: n.o.Places.State})
	}
	return all
}

// outside are the channels to addresses that people type in, or their browsers.
func (n *notifying) outside(ctx context.Context) map[notify.Kind]notify.Channel {
	client := outbound.Client(n.reach())
	stream := n.reach()
	stream.Stream = true
	all := map[notify.Kind]notify.Channel{
		notify.Webhook: webhook.New(&webhook.Options{Client: client, Handle: n.hub.Handle, Now: n.o.Now}),
		notify.Ntfy:    ntfy.New(&ntfy.Options{Client: client, Stream: outbound.Client(stream), Now: n.o.Now, Log: n.log}),
	}
	if key, err := webpush.SharedKey(ctx, n.store); err != nil {
		n.fails(notify.Push, fmt.Errorf("reading the key for push services: %w", err))
	} else {
		n.push = webpush.New(&webpush.Options{Key: key, Subject: n.o.Notify.Contact, Allow: n.o.Notify.Allow, Client: client, Now: n.o.Now, Handle: n.hub.Handle, Holds: n.sessions.Holds})
		all[notify.Push] = n.push
	}
	return all
}

// reach says what addresses that people type in may lead to.
func (n *notifying) reach() *outbound.Options { return &outbound.Options{Allow: n.o.Notify.Allow} }

// complete fills in what the kind of the device needs.
func (n *notifying) complete(ctx context.Context, d *NewDevice, c *notify.Contact, made *AddedDevice) error {
	host, _ := os.Hostname()
	switch d.Kind {
	case notify.Desktop:
		if _, err := n.desktop.Server(ctx); err != nil {
			return &OperatorError{err.Error(), "Run it in your desktop session. If the hub was started elsewhere, restart it from here: sayso restart."}
		}
		name(c, "Desktop on "+host)
		c.Account = "uid-" + strconv.Itoa(os.Getuid()) // who can click there
		return ownerOnly(d)
	case notify.Terminal:
		var a tty.Address
		if err := json.Unmarshal(d.Address, &a); err != nil {
			return &OperatorError{"the terminal has no address", "Run sayso notify add terminal in the terminal that is to show notifications."}
		}
		name(c, fmt.Sprintf("Terminal %s on %s", a.Path, a.Host))
		c.Address = d.Address
		return ownerOnly(d)
	case notify.Command:
		if n.o.Notify.Command == "" {
			return &OperatorError{"the setting notify-command is not set", `Set it in config.toml, for example notify-command = "notify-me", then: sayso restart.`}
		}
		name(c, "A program on "+host)
		return ownerOnly(d)
	case notify.Webhook:
		a, err := webhook.NewAddress(d.To, n.reach())
		if err != nil {
			return refusedAddress(d.To, err)
		}
		name(c, a.Name())
		made.Secret = a.Secrets[0]
		return addressed(c, a)
	case notify.Ntfy:
		return n.addNtfy(d, c)
	case notify.Mail:
		return n.addMail(d, c)
	case notify.Telegram:
		return n.addTelegram(ctx, d, c, made)
	case notify.Slack:
		return n.addSlack(ctx, d, c, made)
	}
	return &OperatorError{fmt.Sprintf("no notifications of kind %q can be added here", d.Kind), "Kinds: sayso notify add --help."}
}

func (n *notifying) addNtfy(d *NewDevice, c *notify.Contact) error {
	if d.Ntfy == nil {
		return &OperatorError{"the topic has no address", "Example: sayso notify add ntfy https://ntfy.sh/my-secret-topic."}
	}
	a, err := ntfy.ParseURL(d.Ntfy.URL)
	if err == nil {
		a.Token, a.Answers = d.Ntfy.Token, d.Ntfy.Answers
		err = a.Check(n.reach())
	}
	if err != nil {
		return refusedAddress(d.Ntfy.URL, err)
	}
	if d.Detail == nil {
		c.Detail = a.Detail()
	}
	return a.Fill(c)
}

// refusedAddress says why nothing can be sent to an address.
func refusedAddress(to string, err error) error {
	return &OperatorError{err.Error(), "Check the address. To allow one inside your network, set notify-allow and restart the hub."}
}
