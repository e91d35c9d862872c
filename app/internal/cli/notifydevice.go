package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
	"github.com/saysohq/sayso/app/surface/notify"
)

// needsDevice checks that a command has the id of a device.
var needsDevice = console.Arg("the id of a device", "Devices: sayso notify list.")

// telling is how a device is told.
type telling struct {
	after  time.Duration
	detail string
}

func (t *telling) bind(cmd *cobra.Command) {
	cmd.Flags().DurationVar(&t.after, "after", 0, "how long a question has waited when this device is notified, 0s for at once (default: 20s for the first device, then 10m, 1h and 4h)")
	cmd.Flags().Var(console.OneOf(&t.detail, "", localhub.Details...), "detail", "what a locked screen shows: that a question waits, who asks, or the question (default: sender)")
}

// wanted returns what the flags say; nil: nothing.
func (t *telling) wanted(cmd *cobra.Command) (*time.Duration, *notify.Detail, error) {
	var after *time.Duration
	var detail *notify.Detail
	if cmd.Flags().Changed("after") {
		if t.after < 0 {
			return nil, nil, console.Usage("invalid value %q for --after", t.after).Next("Use a duration such as 20s or 10m, or 0s for at once.")
		}
		after = &t.after
		if t.after == 0 {
			*after = -1 // zero means the default there
		}
	}
	for i, name := range localhub.Details {
		if name == t.detail {
			detail = new(notify.Detail(i))
		}
	}
	return after, detail, nil
}

func (n *notifications) setCommand() *cobra.Command {
	t := &telling{}
	cmd := &cobra.Command{
		Use:   "set ID",
		Short: "Change when and what a device shows",
		Long: `Change when a device is notified, or how much of a question it shows while it is
locked.`,
		Example:           `  sayso notify set desktop-1 --after 1m --detail text`,
		Args:              needsDevice,
		ValidArgsFunction: n.deviceIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			after, detail, err := t.wanted(cmd)
			if err != nil {
				return err
			}
			if after == nil && detail == nil {
				return console.Usage("notify set needs --after or --detail").Next("Example: sayso notify set %s --after 1m.", args[0])
			}
			s, err := n.running(cmd.Context())
			if err != nil {
				return err
			}
			d, err := s.ChangeDevice(cmd.Context(), n.person, args[0], &localhub.DeviceChange{After: after, Detail: detail})
			if err != nil {
				return n.operated(s, "change "+args[0], err)
			}
			if n.json {
				return n.PrintJSON(d)
			}
			d.After, _ = time.ParseDuration(d.AfterText)
			return n.Print(fmt.Sprintf("%s is notified %s and shows %s.", d.ID, afterText(d.After), shows[d.Detail]))
		},
	}
	t.bind(cmd)
	return cmd
}

// afterText says when a device is notified.
func afterText(d time.Duration) string {
	if d <= 0 {
		return "at once"
	}
	return "after " + shortDuration(d)
}

func (n *notifications) removeCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "remove ID",
		Short:   "Remove a device",
		Long:    `Remove a device or an account. It gets no notifications any more.`,
		Example: `  sayso notify remove telegram-1`,
		Args:    needsDevice, ValidArgsFunction: n.deviceIDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := n.running(cmd.Context())
			if err != nil {
				return err
			}
			if err := s.RemoveDevice(cmd.Context(), n.person, args[0]); err != nil {
				return n.operated(s, "remove "+args[0], err)
			}
			if n.json {
				return n.PrintJSON(map[string]string{"removed": args[0]})
			}
			return n.Print("Removed " + args[0] + ".")
		},
	}
}

func (n *notifications) testCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "test [ID]",
		Short: "Send a test notification",
		Long: `Send a test notification to a device, or to all of your devices, and wait until you
confirm there that it arrived: press its button, or open it. It waits for a minute.
If the device cannot confirm, it asks you here.

It exits with 1 if a notification was not sent, or was not confirmed.`,
		Example: `  sayso notify test
  sayso notify test desktop-1`,
		Args: console.MaybeArg, ValidArgsFunction: n.deviceIDs,
		RunE: func(cmd *cobra.Command, args []string) error { return n.test(cmd.Context(), args) },
	}
}

// tested is what became of a test, for --json.
type tested struct {
	ID        string `json:"id"`
	Kind      string `json:"kind"`
	Sent      bool   `json:"sent"`
	Confirmed bool   `json:"confirmed"`
	Unknown   bool   `json:"unknown,omitempty"` // the device cannot confirm, and nobody was asked
	Error     string `json:"error,omitempty"`
}

func (n *notifications) test(ctx context.Context, ids []string) error {
	s, all, err := n.notified(ctx)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		for _, d := range all.Devices {
			ids = append(ids, d.ID)
		}
	}
	if len(ids) == 0 {
		return console.Fault("you have no device to test").Next("Add one: sayso notify add desktop.")
	}
	results, err := n.tests(ctx, s, ids)
	if err != nil {
		return err
	}
	var failed []string
	for _, r := range results {
		if !r.Confirmed {
			failed = append(failed, r.ID)
		}
	}
	if n.json {
		if err := n.PrintJSON(map[string]any{"devices": results}); err != nil {
			return err
		}
	}
	if len(failed) > 0 {
		return console.Fault("not confirmed: %s", strings.Join(failed, ", ")).Next("Check: sayso doctor. What was sent: sayso notify log.")
	}
	return nil
}

