package cli

import (
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/saysohq/sayso/app/console"
)

// manDate is what the manual pages carry, so that the same source gives the same
// pages.
var manDate = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func (p *program) manCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		GroupID: groupHelp,
		Use:     "man FOLDER",
		Short:   "Write manual pages",
		Long: `Write manual pages into a folder. They have a fixed date, or the date of
SOURCE_DATE_EPOCH, so the same version writes the same pages.`,
		Example: "  $ sayso man manual",
		Args:    console.Arg("a folder", ""),
		RunE: func(_ *cobra.Command, args []string) error {
			date := manDate
			if epoch := p.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
				n, err := strconv.ParseInt(epoch, 10, 64)
				if err != nil {
					return console.Usage("invalid value %q for SOURCE_DATE_EPOCH", epoch).Next("Use seconds since 1970: SOURCE_DATE_EPOCH=1767225600 sayso man %s.", args[0])
				}
				date = time.Unix(n, 0).UTC()
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return console.Fault("cannot write to %q: %s", args[0], reason(err)).Next("Name another folder: sayso man FOLDER.")
			}
			return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "sayso", Manual: "sayso", Date: &date}, args[0])
		},
	}
}
