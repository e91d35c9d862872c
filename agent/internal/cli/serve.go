package cli

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent/internal/convapi"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/app/surface/web"
	"github.com/saysohq/sayso/hub"
)

// serving is one run of serve.
type serving struct {
	listen string
	web    string
}

func (p *program) serveCommand() *cobra.Command {
	var s serving
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve conversations over HTTP",
		Long: `Serve conversations over HTTP to programs on this machine. They start conversations,
send messages, follow events, answer questions and cancel.

Every request needs the key: the one in SAYSO_AGENT_KEY, or the one in the file that
the command prints.

With --hub none, the API of a hub is served as well, and with --web the inbox for a
browser. Otherwise questions are answered at your hub.`,
		Example: "  sayso-agent serve --listen 127.0.0.1:7780 --web 127.0.0.1:7779",
		Args:    console.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := console.Interruptible(cmd.Context(), p.signals)
			defer stop()
			err := p.serve(ctx, &s)
			if errors.Is(context.Cause(ctx), console.ErrInterrupted) {
				return nil // that is how a server ends
			}
			return err
		},
	}
	cmd.Flags().StringVar(&s.listen, "listen", "127.0.0.1:0", "`address` to listen on, of this machine only")
	cmd.Flags().StringVar(&s.web, "web", "", "serve the web inbox on an `address`, for example 127.0.0.1:7779")
	return cmd
}

func (p *program) serve(ctx context.Context, s *serving) error {
	d, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	if s.web != "" && d.hub == nil {
		return console.Usage("--web: questions wait at your hub, which has an inbox of its own").
			Next("Open it with: sayso web\nTo serve one here instead: sayso-agent serve --hub none --web %s", s.web)
	}
	person := auth.Principal{Tenant: tenant, Role: auth.Everything, Assurance: sayso.AssuranceLocal}
	key, err := p.serveKey(d, person)
	if err != nil {
		return err
	}
	o := convapi.Options{Host: d.Host, Auth: key, NewID: newID, Send: d.sendAs, Placed: d.placed}
	if d.hub != nil {
		api, err := httpapi.New(d.hub, &httpapi.Options{Auth: key, OneAsker: true})
		if err != nil {
			return err
		}
		defer api.Close()
		o.Hub = api
	}
	ln, err := loopback(s.listen)
	if err != nil {
		return err
	}
	servers := []*http.Server{server(convapi.New(o))}
	listeners := []net.Listener{ln}
	p.Say("serving conversations on http://%s", ln.Addr())
	if s.web != "" {
		all, err := web.ListenLocal(s.web)
		if err != nil {
			ln.Close()
			return console.Usage("cannot listen on --web %s: %w", s.web, err).Next("Use an address of this machine: sayso-agent serve --web 127.0.0.1:7779.")
		}
		name := web.LocalName()
		sessions := auth.NewSessions(hub.NewMemory(nil), nil) // they end with this process
		defer sessions.Close()
		site := web.New(d.hub, sessions, &web.Options{Hosts: []string{name}, Only: true})
		reader := person
		reader.Role = auth.Answerer
		inbox := server(site)
		for _, in := range all {
			servers, listeners = append(servers, inbox), append(listeners, in)
		}
		_, port, _ := net.SplitHostPort(all[0].Addr().String())
		link, err := site.LoginLink(ctx, "http://"+net.JoinHostPort(name, port), &reader)
		if err != nil {
			return err
		}
		p.Say("serving the inbox; open %s", link)
	}
	return run(ctx, servers, listeners)
}

// server serves requests that may be streams.
func server(h http.Handler) *http.Server {
	ctx, stop := context.WithCancel(context.Background())
	s := &http.Server{
		Handler: h, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 32 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	s.RegisterOnShutdown(stop) // streams end
	return s
}

// run serves until ctx ends.
func run(ctx context.Context, servers []*http.Server, listeners []net.Listener) error {
	ended := make(chan error, len(servers))
	for i, s := range servers {
		go func() { ended <- s.Serve(listeners[i]) }()
	}
	var err error
	left := len(servers)
	select {
	case err = <-ended:
		left--
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	for _, s := range servers {
		s.Shutdown(last)
		s.Close()
	}
	for range left {
		<-ended
	}
	return err
}

// loopback listens where only this machine can reach.
func loopback(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, console.Usage("invalid value %q for --listen", address).Next("Use an address with a port: sayso-agent serve --listen 127.0.0.1:7780.")
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, console.Usage("--listen %s can be reached from other machines", address).Next("Listen on this machine only, behind a proxy with TLS: sayso-agent serve --listen 127.0.0.1:7780.")
	}
	return net.Listen("tcp", address)
}

// serveKey is what every request has to show.
func (p *program) serveKey(d *desk, who auth.Principal) (*bearer, error) {
	key := p.Getenv("SAYSO_AGENT_KEY")
	if key == "" {
		name := filepath.Join(d.config.State, "serve.key")
		b, err := console.Secret(name)
		if err != nil {
			return nil, fmt.Errorf("cannot read the key: %w", err)
		}
		key = strings.TrimSpace(string(b))
		p.Say("the key is in %s", name)
	}
	return &bearer{sha256.Sum256([]byte(key)), who}, nil
}

// bearer knows one key.
type bearer struct {
	sum [sha256.Size]byte
	who auth.Principal
}

// Authenticate takes the key from the Authorization header.
func (b *bearer) Authenticate(r *http.Request) (*auth.Principal, error) {
	all := r.Header.Values("Authorization")
	if len(all) == 0 {
		return nil, auth.ErrNoCredential
	}
	key, ok := strings.CutPrefix(all[0], "Bearer ")
	sum := sha256.Sum256([]byte(key))
	if !ok || len(all) > 1 || subtle.ConstantTimeCompare(sum[:], b.sum[:]) != 1 {
		return nil, auth.ErrCredential
	}
	who := b.who
	return &who, nil
}
