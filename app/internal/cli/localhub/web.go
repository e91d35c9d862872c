package localhub

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/connlimit"
	"github.com/saysohq/sayso/app/securitylog"
	"github.com/saysohq/sayso/app/surface/web"
	"github.com/saysohq/sayso/hub"
)

// webPath is where the person's own programs ask for a login address. It is no
// part of the API: only who comes by the socket, as the person, finds it.
const webPath = "/local/web"

// webInbox serves the inbox to browsers: from the start if the options name an
// address, otherwise from when the person first wants it, on the loopback only.
// Without TLS it is served under a name that only the person's own programs get:
// it stands in no log, on no command line, and no agent is told.
type webInbox struct {
	o      *ServeOptions
	name   string // of an inbox without TLS; empty: it has a public one
	site   *web.Site
	peers  *auth.Peers
	person auth.Principal
	server *http.Server
	served sync.WaitGroup
	guard  *connlimit.Guard
	log    *slog.Logger

	mu    sync.Mutex
	hosts []string // its public names
	base  string   // where it is served; empty: nowhere yet
	at    string   // the same without a name that is secret
}

func newWebInbox(o *ServeOptions, h *hub.Hub, sessions *auth.Sessions, u *use, peers *auth.Peers, guard *connlimit.Guard, log *slog.Logger, security *securitylog.Log, n *notifying) *webInbox {
	in := &webInbox{o: o, hosts: o.Hosts, peers: peers, person: peers.Who, guard: guard, log: log}
	opts := &web.Options{Secure: o.webSecure(), Log: log, Security: security, Notify: n.Notifier, Accounts: n.accounts}
	if n.push != nil {
		opts.Push = n.push
	}
	if opts.Secure {
		// A cookie of localhost goes to every port there, even one for https only.
		// A proxy may ask for the site under the address at which it reaches it.
		opts.Hosts, opts.Only = o.Hosts, !o.Proxied
	} else {
		in.name = web.LocalName()
		opts.Hosts, opts.Only = []string{in.name}, true
	}
	in.site = web.New(h, sessions, opts)
	in.person.Role = auth.Answerer
	ctx, stop := context.WithCancel(context.Background())
	in.server = &http.Server{
		Handler:           u.watch(in.site),
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       60 * time.Second,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // may hold what a client sent
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	guardServer(guard, in.server)
	in.server.RegisterOnShutdown(stop) // the streams of open pages end
	return in
}

// setHosts changes the public names of the inbox. A name that is secret stays.
func (in *webInbox) setHosts(hosts []string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.name == "" && len(hosts) > 0 {
		in.hosts = hosts
		in.site.SetHosts(hosts)
	}
}

// webSecure reports whether browsers reach the inbox by https.
func (o *ServeOptions) webSecure() bool { return o.Web != "" && (o.TLS != nil || o.Proxied) }

// run names this process for the sessions of browsers, which end with it unless
// they are by https: whoever listens on the port after us would be shown the
// cookies of plain http, and could use them when we are back.
func (o *ServeOptions) run() string {
	if o.webSecure() {
		return ""
	}
	return rand.Text()
}

// beside serves the person's own programs, and lets everybody else through.
func (in *webInbox) beside(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != webPath || r.Method != http.MethodPost && r.Method != http.MethodGet {
			api.ServeHTTP(w, r)
			return
		}
		if _, err := in.peers.Authenticate(r); err != nil {
			api.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		if r.Method == http.MethodGet {
			json.NewEncoder(w).Encode(webLink{in.address()})
			return
		}
		who := in.person
		who.Paired = r.URL.Query().Get("pair") != ""
		link, err := in.linkFor(r.Context(), &who, "")
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		json.NewEncoder(w).Encode(webLink{link})
	})
}

// link returns an address that lets the person in once, to a page if one is named. It
// begins to listen if that was not done yet.
func (in *webInbox) link(ctx context.Context, to string) (string, error) {
	return in.linkFor(ctx, &in.person, to)
}

