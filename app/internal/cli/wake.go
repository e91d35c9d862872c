package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
)

func (p *program) wakeCommand() *cobra.Command {
	cmd := &cobra.Command{
		GroupID: groupConnect,
		Use:     "wake",
		Short:   "Show how ended sessions are resumed",
		Long: `Show how sessions that have ended are resumed when you answer their question. You
say so in the section [wake] of the settings file, for each agent. Nothing runs
without it.`,
		Example: `  $ sayso wake
  $ sayso wake log`,
		Args: console.NoArgs,
		RunE: func(*cobra.Command, []string) error { return p.wake() },
	}
	var most int
	log := &cobra.Command{
		Use:   "log",
		Short: "List the sessions that were resumed",
		Long: `List the sessions that were resumed, the latest first: when, which agent and session,
for which question, and how it ended. With --json also where, by which command, and the
last lines that it printed.`,
		Example: "  $ sayso wake log\n  $ sayso wake log --json",
		Args:    console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if most < 1 {
				return console.Usage("invalid value \"%d\" for --limit", most).Next("Use a number from 1: sayso wake log --limit 20.")
			}
			return p.wakeLog(cmd.Context(), most)
		},
	}
	log.Flags().IntVar(&most, "limit", 20, "how many")
	console.Add(cmd, log)
	return cmd
}

func (p *program) wake() error {
	c, err := p.wakeConfig()
	if err != nil {
		return err
	}
	if p.json {
		return p.PrintJSON(map[string]any{"commands": c.Commands, "folders": append([]string{}, c.Folders...)})
	}
	if len(c.Commands) == 0 {
		p.Say("No command is configured, so no session is resumed. Add the section [wake] to %s.", p.settingsFile())
		return nil
	}
	var lines []string
	for _, agent := range slices.Sorted(maps.Keys(c.Commands)) {
		var words []string
		for _, w := range c.Commands[agent] {
			words = append(words, quoted(w))
		}
		lines = append(lines, fmt.Sprintf("%-8s %s", agent, strings.Join(words, " ")))
	}
	folders := strings.Join(c.Folders, ", ")
	if folders == "" {
		folders = "none, so nothing runs"
	}
	return p.Print(strings.Join(append(lines, fmt.Sprintf("%-8s %s", "folders", folders)), "\n"))
}

func quoted(word string) string {
	if word == "" || strings.ContainsAny(word, " \t\n\"'`$\\;|&<>()*?~#") {
		return strconv.Quote(word)
	}
	return word
}

func (p *program) wakeLog(ctx context.Context, most int) error {
	s, err := p.ownHub("wake")
	if err != nil {
		return err
	}
	if err := p.started(ctx, s); err != nil {
		return err
	}
	all, err := s.WakeLog(ctx, most)
	if err != nil {
		return p.operated(s, "read the log", err)
	}
	if p.json {
		return p.PrintJSON(map[string]any{"runs": all})
	}
	if len(all) == 0 {
		p.Say("No session was resumed yet.")
		return nil
	}
	c := &columns{head: []column{{title: "WHEN"}, {title: "AGENT"}, {title: "SESSION"}, {title: "QUESTION"}, {title: "STATE"}}}
	for _, r := range all {
		c.rows = append(c.rows, []string{clockTime(r.At), r.Agent, r.Session, r.Ask[:min(len(r.Ask), 11)], wakeState(r)})
	}
	return p.Print(c.fit(p.columns()))
}

func wakeState(r *localhub.WakeRun) string {
	switch {
	case r.Error != "":
		return "not started: " + r.Error
	case r.State == "failed":
		return fmt.Sprintf("failed (exit code %d)", r.Exit)
	}
	return r.State
}
