package cli

import (
	"fmt"
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
		Short:   "Write the manual pages into a folder",
		Long: `Write the manual pages into a folder.

They carry a fixed date, or that of SOURCE_DATE_EPOCH.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			date := manDate
			if epoch := p.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
				n, err := strconv.ParseInt(epoch, 10, 64)
				if err != nil {
					return console.Usage("SOURCE_DATE_EPOCH: %w", err)
				}
				date = time.Unix(n, 0).UTC()
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("writing the pages: %w", err)
			}
			return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "sayso", Manual: "sayso", Date: &date}, args[0])
		},
	}
}
