package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
	"github.com/saysohq/sayso/app/surface/notify"
)

// notifications are the commands about them. They go to the person's own hub.
type notifications struct {
	*program
	person string // empty: the owner of the hub
}

func (p *program) notifyCommand() *cobra.Command {
	n := &notifications{program: p}
	cmd := &cobra.Command{
		GroupID: groupAnswer,
		Use:     "notify",
		Short:   "Get notified when a question waits",
		Long: `Get notified when a question waits: on your desktop, your phone or in a chat. Without
a command it lists your devices.

sayso notifies your first device after 20 seconds without an answer, and the next one
if you do not answer there. It removes the notification when the question is closed.`,
		Example: `  $ sayso notify
  sayso notify add desktop
  sayso notify test`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return n.list(cmd.Context()) },
	}
	cmd.PersistentFlags().StringVar(&n.person, "person", "", "`name` of the person, for operators (default: the owner of the hub)")
	console.Add(cmd, n.listCommand(), n.addCommand(), n.setCommand(), n.removeCommand(), n.testCommand(), n.muteCommand(), n.quietCommand(), n.logCommand())
	return cmd
}

// running returns the hub, which is started where it does not run.
func (n *notifications) running(ctx context.Context) (*localhub.Starter, error) {
	s, err := n.ownHub("notify")
	if err != nil {
		return nil, err
	}
	return s, n.started(ctx, s)
}

func (n *notifications) notified(ctx context.Context) (*localhub.Starter, *localhub.Notified, error) {
	s, err := n.running(ctx)
	if err != nil {
		return nil, nil, err
	}
	all, err := s.Notified(ctx, n.person)
	if err != nil {
		return nil, nil, n.operated(s, "read your devices", err)
	}
	return s, all, nil
}

func (n *notifications) listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List your devices",
		Long: `List the devices and accounts that get your notifications, in the order in which they
are notified: after how long, how much of a question they show, and whether
notifications arrive there.`,
		Example: `  $ sayso notify list
  $ sayso notify list --json`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return n.list(cmd.Context()) },
	}
}

func (n *notifications) list(ctx context.Context) error {
	_, all, err := n.notified(ctx)
	if err != nil {
		return err
	}
	if n.json {
		return n.PrintJSON(all)
	}
	for _, kind := range slices.Sorted(maps.Keys(all.Broken)) {
		n.Say("%s cannot be used: %s", kind, all.Broken[kind])
	}
	if len(all.Devices) == 0 {
		n.Say("No device gets notifications. On this desktop: sayso notify add desktop. On a phone or in a chat: sayso notify add --help")
		return nil
	}
	c := &columns{head: []column{{title: "ID"}, {title: "NAME", most: 30, least: 8}, {title: "AFTER"}, {title: "SHOWS"}, {title: "STATE"}}}
	for _, d := range all.Devices {
		c.rows = append(c.rows, []string{d.ID, d.Name, after(d.After), shows[d.Detail], deviceState(d)})
	}
	if err := n.Print(c.fit(n.wide())); err != nil {
		return err
	}
	if text := prefsText(&all.Prefs, time.Now()); text != "" {
		n.Say("%s", text)
	}
	return nil
}

// wide is how wide a table may be: a pipe cuts nothing.
func (n *notifications) wide() int {
	if console.IsTerminal(n.Out) {
		return n.columns()
	}
	return 1000
}

// shows says what a device shows of a question.
var shows = map[string]string{"count": "that a question waits", "sender": "who asks", "text": "the question"}

func after(d time.Duration) string {
	if d <= 0 {
		return "at once"
	}
	return shortDuration(d)
}

// shortDuration writes 1h0m0s as 1h.
func shortDuration(d time.Duration) string {
	text := d.Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// deviceState says whether notifications arrive.
func deviceState(d *localhub.Device) string {
	switch {
	case d.Off:
		return "gone; remove it: sayso notify remove " + d.ID
	case !d.Failing.IsZero():
		return "failing since " + shortTime(d.Failing) + ": " + sayso.SafeLine(d.Error)
	case d.Confirmed.IsZero():
		return "not confirmed; test it: sayso notify test " + d.ID
	}
	return "confirmed " + shortTime(d.Confirmed)
}

// prefsText says what keeps notifications back; empty: nothing does.
func prefsText(p *notify.Prefs, now time.Time) string {
	var lines []string
	if p.Until.After(now) {
		lines = append(lines, "Muted until "+shortTime(p.Until)+". End it: sayso notify mute off")
	}
	for _, m := range p.Mutes {
		if !m.Until.IsZero() && !m.Until.After(now) {
			continue
		}
		line := "Muted: " + muteText(&m)
		if !m.Until.IsZero() {
			line += " until " + shortTime(m.Until)
		}
		lines = append(lines, line)
	}
	if q := p.Quiet; q != nil {
		line := fmt.Sprintf("Quiet hours: %s to %s (%s)", q.From, q.To, q.Zone)
		if q.Deadlines {
			line += ", except for questions that expire in them"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func muteText(m *notify.Mute) string {
	var parts []string
	if m.Agent != "" {
		parts = append(parts, "agent "+sayso.SafeLine(m.Agent))
	}
	if m.Workspace != "" {
		parts = append(parts, "workspace "+sayso.SafeLine(m.Workspace))
	}
	return strings.Join(parts, " in ")
}

// deviceIDs completes the id of a device. It starts no hub.
func (n *notifications) deviceIDs(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	if len(args) > 0 || n.configure(cmd.Flags()) != nil {
		return nil, none
	}
	s, err := n.ownHub("notify")
	if err != nil {
		return nil, none
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), time.Second)
	defer cancel()
	all, err := s.Notified(ctx, n.person)
	if err != nil {
		return nil, none
	}
	var ids []string
	for _, d := range all.Devices {
		ids = append(ids, cobra.CompletionWithDesc(d.ID, sayso.SafeLine(d.Name)))
	}
	return ids, none
}
