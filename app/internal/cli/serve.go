package cli

import (
	"context"
	"errors"
	"net"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/door/codex"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
)

// idleByDefault is when a hub in the background ends.
const idleByDefault = 10 * time.Minute

// serving is one run of serve.
type serving struct {
	listen     string
	web        string
	hosts      []string
	cert, key  string
	proxy      bool
	idle       time.Duration
	quota      quotaFlag
	background bool
	most       int
	security   string
	drain      drainFlag
	metrics    string
	notify     localhub.NotifyOptions
	codex      string
	logging    logging
	storage    storage
}

func (p *program) serveCommand() *cobra.Command {
	s := &serving{}
	cmd := &cobra.Command{
		GroupID: groupServer,
		Use:     "serve",
		Short:   "Run the hub as a server",
		Long: `Run the hub in the foreground, for a server. On your own machine you do not need
this: the first command that needs a hub starts it in the background.

The hub listens on a socket that only you can use. With --listen it also listens on
a TCP address, where every request needs a key (see "sayso keys").

The storage is in this process. With --node the process is one of several nodes,
each with a copy of the storage. With --nats the storage is on NATS servers that you
run, and you can start as many hubs on it as you need. Every setting: sayso help config.`,
		Example: `  $ sayso serve
  $ sayso serve --listen 127.0.0.1:7777 --web 127.0.0.1:7778`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.serve(cmd.Context(), s, cmd.Flags()) },
	}
	f := cmd.Flags()
	s.bind(f)
	f.BoolVar(&s.background, "background", false, "")
	f.MarkHidden("background")
	return cmd
}

// connectsCodex reports whether the hub connects the Codex of this machine: one that
// serves others is not for the agents of a person.
func (s *serving) connectsCodex(o *localhub.ServeOptions) bool {
	switch s.codex {
	case "always":
		return true
	case "never":
		return false
	}
	return s.listen == "" && o.Engine.NATS == nil && o.Engine.Cluster == nil
}

// bind makes the flags, each of which is also a setting.
func (s *serving) bind(f *pflag.FlagSet) {
	bind(f, "listen", &s.listen)
	bind(f, "web", &s.web)
	bind(f, "host", &s.hosts)
	bind(f, "tls-cert", &s.cert)
	bind(f, "tls-key", &s.key)
	bind(f, "behind-proxy", &s.proxy)
	bind(f, "idle", &s.idle)
	bind(f, "quota", &s.quota)
	bind(f, "max-connections", &s.most)
	bind(f, "security-log", &s.security)
	bind(f, "drain", &s.drain)
	bind(f, "metrics", &s.metrics)
	bind(f, "notify-command", &s.notify.Command)
	bind(f, "notify-allow", &s.notify.Allow)
	bind(f, "push-contact", &s.notify.Contact)
	bind(f, "connect-codex", &s.codex)
	s.logging.bind(f)
	s.storage.bind(f)
}

func (p *program) serve(ctx context.Context, s *serving, flags *pflag.FlagSet) error {
	places, err := localhub.PlacesOf(p.Getenv)
	if err != nil {
		return err
	}
	o := &localhub.ServeOptions{Places: places, Idle: s.idle, Listen: s.listen, Web: s.web, Proxied: s.proxy, Hosts: s.hosts, Version: console.Version(), Quota: s.quota.Quota, MaxConnections: s.most, SecurityLog: s.security}
	if err := s.secure(o); err != nil {
		return err
	}
	if err := s.storage.engine(&o.Engine, s.listen != ""); err != nil {
		return err
	}
	o.Certificates = s.certificates(o.Certificates)
	o.Log = s.logging.open(p.Err)
	o.Notify, o.Notify.Getenv = s.notify, p.Getenv
	o.Wake = p.wakeConfig
	o.Drain, o.Metrics = s.drainFor(), s.metrics
	if s.connectsCodex(o) {
		o.Codex = localhub.CodexOptions{Home: codex.Home(p.Getenv), Place: workplace}
	}
	var wanted <-chan os.Signal
	o.Again, wanted = p.signals.serve()
	o.Reload = &localhub.Reload{Wanted: wanted, Read: p.reloading(s, flags, o)}
	o.Ready = func(at *localhub.Serving) {
		p.Say("serving on %s", at.Socket)
		if at.URL != "" {
			p.Say("serving on %s; the token for this machine is in %s", at.URL, at.TokenFile)
		}
		if at.Web != "" {
			p.Say("serving the web inbox on %s; sign in with: sayso web", at.Web)
		}
	}
	o.Background, o.Now = s.background, p.Now
	if !s.background {
		o.Manager = localhub.ManagerOf(p.Getenv)
		return localhub.Serve(ctx, o)
	}
	// The one that started us reads a line from file 3: empty, or what is wrong.
	if o.Idle == 0 {
		o.Idle = idleByDefault
	}
	ready := os.NewFile(3, "ready")
	defer ready.Close()
	say := func(text string) { ready.WriteString(text + "\n"); ready.Close() }
	o.Ready = func(*localhub.Serving) { say("") }
	err = localhub.Serve(ctx, o)
	if errors.Is(err, localhub.ErrRunning) {
		err = nil // that is as good
	}
	if err == nil {
		say("")
	} else {
		say(err.Error())
	}
	return err
}

