package cli

import (
	"fmt"
	"net"
	"slices"

	"github.com/spf13/pflag"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
)

// live are the settings that a running hub takes over.
var live = []string{"quota", "host", "drain", "log-level", "tls-cert", "tls-key"}

// reloading returns a function that reads the settings again. What was given as a
// flag stays; the environment of a process does not change; so it is the file that
// counts.
func (p *program) reloading(s *serving, given *pflag.FlagSet, o *localhub.ServeOptions) func() (*localhub.Settings, error) {
	before := valuesOf(given, s)
	return func() (*localhub.Settings, error) {
		next := &serving{}
		flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
		next.bind(flags)
		var err error
		given.Visit(func(f *pflag.Flag) { // only what the command line set
			if flags.Lookup(f.Name) == nil || err != nil {
				return
			}
			err = copyFlag(flags, f, s, next)
		})
		if err == nil {
			err = p.configure(flags)
		}
		if err == nil {
			err = next.secure(&localhub.ServeOptions{})
		}
		if err != nil {
			return nil, withHint(err)
		}
		now := valuesOf(flags, next)
		r := &localhub.Settings{Quota: next.quota.Quota, Hosts: next.hosts, Drain: next.drainFor()}
		for _, one := range options() {
			if flags.Lookup(one.name) != nil && before[one.name] != now[one.name] {
				r.Changed = append(r.Changed, one.name)
				if !slices.Contains(live, one.name) || next.cert == "" != (s.cert == "") && (one.name == "tls-cert" || one.name == "tls-key") {
					r.Restart = append(r.Restart, one.name)
				}
			}
		}
		if len(o.Certificates) > 0 && next.cert != "" && (next.cert != s.cert || next.key != s.key) {
			if _, err := o.Certificates[0].Reload(next.cert, next.key); err != nil {
				return nil, err
			}
		}
		s.logging.set(next.logging.level)
		for _, name := range live { // the others are told of until somebody restarts the hub
			before[name] = now[name]
		}
		return r, nil
	}
}

// copyFlag gives a flag of the command line to the settings that are read again.
func copyFlag(to *pflag.FlagSet, f *pflag.Flag, from, next *serving) error {
	if f.Name == "quota" {
		next.quota = from.quota
		to.Lookup(f.Name).Changed = true
		return nil
	}
	if list, ok := f.Value.(pflag.SliceValue); ok {
		to.Lookup(f.Name).Changed = true
		return to.Lookup(f.Name).Value.(pflag.SliceValue).Replace(list.GetSlice())
	}
	return to.Set(f.Name, f.Value.String())
}

// valuesOf returns the value of every setting of a server, to compare.
func valuesOf(flags *pflag.FlagSet, s *serving) map[string]string {
	all := map[string]string{}
	for _, o := range options() {
		if f := flags.Lookup(o.name); f != nil {
			all[o.name] = f.Value.String()
		}
	}
	all["quota"] = fmt.Sprintf("%+v", s.quota.Quota)
	return all
}

// withHint puts what to do into the error: a log has one line for it.
func withHint(err error) error {
	if hint := console.Hint(err); hint != "" {
		return fmt.Errorf("%w. %s", err, hint)
	}
	return err
}

// loopback reports whether only this machine reaches the address.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}
