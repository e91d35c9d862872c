package cli

import (
	"fmt"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
	"github.com/saysohq/sayso/app/securitylog"
)

func (p *program) keysCommand() *cobra.Command {
	cmd := &cobra.Command{
		GroupID: groupServer,
		Use:     "keys",
		Short:   "Make, list and revoke the keys of the hub on this machine",
		Long: `Make, list and revoke the keys of the hub on this machine.

A key has one role: an asker asks and cannot answer, an answerer answers, an
observer sees what waits but neither questions nor answers, an admin reads the
metrics.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var security string
	bind(cmd.PersistentFlags(), "security-log", &security)
	cmd.AddCommand(p.keysCreate(&security), p.keysList(), p.keysRevoke(&security))
	return cmd
}

// withKeys opens the file of keys. A hub that runs follows its changes.
func (p *program) withKeys(do func(*auth.Keys) error) error {
	places, err := localhub.PlacesOf(p.Getenv)
	if err != nil {
		return err
	}
	keys, err := auth.OpenKeys(places.Keys(), nil)
	if err != nil {
		return err
	}
	defer keys.Close()
	return do(keys)
}

// noteKey writes to the security log what became of a key. That is done, so a log
// that cannot be written is only told.
func (p *program) noteKey(setting string, what securitylog.Name, key auth.Key) {
	places, err := localhub.PlacesOf(p.Getenv)
	if err == nil {
		var log *securitylog.Log
		if log, err = localhub.OpenSecurityLog(places, setting, slog.New(slog.NewTextHandler(p.Err, nil))); err == nil {
			log.Note(securitylog.Event{Name: what, Tenant: key.Tenant, Key: key.ID, Role: key.Role.String()})
			err = localhub.CloseSecurityLog(log)
		}
	}
	if err != nil {
		p.Say("the security log has no line about key %s: %v", key.ID, err)
	}
}

type keyJSON struct {
	ID      string    `json:"id"`
	Role    string    `json:"role"`
	Tenant  string    `json:"tenant"`
	Subject string    `json:"subject"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires"`
	Revoked time.Time `json:"revoked,omitzero"`
	Long    bool      `json:"overlong,omitzero"` // it holds for longer than a new one can
	Key     string    `json:"key,omitempty"`     // only when it is made
}

func viewKey(k auth.Key, secret string) keyJSON {
	return keyJSON{k.ID, k.Role.String(), k.Tenant, k.Subject, k.Created, k.Expires, k.Revoked, k.Overlong(), secret}
}

func (p *program) keysCreate(security *string) *cobra.Command {
	var spec auth.KeySpec
	var role string
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Make a key and print it, once",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			var err error
			if spec.Role, err = auth.ParseRole(role); err != nil {
				return console.Usage("--role: %w", err)
			}
			if err := auth.CheckTTL(spec.TTL); err != nil {
				return console.Usage("--ttl: %w", err)
			}
			return p.withKeys(func(keys *auth.Keys) error {
				secret, key, err := keys.Create(spec)
				if err != nil {
					return err
				}
				p.noteKey(*security, securitylog.KeyCreated, key)
				if p.json {
					return p.PrintJSON(viewKey(key, secret))
				}
				p.Say("key %s for %s, until %s; it is not shown again", key.ID, key.Subject, key.Expires.Format(time.DateOnly))
				return p.Print(secret)
			})
		},
	}
	cmd.Flags().StringVar(&role, "role", "", "asker, answerer, observer or admin")
	cmd.Flags().StringVar(&spec.Subject, "for", "", "the person who answers, or the agent that asks (default: the key's id)")
	cmd.Flags().StringVar(&spec.Tenant, "tenant", localhub.Tenant, "whose asks it is for")
	cmd.Flags().DurationVar(&spec.TTL, "ttl", 90*24*time.Hour, "how long it holds, at most 8784h (366 days)")
	cmd.RegisterFlagCompletionFunc("role", cobra.FixedCompletions([]string{"asker", "answerer", "observer", "admin"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (p *program) keysList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the keys, without their secrets",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return p.withKeys(func(keys *auth.Keys) error {
				views := []keyJSON{}
				for _, k := range keys.List() {
					views = append(views, viewKey(k, ""))
				}
				if p.json {
					return p.PrintJSON(map[string]any{"keys": views})
				}
				w := tabwriter.NewWriter(p.Out, 0, 4, 2, ' ', 0)
				for _, k := range views {
					row := []string{k.ID, k.Role, k.Tenant, k.Subject, keyState(k, time.Now())}
					fmt.Fprintln(w, strings.Join(row, "\t"))
				}
				return w.Flush()
			})
		},
	}
}

func keyState(k keyJSON, now time.Time) string {
	switch {
	case !k.Revoked.IsZero():
		return "revoked " + k.Revoked.Format(time.DateOnly)
	case now.After(k.Expires):
		return "expired " + k.Expires.Format(time.DateOnly)
	case k.Long:
		return "until " + k.Expires.Format(time.DateOnly) + ", which is more than 366 days: revoke it and make a new one"
	}
	return "until " + k.Expires.Format(time.DateOnly)
}

func (p *program) keysRevoke(security *string) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "Revoke a key; within a second it is refused",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.withKeys(func(keys *auth.Keys) error {
				if err := keys.Revoke(args[0]); err != nil {
					return err
				}
				for _, key := range keys.List() {
					if key.ID == args[0] {
						p.noteKey(*security, securitylog.KeyRevoked, key)
					}
				}
				return nil
			})
		},
	}
}