// tests sends a test to each device, and waits for them.
func (n *notifications) tests(ctx context.Context, s *localhub.Starter, ids []string) ([]tested, error) {
	results := []tested{}
	for _, id := range ids {
		r, err := n.testOne(ctx, s, id)
		if err != nil {
			return nil, err
		}
		results = append(results, *r)
	}
	return results, nil
}

// confirmFor is how long a test waits.
const confirmFor = time.Minute

func (n *notifications) testOne(ctx context.Context, s *localhub.Starter, id string) (*tested, error) {
	t, err := s.TestDevice(ctx, n.person, id)
	if err != nil {
		return nil, n.operated(s, "test "+id, err)
	}
	r := &tested{ID: id, Kind: string(t.Device.Kind), Sent: t.Error == "", Error: t.Error}
	say := func(format string, args ...any) {
		if !n.json {
			n.Say(format, args...)
		}
	}
	switch {
	case !r.Sent:
		say("✗ %s: not sent: %s", id, sayso.SafeLine(t.Error))
		return r, nil
	case t.CanReply:
		say("Sent a test to %s (%s). Confirm it there: press its button, or open it.", id, sayso.SafeLine(t.Device.Name))
		r.Confirmed, err = n.confirmed(ctx, s, id, t.Sent)
	case console.IsTerminal(n.In) && !n.json:
		say("Sent a test to %s (%s).", id, sayso.SafeLine(t.Device.Name))
		if r.Confirmed = n.confirm("Did it arrive?"); r.Confirmed {
			err = s.ConfirmDevice(ctx, n.person, id)
		}
	default: // nobody can say more than that it was sent
		r.Confirmed, r.Unknown = true, true
		say("✓ %s: sent; this device cannot confirm it", id)
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	if r.Confirmed {
		say("✓ %s: it arrived", id)
	} else {
		r.Error = fmt.Sprintf("not confirmed within %s", shortDuration(confirmFor))
		say("✗ %s: %s", id, r.Error)
	}
	return r, nil
}

// confirmed waits until the device says that the test arrived.
func (n *notifications) confirmed(ctx context.Context, s *localhub.Starter, id string, since time.Time) (bool, error) {
	wait, cancel := context.WithTimeout(ctx, confirmFor)
	defer cancel()
	for {
		all, err := s.Notified(wait, n.person)
		if err != nil && wait.Err() == nil {
			return false, n.operated(s, "wait for "+id, err)
		}
		if err == nil {
			for _, d := range all.Devices {
				if d.ID == id && !d.Confirmed.Before(since) {
					return true, nil
				}
			}
		}
		select {
		case <-wait.Done():
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			return false, nil
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func (n *notifications) logCommand() *cobra.Command {
	var most int
	cmd := &cobra.Command{
		Use:   "log",
		Short: "List what you were notified of",
		Long: `List what you were notified of, the latest first: when, on which device, how often,
and whether it was sent. It shows no questions.`,
		Example: `  $ sayso notify log
  $ sayso notify log --limit 5 --json`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if most < 1 {
				return console.Usage("invalid value \"%d\" for --limit", most).Next("Use a number from 1: sayso notify log --limit 20.")
			}
			return n.log(cmd.Context(), most)
		},
	}
	cmd.Flags().IntVar(&most, "limit", 20, "how many")
	return cmd
}

func (n *notifications) log(ctx context.Context, most int) error {
	s, err := n.running(ctx)
	if err != nil {
		return err
	}
	all, err := s.NotifyLog(ctx, n.person, most)
	if err != nil {
		return n.operated(s, "read the log", err)
	}
	if n.json {
		return n.PrintJSON(map[string]any{"notifications": all})
	}
	if len(all) == 0 {
		n.Say("You were not notified of anything yet.")
		return nil
	}
	c := &columns{head: []column{{title: "FIRST"}, {title: "LAST"}, {title: "DEVICE"}, {title: "QUESTIONS"}, {title: "STATE"}}}
	for _, t := range all {
		c.rows = append(c.rows, []string{clockTime(t.First), clockTime(t.Sent), t.Contact, toldAsks(&t), toldState(&t)})
	}
	return n.Print(c.fit(n.wide()))
}

func clockTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("01-02 15:04:05")
}

func toldAsks(t *notify.Told) string {
	if t.Test {
		return "test"
	}
	if len(t.Asks) == 1 {
		return t.Asks[0].ID[:min(len(t.Asks[0].ID), 11)]
	}
	return fmt.Sprint(len(t.Asks))
}

func toldState(t *notify.Told) string {
	state := "shown"
	switch {
	case t.Error != "":
		state = "not sent: " + t.Error
	case t.Over:
		state = "withdrawn"
	case t.Sent.IsZero():
		state = "being sent"
	}
	if t.Round > 0 {
		state += fmt.Sprintf(", %s", plural(t.Round, "reminder", "reminders"))
	}
	return state
}
