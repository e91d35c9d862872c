package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
)

func (p *program) backupCommand() *cobra.Command {
	return &cobra.Command{
		GroupID: groupServer,
		Use:     "backup DIR",
		Short:   "Back up the hub to a folder",
		Long: `Back up your hub to a new folder, while it goes on: every question and answer, the
archive, drafts and keys. Sessions of browsers are left out.

Everything that was stored before the backup began is in it. Each file has a checksum.
The files hold questions, answers and secrets: keep the folder private.`,
		Example: `  $ sayso backup ./backup-1
  $ sayso verify ./backup-1`,
		Args: console.Arg("a folder", "Example: sayso backup ./backup-1."),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := p.ownHub("backup")
			if err != nil {
				return err
			}
			if err := p.started(cmd.Context(), s); err != nil {
				return err
			}
			done, err := s.Backup(cmd.Context(), args[0])
			if err != nil {
				return p.operated(s, "back up to "+args[0], err)
			}
			if p.json {
				return p.PrintJSON(backupJSON(args[0], done))
			}
			return p.Print(fmt.Sprintf("Backed up %s to %s in %s.\nCheck it: sayso verify %[2]s", contents(done), args[0], seconds(done.Took)))
		},
	}
}

func (p *program) restoreCommand() *cobra.Command {
	return &cobra.Command{
		GroupID: groupServer,
		Use:     "restore DIR",
		Short:   "Restore a backup into an empty hub",
		Long: `Restore a backup into your hub, which must be running and empty. It can have another
shape than the hub that was backed up: one node, a node of a cluster, or a gateway of
a NATS cluster. Shards come from the backup, replicas from the hub.

The hub and all others on the same storage open it again by themselves. Restored keys
replace those of the empty hub. Revoke again what you revoked since the backup.`,
		Example: `  $ sayso restore ./backup-1`,
		Args:    console.Arg("the folder of a backup", "Example: sayso restore ./backup-1."),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := p.ownHub("restore")
			if err != nil {
				return err
			}
			if err := p.started(cmd.Context(), s); err != nil {
				return err
			}
			done, err := s.Restore(cmd.Context(), args[0])
			if err != nil {
				return p.operated(s, "restore "+args[0], err)
			}
			if p.json {
				return p.PrintJSON(backupJSON(args[0], done))
			}
			return p.Print(fmt.Sprintf("Restored %s from %s in %s. The backup is of %s.", contents(done), args[0], seconds(done.Took), done.Taken.Local().Format("2006-01-02 15:04:05")))
		},
	}
}

// started starts the hub if it is not running.
func (p *program) started(ctx context.Context, s *localhub.Starter) error {
	conn, err := s.Dial(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", sayso.ErrUnreachable, err)
	}
	return conn.Close()
}

// operated says why the hub did not do what an operator asked for.
func (p *program) operated(s *localhub.Starter, what string, err error) error {
	var says *localhub.OperatorError
	switch {
	case errors.As(err, &says):
		return console.Fault("cannot %s: %s", what, says.Text).Next("%s", says.Hint)
	case errors.Is(err, localhub.ErrNotRunning):
		return console.Fault("cannot %s: no hub is running", what).Next("Start it: sayso serve, or sayso restart.")
	case errors.Is(err, localhub.ErrNotYours):
		return notStopped(s, err)
	case errors.Is(err, localhub.ErrOlder):
		return console.Fault("cannot %s: the hub is of an older version, which does not know this command", what).Next("Restart it with this version: sayso restart.")
	}
	return console.Fault("cannot %s: %w", what, err)
}

type backupView struct {
	Folder   string    `json:"folder"`
	Taken    time.Time `json:"taken"`
	Shards   int       `json:"shards"`
	Tickets  uint64    `json:"questions"`
	Archived uint64    `json:"archived"`
	Drafts   uint64    `json:"drafts"`
	Files    int       `json:"files"`
	Bytes    int64     `json:"bytes"`
	Seconds  float64   `json:"seconds"`
}

func backupJSON(dir string, b *localhub.Backup) backupView {
	return backupView{dir, b.Taken, b.Shards, b.Tickets, b.Archived, b.Drafts, b.Files, b.Bytes, b.Took.Seconds()}
}

// contents says what a backup has.
func contents(b *localhub.Backup) string {
	return fmt.Sprintf("%s and %s in the archive (%s, %s, %s)", amount(b.Tickets, "question", "questions"), digits(b.Archived),
		amount(uint64(b.Shards), "shard", "shards"), amount(uint64(b.Files), "file", "files"), byteSize(b.Bytes))
}

func amount(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return digits(n) + " " + many
}

// digits writes 10834 as 10,834.
func digits[T uint64 | int64 | int](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func byteSize(bytes int64) string {
	switch {
	case bytes < 10_000:
		return digits(bytes) + " bytes"
	case bytes < 10_000_000:
		return digits(bytes/1000) + " kB"
	}
	return digits(bytes/1_000_000) + " MB"
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s" }
