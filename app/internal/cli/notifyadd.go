package cli

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
	"github.com/saysohq/sayso/app/surface/notify"
)

func (n *notifications) addCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add",
		Short: "Add a device or an account",
		Long: `Add a device or an account that gets your notifications. In a chat and on the desktop
you can also answer.

The first device that you add is notified after 20 seconds, the second after
10 minutes if you have not answered by then. Change it with --after.`,
		Example: `  sayso notify add desktop
  sayso notify add telegram --token-file bot.token`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	console.Add(cmd, n.addDesktop(), n.addTerminal(), n.addProgram(), n.addPush(), n.addTelegram(), n.addSlack(), n.addWebhook(), n.addNtfy(), n.addMail())
	return cmd
}

// adding is one command that adds a device.
type adding struct {
	telling
	kind notify.Kind
	fill func(cmd *cobra.Command, args []string, d *localhub.NewDevice) error // what the flags and arguments say
	next func(*localhub.AddedDevice) string                                   // what to do with a code; nil: there is none
}

// command makes the command run.
func (n *notifications) adds(cmd *cobra.Command, a *adding) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return n.add(cmd, args, a) }
	a.bind(cmd)
	return cmd
}

func (n *notifications) add(cmd *cobra.Command, args []string, a *adding) error {
	after, detail, err := a.wanted(cmd)
	if err != nil {
		return err
	}
	d := &localhub.NewDevice{Person: n.person, Kind: a.kind, Detail: detail}
	if after != nil {
		d.After = *after
	}
	if a.fill != nil {
		if err := a.fill(cmd, args, d); err != nil {
			return err
		}
	}
	ctx := cmd.Context()
	s, err := n.running(ctx)
	if err != nil {
		return err
	}
	before, err := s.Notified(ctx, n.person)
	if err != nil {
		return n.operated(s, "read your devices", err)
	}
	added, err := s.AddDevice(ctx, d)
	if err != nil {
		return n.operated(s, "add "+string(a.kind), err)
	}
	if added.Device == nil {
		return n.link(ctx, s, added, a, before)
	}
	return n.addedDevice(ctx, s, added)
}

// addedDevice tells of a new device, and sends it a test: the person sees at once how it
// looks.
func (n *notifications) addedDevice(ctx context.Context, s *localhub.Starter, added *localhub.AddedDevice) error {
	d := added.Device
	t, err := s.TestDevice(ctx, n.person, d.ID)
	if err != nil {
		return n.operated(s, "send a test to "+d.ID, err)
	}
	if n.json {
		if err := n.PrintJSON(map[string]any{"device": d, "secret": added.Secret, "sent": t.Error == "", "error": t.Error}); err != nil {
			return err
		}
	} else {
		d.After, _ = time.ParseDuration(d.AfterText)
		n.Say("Added %s (%s). It is notified %s and shows %s.", d.ID, sayso.SafeLine(d.Name), afterText(d.After), shows[d.Detail])
		if added.Secret != "" {
			n.Say("This secret signs what is sent there. Copy it now: it is not shown again.")
			if err := n.Print(added.Secret); err != nil {
				return err
			}
		}
	}
	if t.Error != "" {
		return console.Fault("the test notification to %s was not sent: %s", d.ID, sayso.SafeLine(t.Error)).Next("Try again: sayso notify test %s. Remove it: sayso notify remove %[1]s.", d.ID)
	}
	if !n.json {
		n.Say("A test notification is on its way. If it does not arrive: sayso notify test %s", d.ID)
	}
	return nil
}

// link tells how an account becomes a device, and on a terminal waits until it has.
func (n *notifications) link(ctx context.Context, s *localhub.Starter, added *localhub.AddedDevice, a *adding, before *localhub.Notified) error {
	if n.json {
		return n.PrintJSON(added)
	}
	n.Say("%s", a.next(added))
	if added.Link != "" {
		if console.IsTerminal(n.Err) {
			if err := n.showCode(added.Link); err != nil {
				return err
			}
		}
		if err := n.Print(added.Link); err != nil {
			return err
		}
	}
	if !console.IsTerminal(n.Err) {
		return nil
	}
	n.Say("Waiting for you to do that. To stop waiting, press Ctrl-C: the code stays valid.")
	d, err := n.linked(ctx, s, a.kind, before)
	if err != nil {
		return err
	}
	d.After, _ = time.ParseDuration(d.AfterText)
	n.Say("Added %s (%s). It is notified %s and shows %s. Send a test: sayso notify test %[1]s", d.ID, sayso.SafeLine(d.Name), afterText(d.After), shows[d.Detail])
	return nil
}

// linked waits for a device that was not there before.
func (n *notifications) linked(ctx context.Context, s *localhub.Starter, kind notify.Kind, before *localhub.Notified) (*localhub.Device, error) {
	known := map[string]time.Time{}
	for _, d := range before.Devices {
		known[d.ID] = d.Created
	}
	wait, cancel := context.WithTimeout(ctx, notify.CodeFor)
	defer cancel()
	for {
		all, err := s.Notified(wait, n.person)
		if err != nil && wait.Err() == nil {
			return nil, n.operated(s, "wait for the account", err)
		}
		if err == nil {
			for _, d := range all.Devices {
				if old, ok := known[d.ID]; d.Kind == kind && (!ok || !old.Equal(d.Created)) {
					return d, nil
				}
			}
		}
		select {
		case <-wait.Done():
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, console.Fault("no account was linked within %s", shortDuration(notify.CodeFor)).Next("Get a new code: sayso notify add %s.", kind)
		case <-time.After(300 * time.Millisecond):
		}
	}
}

// secretIn returns what a file has, such as a token: no command line shows it.
func secretIn(flag, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	f, err := os.Open(name)
	if err == nil {
		defer f.Close()
		var b []byte
		if b, err = io.ReadAll(io.LimitReader(f, 4<<10)); err == nil {
			if text := strings.TrimSpace(string(b)); text != "" {
				return text, nil
			}
			return "", console.Usage("the file %q of --%s is empty", name, flag).Next("Write the secret into it, and nothing else.")
		}
	}
	return "", console.Usage("cannot read %q: %s", name, reason(err)).Next("Check --%s.", flag)
}
