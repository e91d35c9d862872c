package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/engine/natsstore"
)

func (p *program) auditCommand() *cobra.Command {
	cmd := &cobra.Command{
		GroupID: groupServer,
		Use:     "audit",
		Short:   "Export and check the audit",
		Long: `Export closed questions with their answers to files that nobody can change unnoticed,
and check such files. Each line has the checksum of the line before.

Export at least as often as the setting "keep" says: then closed questions leave the
archive.`,
		Example: `  $ sayso audit export ./audit
  $ sayso audit verify ./audit
  $ sayso audit tail`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	console.Add(cmd, p.auditExport(), p.auditVerify(), p.auditTail())
	return cmd
}

type auditView struct {
	Added int                   `json:"added"`
	Heads []natsstore.AuditHead `json:"heads"`
}

func lines(heads []natsstore.AuditHead) (n uint64) {
	for _, h := range heads {
		n += h.Lines
	}
	return n
}

func (p *program) auditExport() *cobra.Command {
	return &cobra.Command{
		Use:   "export DIR",
		Short: "Append closed questions to an audit",
		Long: `Append every closed question that the audit in the folder does not have yet. It goes on
where the last export ended, also after a crash or a restore.

With --json it prints the head of each shard. Keep that where nobody can change it: with
it, "sayso audit verify --head" notices an audit that was cut short or written anew.`,
		Example: `  $ sayso audit export ./audit
  $ sayso audit export ./audit --json`,
		Args: console.Arg("a folder", "Example: sayso audit export ./audit."),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := p.ownHub("audit export")
			if err != nil {
				return err
			}
			if err := p.started(cmd.Context(), s); err != nil {
				return err
			}
			added, heads, err := s.ExportAudit(cmd.Context(), args[0])
			if err != nil {
				return p.operated(s, "export the audit to "+args[0], err)
			}
			if p.json {
				return p.PrintJSON(auditView{added, list(heads)})
			}
			return p.Print(fmt.Sprintf("Exported %s to %s, which has %s now.", amount(uint64(added), "closed question", "closed questions"), args[0], amount(lines(heads), "line", "lines")))
		},
	}
}

func (p *program) auditVerify() *cobra.Command {
	var head string
	cmd := &cobra.Command{
		Use:   "verify DIR",
		Short: "Check the files of an audit",
		Long: `Check that no line of an audit was changed, removed, added or moved. It needs no hub.

With --head it also checks that the lines are still there that an earlier export has
printed with --json.`,
		Example: `  $ sayso audit verify ./audit`,
		Args:    console.Arg("the folder of an audit", "Example: sayso audit verify ./audit."),
		RunE: func(cmd *cobra.Command, args []string) error {
			var known auditView
			if head != "" {
				b, err := os.ReadFile(head)
				if err != nil {
					return console.Usage("cannot read %q: %s", head, reason(err)).Next("Name the file with the output of: sayso audit export DIR --json.")
				}
				if err := json.Unmarshal(b, &known); err != nil {
					return console.Usage("%q has no heads: %w", head, err).Next("Name the file with the output of: sayso audit export DIR --json.")
				}
			}
			heads, err := natsstore.VerifyAudit(args[0], known.Heads...)
			var changed *natsstore.AuditError
			switch {
			case errors.As(err, &changed):
				return console.Fault("%w", changed).Next("Compare it with another copy. Lines before it are as they were written.")
			case err != nil:
				return console.Fault("cannot check %s: %w", args[0], err)
			case len(heads) == 0:
				return console.Fault("%s has no audit", args[0]).Next("Export one: sayso audit export %s.", args[0])
			}
			if p.json {
				return p.PrintJSON(auditView{0, list(heads)})
			}
			return p.Print(fmt.Sprintf("The audit is as it was written: %s in %s.", amount(lines(heads), "line", "lines"), amount(uint64(len(heads)), "shard", "shards")))
		},
	}
	cmd.Flags().StringVar(&head, "head", "", "`file` with the heads of an earlier export")
	return cmd
}

func (p *program) auditTail() *cobra.Command {
	var follow bool
	count := 10
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Print the last closed questions",
		Long: `Print the last closed questions, one JSON object per line, and with --follow every
question that is closed from now on.`,
		Example: `  $ sayso audit tail --lines 3
  sayso audit tail --follow`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if count < 0 {
				return console.Usage("invalid value %q for --lines", strconv.Itoa(count)).Next("Use a number from 0: sayso audit tail --lines 3.")
			}
			s, err := p.ownHub("audit tail")
			if err != nil {
				return err
			}
			if err := p.started(cmd.Context(), s); err != nil {
				return err
			}
			err = s.TailAudit(cmd.Context(), count, follow, func(line json.RawMessage) error { return p.Print(string(line)) })
			if err != nil && cmd.Context().Err() == nil {
				return p.operated(s, "read the audit", err)
			}
			return err
		},
	}
	cmd.Flags().IntVar(&count, "lines", count, "how many of each shard")
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "wait for more")
	return cmd
}
