package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/surface/words"
	"github.com/saysohq/sayso/hub"
)

// preferencesGiven is what the flags of preferences say; empty is not said.
type preferencesGiven struct{ grace, language, zone string }

func (p *program) preferencesCommand() *cobra.Command {
	var g preferencesGiven
	cmd := &cobra.Command{
		GroupID: groupAnswer,
		Use:     "preferences",
		Short:   "Show or change your preferences",
		Long: `Show or change your preferences. They are kept in the hub and hold for you in every
terminal and browser. The settings of this machine are in config.toml: see
"sayso help config".

The grace period is how long an answer is held before the agent gets it: until then
you can always undo it. Without one, it is 5 seconds in the browser and in the inbox
of the terminal.`,
		Example: `  $ sayso preferences
  $ sayso preferences --grace 10s
  $ sayso preferences --language de --zone Europe/Berlin
  $ sayso preferences --grace default`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.preferences(cmd.Context(), &g) },
	}
	cmd.Flags().StringVar(&g.grace, "grace", "", "how long an answer is held (`duration`): 0s to 30s, or default")
	cmd.Flags().StringVar(&g.language, "language", "", "`language` of the inbox: en, de, ar (in the browser), or default")
	cmd.Flags().StringVar(&g.zone, "zone", "", "time `zone` of times, for example Europe/Berlin, or default")
	return cmd
}

func (p *program) preferences(ctx context.Context, g *preferencesGiven) error {
	c, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	desk := c.Inbox().(hub.Desk)
	prefs, err := desk.Preferences(ctx)
	if err != nil {
		return err
	}
	if *g != (preferencesGiven{}) {
		if err := g.apply(prefs); err != nil {
			return err
		}
		if err := desk.SetPreferences(ctx, prefs); err != nil {
			return err
		}
	}
	if p.json {
		return p.PrintJSON(prefs)
	}
	grace := unset
	if prefs.Grace != nil {
		grace = fmt.Sprintf("%ds", *prefs.Grace)
	}
	return p.Print(fmt.Sprintf("grace     %s\nlanguage  %s\nzone      %s\n", grace, cmp.Or(prefs.Language, unset), cmp.Or(prefs.Zone, unset)))
}

// unset stands for a preference that is not chosen, and takes one back.
const unset = "default"

// languages are the tags of those that the surfaces speak.
func languages() (tags []string) {
	for _, l := range words.Languages() {
		tags = append(tags, l.Tag)
	}
	return tags
}

// apply changes what the flags say.
func (g *preferencesGiven) apply(prefs *hub.Preferences) error {
	switch g.grace {
	case "":
	case unset:
		prefs.Grace = nil
	default:
		d, err := time.ParseDuration(g.grace)
		if err != nil || d < 0 || d > hub.MaxGrace*time.Second || d%time.Second != 0 {
			return console.Usage("cannot hold answers for %q", g.grace).Next("Use whole seconds from 0s to 30s: sayso preferences --grace 10s")
		}
		seconds := int(d / time.Second)
		prefs.Grace = &seconds
	}
	for _, one := range []struct {
		said string
		kept *string
	}{{g.language, &prefs.Language}, {g.zone, &prefs.Zone}} {
		switch one.said {
		case "":
		case unset:
			*one.kept = ""
		default:
			*one.kept = one.said
		}
	}
	if _, ok := words.Known(g.language); !ok && g.language != "" && g.language != unset {
		return console.Usage("unknown language %q", g.language).Next("Use %s or default: sayso preferences --language en", strings.Join(languages(), ", "))
	}
	if _, err := time.LoadLocation(prefs.Zone); err != nil || prefs.Zone == "Local" {
		return console.Usage("unknown time zone %q", prefs.Zone).Next("Use a name such as Europe/Berlin: sayso preferences --zone Europe/Berlin")
	}
	return nil
}
