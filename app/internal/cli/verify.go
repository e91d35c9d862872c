package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
)

func (p *program) verifyCommand() *cobra.Command {
	return &cobra.Command{
		GroupID: groupServer,
		Use:     "verify [DIR]",
		Short:   "Check a backup or a state folder",
		Long: `Check a backup, or the state folder of a hub that does not run (default: yours). It
reads every record and every checksum, and changes nothing.

If something is damaged, it says what that means for your questions and exits with 1.`,
		Example: `  $ sayso verify
  $ sayso verify ./backup-1`,
		Args: console.MaybeArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			places, err := localhub.PlacesOf(p.Getenv)
			if err != nil {
				return err
			}
			dir := places.State
			if len(args) == 1 {
				dir = args[0]
			}
			return p.verify(cmd.Context(), dir)
		},
	}
}

type verifyView struct {
	Folder  string          `json:"folder"`
	Kind    string          `json:"kind"`
	Records uint64          `json:"records"`
	Bytes   int64           `json:"bytes"`
	Damage  []string        `json:"damage"`
	Harms   []localhub.Harm `json:"harms"`
	Notes   []string        `json:"notes"`
}

func (p *program) verify(ctx context.Context, dir string) error {
	c, err := localhub.Check(ctx, dir)
	if err != nil {
		return notChecked(dir, err)
	}
	v := verifyView{Folder: dir, Kind: "hub", Records: c.Records, Bytes: c.Bytes, Damage: list(c.Damage), Harms: list(c.Harms), Notes: list(c.Notes)}
	if c.Backup != nil || c.Records == 0 && c.Harms == nil && c.Damage != nil {
		v.Kind = "backup"
	}
	if b := c.Backup; b != nil {
		v.Records, v.Bytes = b.Tickets+b.Archived+b.Drafts, b.Bytes
	}
	if p.json {
		if err := p.PrintJSON(v); err != nil {
			return err
		}
	} else if err := p.Print(v.text(c)); err != nil {
		return err
	}
	switch {
	case len(v.Damage) == 0:
		return nil
	case v.Kind == "backup":
		return console.Fault("the backup %s is damaged", dir).Next("It cannot be restored. Use another copy of it, or an earlier backup.")
	}
	return console.Fault("the store in %s is damaged", dir).Next("Restore a backup into an empty folder (sayso restore), or go on without what is lost: sayso accept.")
}

func list[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

// text says what was checked and what is wrong.
func (v *verifyView) text(c *localhub.Checked) string {
	var b strings.Builder
	switch {
	case len(v.Damage) == 0 && c.Backup != nil:
		fmt.Fprintf(&b, "The backup is sound: %s, %s in the archive, %s, %s. It was taken %s.\n", amount(uint64(c.Backup.Tickets), "question", "questions"), digits(c.Backup.Archived),
			amount(uint64(c.Backup.Files), "file", "files"), byteSize(c.Backup.Bytes), shortTime(c.Backup.Taken))
	case len(v.Damage) == 0:
		fmt.Fprintf(&b, "The store is sound: %s with their checksums, %s.\n", amount(v.Records, "record", "records"), byteSize(v.Bytes))
	default:
		b.WriteString("Damaged:\n")
		for _, d := range v.Damage {
			fmt.Fprintf(&b, "  %s\n", d)
		}
	}
	b.WriteString(harmText(v.Harms))
	for _, n := range v.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// harmText says what is lost, one line for each record.
func harmText(harms []localhub.Harm) string {
	if len(harms) == 0 {
		return ""
	}
	var b strings.Builder
	lost, unknown := 0, false
	for _, h := range harms {
		if h.Lost {
			lost++
		}
		unknown = unknown || h.Unknown
	}
	fmt.Fprintf(&b, "What that means: %s lost", amount(uint64(lost), "question is", "questions are"))
	if unknown {
		b.WriteString(", and more that cannot be told")
	}
	b.WriteString(".\n")
	for _, h := range harms {
		fmt.Fprintf(&b, "  %s (%s", h.Text, h.Stream)
		if h.Revision > 0 {
			fmt.Fprintf(&b, ", revision %d", h.Revision)
		}
		b.WriteString(")\n")
	}
	return b.String()
}

// notChecked says why a folder could not be read.
func notChecked(dir string, err error) error {
	switch {
	case errors.Is(err, localhub.ErrNoData):
		return console.Fault("%s is %w", dir, err).Next("Name the folder of a backup, or a state folder such as ~/.local/state/sayso.")
	case localhub.IsServed(err):
		return console.Fault("a hub is using %s", dir).Next("Stop it first: sayso stop. It checked the folder itself when it started.")
	}
	return console.Fault("cannot read %s: %w", dir, err)
}

func (p *program) acceptCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		GroupID: groupServer,
		Use:     "accept",
		Short:   "Go on without damaged records",
		Long: `Make a damaged store one that your hub can serve, without the records that are lost.
It shows what is lost first and asks before it changes anything. The damaged files go
to a quarantine folder. If you have a backup, restore that instead.

Stop the hub first. A node of a cluster needs no accept: move its folder away and start
it empty, and it gets everything from the others.`,
		Example: `  $ sayso accept`,
		Args:    console.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.accept(cmd.Context(), yes) },
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "accept without asking")
	return cmd
}

func (p *program) accept(ctx context.Context, yes bool) error {
	places, err := localhub.PlacesOf(p.Getenv)
	if err != nil {
		return err
	}
	c, err := localhub.Check(ctx, places.Engine())
	switch {
	case errors.Is(err, localhub.ErrNoData):
		c, err = &localhub.Checked{}, nil
	case err != nil:
		return notChecked(places.State, err)
	}
	if len(c.Damage) == 0 {
		if p.json {
			return p.PrintJSON(map[string]any{"accepted": false, "harms": list(c.Harms)})
		}
		return p.Print("Nothing is damaged.")
	}
	node := places.Node()
	v := verifyView{Damage: c.Damage, Harms: c.Harms, Notes: c.Notes}
	if !p.json {
		if err := p.Print(v.text(c)); err != nil {
			return err
		}
		if node != "" {
			p.Say("This is node %s of a cluster. While the other nodes run, nothing is lost if you start it empty instead:\n  mv %s %[2]s.damaged", node, places.Engine())
		}
	}
	if !yes && !p.confirm("Go on without these records?") {
		return console.Fault("nothing was changed").Next("To go on without these records: sayso accept --yes.")
	}
	quarantine, err := places.Accept(ctx)
	if err != nil {
		return console.Fault("cannot accept the damage: %w", err)
	}
	if p.json {
		return p.PrintJSON(map[string]any{"accepted": true, "harms": list(c.Harms), "quarantine": quarantine})
	}
	return p.Print("Accepted. The damaged files are in " + quarantine + "\nThe hub can start again.")
}
