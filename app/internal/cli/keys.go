package cli

import (
	"context"
	"errors"
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
		Short:   "Create, list and revoke keys",
		Long: `Create, list and revoke the keys of the hub on this machine. You need keys only for
a hub that listens on a TCP address (see "sayso serve").

A key has one role. An asker key is for agents: it can ask and can never answer. An
answerer key is for people. An observer sees how many questions are open, but neither
questions nor answers. An admin reads the metrics.`,
		Example: `  $ sayso keys create --role asker --for build-agent
  $ sayso keys list
  $ sayso keys revoke n7qk2v5xjd3ta`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var security string
	bind(cmd.PersistentFlags(), "security-log", &security)
	console.Add(cmd, p.keysCreate(&security), p.keysList(), p.keysRevoke(&security))
	return cmd
}

// withKeys calls do with the keys of the hub, or with the file that its first one
// takes over.
func (p *program) withKeys(ctx context.Context, do func(keys localhub.KeyStore, offline bool) error) error {
	s, err := p.ownHub("keys")
	if err != nil {
		return err
	}
	err = s.Keys(ctx, do)
	switch {
	case errors.Is(err, localhub.ErrOlder):
		return console.Fault("the hub that runs is of an older version, which has its keys in a file").Next("Restart it with this version: sayso restart.")
	case errors.Is(err, localhub.ErrNotYours):
		return notStopped(s, err)
	}
	return err
}

// noteKey writes to the security log what became of a key in the file: no hub runs
// that would. It is done, so a log that cannot be written is only told.
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
		p.Say("cannot write to the security log about key %s: %v", key.ID, err)
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
	Used    time.Time `json:"used,omitzero"`     // give or take an hour
	Long    bool      `json:"overlong,omitzero"` // it holds for longer than a new one can
	Key     string    `json:"key,omitempty"`     // only when it is made
}

func viewKey(k auth.Key, secret string) keyJSON {
	return keyJSON{k.ID, k.Role.String(), k.Tenant, k.Subject, k.Created, k.Expires, k.Revoked, k.Used, k.Overlong(), secret}
}

func (p *program) keysCreate(security *string) *cobra.Command {
	var spec auth.KeySpec
	var role string
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Create a key and print it",
		Long: `Create a key and print it. sayso stores only a checksum: it cannot show the key again.
It works at once, at every hub over the same storage.`,
		Example: `  $ sayso keys create --role asker --for build-agent
  $ sayso keys create --role answerer --for alice --ttl 720h`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if role == "" {
				return console.Usage("keys create needs --role").Next("Use --role asker (for agents), answerer (for people), observer or admin.")
			}
			spec.Role, _ = auth.ParseRole(role) // the flag allows no other
			if err := auth.CheckTTL(spec.TTL); err != nil {
				return console.Usage("invalid value %q for --ttl", spec.TTL).Next("Use more than 0 and at most 8784h (366 days): sayso keys create --role %s --ttl 720h.", role)
			}
			return p.withKeys(cmd.Context(), func(keys localhub.KeyStore, offline bool) error {
				secret, key, err := keys.Create(cmd.Context(), spec)
				if errors.Is(err, auth.ErrKeySpec) {
					return console.Usage("invalid value for --for or --tenant").Next("Use at most 128 printable bytes each.")
				}
				if err != nil {
					return err
				}
				if offline {
					p.noteKey(*security, securitylog.KeyCreated, key)
				}
				if p.json {
					return p.PrintJSON(viewKey(key, secret))
				}
				p.Say("Key %s for %s, until %s. Copy it now: it is not shown again.", key.ID, key.Subject, key.Expires.Format(time.DateOnly))
				return p.Print(secret)
			})
		},
	}
	cmd.Flags().Var(console.OneOf(&role, "role", "asker", "answerer", "observer", "admin"), "role", "role of the key (required)")
	cmd.Flags().StringVar(&spec.Subject, "for", "", "`name` of the person or agent (default: the key's id)")
	cmd.Flags().StringVar(&spec.Tenant, "tenant", localhub.Tenant, "`tenant` of the key")
	cmd.Flags().DurationVar(&spec.TTL, "ttl", 90*24*time.Hour, "how long the key is valid, at most 8784h (366 days)")
	cmd.RegisterFlagCompletionFunc("role", cobra.FixedCompletions([]string{"asker", "answerer", "observer", "admin"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (p *program) keysList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the keys",
		Long: `List the keys: id, role, tenant, name, validity and last use, give or take an hour.
Secrets are not shown.`,
		Example: "  $ sayso keys list",
		Args:    console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withKeys(cmd.Context(), func(keys localhub.KeyStore, _ bool) error {
				list, err := keys.List(cmd.Context())
				if err != nil {
					return err
				}
				views := []keyJSON{}
				for _, k := range list {
					views = append(views, viewKey(k, ""))
				}
				if p.json {
					return p.PrintJSON(map[string]any{"keys": views})
				}
				w := tabwriter.NewWriter(p.Out, 0, 4, 2, ' ', 0)
				for _, k := range views {
					row := []string{k.ID, k.Role, k.Tenant, k.Subject, keyState(k, time.Now()), lastUse(k)}
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
		return "until " + k.Expires.Format(time.DateOnly) + ", more than 366 days: revoke it and create a new one"
	}
	return "until " + k.Expires.Format(time.DateOnly)
}

func lastUse(k keyJSON) string {
	if k.Used.IsZero() {
		return "never used"
	}
	return "last used " + shortTime(k.Used)
}

func (p *program) keysRevoke(security *string) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "Revoke a key",
		Long: `Revoke a key. Every hub over the same storage refuses it within a second, and ends
its open connections. Questions and answers that were given with it stay.`,
		Example: "  $ sayso keys revoke n7qk2v5xjd3ta",
		Args:    console.Arg("the id of a key", "Keys: sayso keys list."),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withKeys(cmd.Context(), func(keys localhub.KeyStore, offline bool) error {
				key, err := keys.Revoke(cmd.Context(), args[0])
				if errors.Is(err, auth.ErrNoKey) {
					return console.Fault("no key with id %q", args[0]).Next("%sKeys: sayso keys list.", console.DidYouMean(args[0], keyIDs(cmd.Context(), keys)))
				}
				if err == nil && offline {
					p.noteKey(*security, securitylog.KeyRevoked, key)
				}
				return err
			})
		},
	}
}

func keyIDs(ctx context.Context, keys localhub.KeyStore) (ids []string) {
	list, _ := keys.List(ctx) // only for a hint
	for _, k := range list {
		ids = append(ids, k.ID)
	}
	return ids
}
