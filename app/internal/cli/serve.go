package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/saysohq/sayso/app/console"
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
	shards     int
	security   string
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
a TCP address, where every request needs a key (see "sayso keys").`,
		Example: `  $ sayso serve
  $ sayso serve --listen 127.0.0.1:7777 --web 127.0.0.1:7778`,
		Args: console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.serve(cmd.Context(), s) },
	}
	f := cmd.Flags()
	s.bind(f)
	f.BoolVar(&s.background, "background", false, "")
	f.MarkHidden("background")
	return cmd
}

// A server for many has its storage in parts, so that a read after a pause reads little.
const (
	serverShards = 16
	maxShards    = 64
)

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
	bind(f, "shards", &s.shards)
	bind(f, "max-connections", &s.most)
	bind(f, "security-log", &s.security)
}

func (p *program) serve(ctx context.Context, s *serving) error {
	places, err := localhub.PlacesOf(p.Getenv)
	if err != nil {
		return err
	}
	o := &localhub.ServeOptions{Places: places, Idle: s.idle, Listen: s.listen, Web: s.web, Proxied: s.proxy, Hosts: s.hosts, Version: console.Version(), Quota: s.quota.Quota, MaxConnections: s.most, SecurityLog: s.security}
	o.Engine = localhub.EngineOptions{Shards: s.shards, NewShards: 1}
	if s.listen != "" {
		o.Engine.NewShards = serverShards
	}
	if err := s.secure(o); err != nil {
		return err
	}
	o.Log = slog.New(slog.NewTextHandler(p.Err, nil))
	o.Ready = func(at *localhub.Serving) {
		p.Say("serving on %s", at.Socket)
		if at.URL != "" {
			p.Say("serving on %s; the token for this machine is in %s", at.URL, at.TokenFile)
		}
		if at.Web != "" {
			p.Say("serving the web inbox on %s; sign in with: sayso web", at.Web)
		}
	}
	o.Background = s.background
	if !s.background {
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

// quotaFlag reads the limits of credentials.
type quotaFlag struct{ httpapi.Quota }

func (*quotaFlag) String() string { return "" }
func (*quotaFlag) Type() string   { return "NAME=VALUE" }

// secure checks that what leaves the machine is encrypted.
func (s *serving) secure(o *localhub.ServeOptions) error {
	if s.shards < 0 || s.shards > maxShards {
		return console.Usage("invalid value \"%d\" for --shards", s.shards).Next("Use a number from 1 to %d, or leave out --shards.", maxShards)
	}
	if s.most < 0 {
		return console.Usage("invalid value \"%d\" for --max-connections", s.most).Next("Use a number from 1, or leave out --max-connections.")
	}
	if (s.cert == "") != (s.key == "") {
		return console.Usage("--tls-cert and --tls-key must be given together").Next("Example: sayso serve --listen 0.0.0.0:7777 --tls-cert cert.pem --tls-key key.pem.")
	}
	if s.cert != "" {
		pair, err := tls.LoadX509KeyPair(s.cert, s.key)
		if err != nil {
			return console.Usage("cannot read the certificate %q: %s", s.cert, reason(err)).Next("Check the PEM files of --tls-cert and --tls-key.")
		}
		o.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	for _, at := range []struct{ flag, address string }{{"--listen", s.listen}, {"--web", s.web}} {
		if at.address == "" {
			continue
		}
		host, _, err := net.SplitHostPort(at.address)
		if err != nil {
			return console.Usage("invalid value %q for %s", at.address, at.flag).Next("Use an address with a port: sayso serve %s 127.0.0.1:7777.", at.flag)
		}
		ip := net.ParseIP(host)
		encrypted := s.cert != "" || s.proxy
		if !encrypted && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
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
