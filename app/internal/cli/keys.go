package cli

import (
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
		Short: "Create a key and print it",
		Long: `Create a key and print it. sayso stores only a checksum: it cannot show the key again.
A new key works within a second.`,
		Example: `  $ sayso keys create --role asker --for build-agent
  $ sayso keys create --role answerer --for alice --ttl 720h`,
		Args: console.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if role == "" {
				return console.Usage("keys create needs --role").Next("Use --role asker (for agents), answerer (for people), observer or admin.")
			}
			spec.Role, _ = auth.ParseRole(role) // the flag allows no other
			if err := auth.CheckTTL(spec.TTL); err != nil {
				return console.Usage("invalid value %q for --ttl", spec.TTL).Next("Use more than 0 and at most 8784h (366 days): sayso keys create --role %s --ttl 720h.", role)
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
		Use:     "list",
		Short:   "List the keys",
		Long:    "List the keys: id, role, tenant, name and validity. Secrets are not shown.",
		Example: "  $ sayso keys list",
		Args:    console.NoArgs,
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
		return "until " + k.Expires.Format(time.DateOnly) + ", more than 366 days: revoke it and create a new one"
	}
	return "until " + k.Expires.Format(time.DateOnly)
}

func (p *program) keysRevoke(security *string) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "Revoke a key",
		Long: `Revoke a key. The hub refuses it within a second. Questions and answers that were
given with it stay.`,
		Example: "  $ sayso keys revoke n7qk2v5xjd3ta",
		Args:    console.Arg("the id of a key", "Keys: sayso keys list."),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.withKeys(func(keys *auth.Keys) error {
				err := keys.Revoke(args[0])
				if errors.Is(err, auth.ErrNoKey) {
					return console.Fault("no key with id %q", args[0]).Next("%sKeys: sayso keys list.", console.DidYouMean(args[0], keyIDs(keys)))
				}
				if err != nil {
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

func keyIDs(keys *auth.Keys) (ids []string) {
	for _, k := range keys.List() {
		ids = append(ids, k.ID)
	}
	return ids
}
