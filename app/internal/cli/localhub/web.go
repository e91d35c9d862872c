package localhub

import (
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
	"os"
	"strings"
	"sync"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/surface/web"
	"github.com/saysohq/sayso/hub"
)

// webPath is where the person's own programs ask for a login address. It is no
// part of the API: only who comes by the socket, as the person, finds it.
const webPath = "/local/web"

// webInbox serves the inbox to browsers: from the start if the options name an
// address, otherwise from when the person first wants it, on the loopback only.
type webInbox struct {
	o      *ServeOptions
	site   *web.Site
	peers  *auth.Peers
	person auth.Principal
	server *http.Server
	served sync.WaitGroup
	log    *slog.Logger

	mu   sync.Mutex
	base string // where it is served; empty: nowhere yet
}

func newWebInbox(o *ServeOptions, h *hub.Hub, sessions *auth.Sessions, u *use, peers *auth.Peers, log *slog.Logger) *webInbox {
	opts := &web.Options{Secure: o.webSecure(), Log: log}
	if o.Web != "" {
		opts.Hosts = o.Hosts
	}
	in := &webInbox{o: o, site: web.New(h, sessions, opts), peers: peers, person: peers.Who, log: log}
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
	in.server.RegisterOnShutdown(stop) // the streams of open pages end
	return in
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
		if r.URL.Path != webPath || r.Method != http.MethodPost {
			api.ServeHTTP(w, r)
			return
		}
		if _, err := in.peers.Authenticate(r); err != nil {
			api.ServeHTTP(w, r)
			return
		}
		base, err := in.open()
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		json.NewEncoder(w).Encode(webLink{in.site.LoginLink(base, &in.person)})
	})
}

// open listens, unless that was done, and returns the address for browsers.
func (in *webInbox) open() (string, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.base != "" {
		return in.base, nil
	}
	ln, err := in.listen()
	if err != nil {
		return "", fmt.Errorf("listening for browsers: %w", err)
	}
	in.base = in.o.webBase(ln.Addr())
	if in.o.Web != "" && in.o.TLS != nil {
		ln = tls.NewListener(ln, in.o.TLS)
	}
	in.served.Go(func() {
		if err := in.server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			in.log.Error("serving the web inbox", "err", err)
		}
	})
	in.log.Info("serving the web inbox", "url", in.base)
	return in.base, nil
}

// address returns where the inbox is served, or "" where it is not yet.
func (in *webInbox) address() string {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.base
}

// listen takes the port of the last time if it is free: a browser keeps what it
// was allowed, and an installed page, for one address.
func (in *webInbox) listen() (net.Listener, error) {
	if in.o.Web != "" {
		return net.Listen("tcp", in.o.Web)
	}
	name := in.o.Places.webAddress()
	if last, err := os.ReadFile(name); err == nil {
		host, port, err := net.SplitHostPort(strings.TrimSpace(string(last)))
		if err == nil && net.ParseIP(host).IsLoopback() {
			if ln, err := net.Listen("tcp", net.JoinHostPort(host, port)); err == nil {
				return ln, nil
			}
		}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err == nil {
		err = os.WriteFile(name, []byte(ln.Addr().String()+"\n"), 0o600)
	}
	return ln, err
}

// webBase is how browsers reach the listener.
func (o *ServeOptions) webBase(at net.Addr) string {
	if o.Web == "" {
		return "http://" + at.String()
	}
	scheme, host := "http", at.String()
	if o.TLS != nil || o.Proxied {
		scheme = "https"
	}
	if len(o.Hosts) > 0 {
		_, port, _ := net.SplitHostPort(host)
		if host = o.Hosts[0]; !o.Proxied {
			host = net.JoinHostPort(host, port)
		}
	}
	return scheme + "://" + host
}

func (in *webInbox) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	in.server.Shutdown(ctx)
	in.server.Close()
	in.served.Wait()
}

// webLink is what the hub answers.
type webLink struct {
	URL string `json:"url"`
}

// WebLink returns an address that lets the person's browser in once. The hub is
// started, and made to listen for browsers, where that is needed.
func (s *Starter) WebLink(ctx context.Context) (string, error) {
	c := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return s.Dial(ctx) },
	}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost"+webPath, nil)
	if err != nil {
		return "", err
	}
	resp, err := c.Do(r)
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