func (in *webInbox) linkFor(ctx context.Context, who *auth.Principal, to string) (string, error) {
	if _, err := in.open(); err != nil {
		return "", err
	}
	in.mu.Lock()
	base := in.base
	in.mu.Unlock()
	return in.site.LoginLinkTo(ctx, base, who, to)
}

// open listens, unless that was done, and returns where, without a name that is
// secret.
func (in *webInbox) open() (string, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.base != "" {
		return in.at, nil
	}
	all, err := in.listen()
	if err != nil {
		return "", fmt.Errorf("listening for browsers: %w", err)
	}
	in.base = in.baseOf(all[0].Addr())
	in.at = in.base
	if in.name != "" {
		in.at = "http://" + all[0].Addr().String()
	}
	for _, ln := range all {
		in.served.Go(func() {
			if err := in.server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
				in.log.Error("serving the web inbox", "err", err)
			}
		})
	}
	in.log.Info("serving the web inbox", "url", in.at)
	return in.at, nil
}

// address returns where the inbox is served for whoever wants to know, or "": it is
// not yet, or under a name that is secret.
func (in *webInbox) address() string {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.name != "" {
		return ""
	}
	return in.base
}

func (in *webInbox) listen() ([]net.Listener, error) {
	if in.name != "" {
		all, err := web.ListenLocal(cmp.Or(in.o.Web, "127.0.0.1:0"))
		for i, ln := range all {
			all[i] = in.guard.Listen(ln)
		}
		return all, err
	}
	ln, err := listenTCP("--web", in.o.Web)
	if err != nil {
		return nil, err
	}
	ln = in.guard.Listen(ln)
	if in.o.TLS != nil {
		ln = tls.NewListener(ln, in.o.TLS)
	}
	return []net.Listener{ln}, nil
}

// baseOf is how browsers reach the listener.
func (in *webInbox) baseOf(at net.Addr) string {
	_, port, _ := net.SplitHostPort(at.String())
	switch {
	case in.name != "":
		return "http://" + net.JoinHostPort(in.name, port)
	case in.o.Proxied:
		return "https://" + in.hosts[0]
	}
	return "https://" + net.JoinHostPort(in.hosts[0], port)
}

func (in *webInbox) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	in.server.Shutdown(ctx)
	in.server.Close()
	in.served.Wait()
	in.o.Places.removeLoginPages(0)
}

// webLink is what the hub answers.
type webLink struct {
	URL string `json:"url"`
}

// WebLink returns an address that lets the person's browser in once. The hub is
// started, and made to listen for browsers, where that is needed. It is for the
// person: see [Starter.WebAddress].
func (s *Starter) WebLink(ctx context.Context) (string, error) {
	return s.askWeb(ctx, http.MethodPost, webPath)
}

// PairLink is WebLink for a device of the person's own, such as a phone: by https, it
// stays signed in as long as it is used.
func (s *Starter) PairLink(ctx context.Context) (string, error) {
	return s.askWeb(ctx, http.MethodPost, webPath+"?pair=1")
}

// WebAddress returns the address of the web inbox for agents and other programs,
// which nobody gets in with. It is "" where there is none, or where it has a name
// that is for the person only.
func (s *Starter) WebAddress(ctx context.Context) (string, error) {
	return s.askWeb(ctx, http.MethodGet, webPath)
}

func (s *Starter) askWeb(ctx context.Context, method, path string) (string, error) {
	c := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return s.Dial(ctx) },
	}}
	resp, err := do(ctx, c, method, path, nil)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	if err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the hub gives no login address: %s: %s", resp.Status, strings.TrimSpace(string(body)))
	}
	var link webLink
	if err := json.Unmarshal(body, &link); err != nil {
		return "", fmt.Errorf("reading the login address: %w", err)
	}
	return link.URL, nil
}