// certificates adds those of the storage, if there are any.
func (s *serving) certificates(all []*localhub.Certificate) []*localhub.Certificate {
	for _, f := range []*tlsFiles{&s.storage.clusterTLS, &s.storage.natsTLS} {
		if f.loaded != nil {
			all = append(all, f.loaded)
		}
	}
	return all
}

// quotaFlag reads the limits of credentials.
type quotaFlag struct{ httpapi.Quota }

func (*quotaFlag) String() string { return "" }
func (*quotaFlag) Type() string   { return "NAME=VALUE" }

// secure checks that what leaves the machine is encrypted.
func (s *serving) secure(o *localhub.ServeOptions) error {
	if s.most < 0 {
		return console.Usage("invalid value \"%d\" for --max-connections", s.most).Next("Use a number from 1, or leave out --max-connections.")
	}
	if (s.cert == "") != (s.key == "") {
		return console.Usage("--tls-cert and --tls-key must be given together").Next("Example: sayso serve --listen 0.0.0.0:7777 --tls-cert cert.pem --tls-key key.pem.")
	}
	if s.cert != "" {
		pair, err := localhub.LoadCertificate("tls-cert", s.cert, s.key)
		if err != nil {
			return console.Usage("cannot read the certificate %q: %s", s.cert, reason(err)).Next("Check the PEM files of --tls-cert and --tls-key.")
		}
		o.TLS, o.Certificates = pair.Config(), append(o.Certificates, pair)
	}
	if s.metrics != "" {
		if _, _, err := net.SplitHostPort(s.metrics); err != nil {
			return console.Usage("invalid value %q for --metrics", s.metrics).Next("Use an address with a port: sayso serve --metrics 127.0.0.1:9464.")
		}
	}
	for _, at := range []struct{ flag, address string }{{"--listen", s.listen}, {"--web", s.web}} {
		if at.address == "" {
			continue
		}
		if _, _, err := net.SplitHostPort(at.address); err != nil {
			return console.Usage("invalid value %q for %s", at.address, at.flag).Next("Use an address with a port: sayso serve %s 127.0.0.1:7777.", at.flag)
		}
		encrypted := s.cert != "" || s.proxy
		if !encrypted && !loopback(at.address) {
			return console.Usage("%s %s can be reached from other machines without TLS", at.flag, at.address).
				Next("Add --tls-cert and --tls-key, or --behind-proxy. For this machine only: sayso serve %s 127.0.0.1:7777.", at.flag)
		}
		if encrypted && at.flag == "--web" {
			if err := s.named(); err != nil {
				return err
			}
		}
	}
	return nil
}

// named checks that the web inbox has a name of its own. A browser shows a cookie of
// this machine's name to every port of the machine, and so to its other users.
func (s *serving) named() error {
	if len(s.hosts) == 0 {
		return console.Usage("--web %s with TLS needs the name that browsers use", s.web).Next("Add it with --host, for example: sayso serve --web %s --host hub.example.", s.web)
	}
	if i := slices.IndexFunc(s.hosts, ofThisMachine); i >= 0 {
		return console.Usage("invalid value %q for --host: browsers send the cookies of this machine's own name to every port", s.hosts[i]).
			Next("Use a DNS name with --host, or leave out TLS: sayso serve --web 127.0.0.1:7778.")
	}
	return nil
}
