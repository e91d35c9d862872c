package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/words"
)

func (n *notifications) muteCommand() *cobra.Command {
	var m notify.Mute
	var agents []string
	cmd := &cobra.Command{
		Use:   "mute [DURATION|tomorrow|off]",
		Short: "Mute notifications for a while",
		Long: `Mute all notifications for a while, or those of one agent or workspace until you end
it. Questions stay in the inbox. When a mute ends, you get one notification of what
waits.

"tomorrow" is 8 o'clock the next morning. "off" ends every mute, or the one of the
agent or workspace that you name.`,
		Example: `  $ sayso notify mute 1h
  $ sayso notify mute --agent claude-code
  $ sayso notify mute off`,
		Args: console.MaybeArg,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"1h", "tomorrow", "off"}, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("agent") { // and not the setting of that name, which is for who asks
				if len(agents) != 1 {
					return console.Usage("notify mute takes one --agent at a time").Next("Example: sayso notify mute --agent %s.", agents[0])
				}
				m.Agent = agents[0]
			}
			how := ""
			if len(args) == 1 {
				how = args[0]
			}
			c, err := muteChange(how, m, time.Now())
			if err != nil {
				return err
			}
			return n.changePrefs(cmd.Context(), c, "change the mutes")
		},
	}
	cmd.Flags().StringArrayVar(&agents, "agent", nil, "mute questions of this agent, by its `name` in the inbox")
	cmd.Flags().StringVar(&m.Workspace, "workspace", "", "mute questions from this workspace, by its `name` in the inbox")
	return cmd
}

// muteChange says what a mute changes.
func muteChange(how string, m notify.Mute, now time.Time) (*localhub.PrefsChange, error) {
	some := m.Agent != "" || m.Workspace != ""
	until := time.Time{}
	switch how {
	case "off":
		if some {
			return &localhub.PrefsChange{Unmute: &m}, nil
		}
		return &localhub.PrefsChange{Unmute: &m, Until: &until}, nil
	case "tomorrow":
		until = words.Morning(now, 1)
	case "":
		if !some {
			return nil, console.Usage("notify mute needs how long, --agent or --workspace").Next("Example: sayso notify mute 1h. End it: sayso notify mute off.")
		}
	default:
		d, err := time.ParseDuration(how)
		if err != nil || d <= 0 {
			return nil, console.Usage("cannot mute for %q", how).Next("Use a duration such as 1h, or tomorrow, or off: sayso notify mute 1h.")
		}
		until = now.Add(d).Round(0)
	}
	if some {
		m.Until = until
		return &localhub.PrefsChange{Mute: &m}, nil
	}
	return &localhub.PrefsChange{Until: &until}, nil
}

func (n *notifications) quietCommand() *cobra.Command {
	var q notify.Quiet
	cmd := &cobra.Command{
		Use:   "quiet [FROM-TO|off]",
		Short: "Set quiet hours",
		Long: `Set hours of every day in which you get no notifications. When they end, you get one
notification of what waits. Without an argument it shows them.`,
		Example: `  $ sayso notify quiet 22:00-07:00 --zone Europe/Berlin
  $ sayso notify quiet off`,
		Args: console.MaybeArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return n.showQuiet(cmd.Context())
			}
			c, err := n.quietChange(args[0], q)
			if err != nil {
				return err
			}
			return n.changePrefs(cmd.Context(), c, "set quiet hours")
		},
	}
	cmd.Flags().StringVar(&q.Zone, "zone", "", "time `zone`, for example Europe/Berlin (default: that of this machine)")
	cmd.Flags().BoolVar(&q.Deadlines, "deadlines", false, "notify of questions that expire within the quiet hours")
	return cmd
}

func (n *notifications) quietChange(hours string, q notify.Quiet) (*localhub.PrefsChange, error) {
	if hours == "off" {
		return &localhub.PrefsChange{NoQuiet: true}, nil
	}
	var ok bool
	if q.From, q.To, ok = strings.Cut(hours, "-"); !ok {
		return nil, console.Usage("invalid quiet hours %q", hours).Next("Use two times: sayso notify quiet 22:00-07:00.")
	}
	if q.Zone == "" {
		if q.Zone = localZone(n.Getenv); q.Zone == "" {
			return nil, console.Usage("this machine does not say in which time zone it is").Next("Name it: sayso notify quiet %s --zone Europe/Berlin.", hours)
		}
	}
	if err := (&notify.Prefs{Quiet: &q}).Check(); err != nil {
		what, next, _ := strings.Cut(err.Error(), "; ")
		return nil, console.Usage("%s", what).Next("%s: sayso notify quiet 22:00-07:00 --zone Europe/Berlin.", upper(next))
	}
	return &localhub.PrefsChange{Quiet: &q}, nil
}

// localZone returns the name of this machine's time zone, or "".
func localZone(getenv func(string) string) string {
	good := func(name string) bool {
		_, err := time.LoadLocation(name)
		return err == nil && name != "" && name != "Local"
	}
	if tz := strings.TrimPrefix(getenv("TZ"), ":"); good(tz) {
		return tz
	}
	if b, err := os.ReadFile("/etc/timezone"); err == nil {
		if name := strings.TrimSpace(string(b)); good(name) {
			return name
		}
	}
	if to, err := filepath.EvalSymlinks("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(to, "/zoneinfo/"); ok && good(name) {
			return name
		}
	}
	if _, offset := time.Now().Zone(); offset == 0 && time.Local.String() == "UTC" {
		return "UTC"
	}
	return ""
}

func (n *notifications) showQuiet(ctx context.Context) error {
	_, all, err := n.notified(ctx)
	if err != nil {
		return err
	}
	if n.json {
		return n.PrintJSON(all.Prefs)
	}
	if all.Prefs.Quiet == nil {
		return n.Print("No quiet hours. Set them: sayso notify quiet 22:00-07:00")
	}
	return n.Print(prefsText(&notify.Prefs{Quiet: all.Prefs.Quiet}, time.Now()))
}

func (n *notifications) changePrefs(ctx context.Context, c *localhub.PrefsChange, what string) error {
	s, err := n.running(ctx)
	if err != nil {
		return err
	}
	c.Person = n.person
	p, err := s.ChangePrefs(ctx, c)
	if err != nil {
		return n.operated(s, what, err)
	}
	if n.json {
		return n.PrintJSON(p)
	}
	text := prefsText(p, time.Now())
	if text == "" {
		text = "Nothing is muted, and there are no quiet hours."
	}
	return n.Print(text)
}
