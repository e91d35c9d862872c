package natsserver

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Options say how to start a server.
type Options struct {
	Dir      string          // the folder that holds everything; required, made with mode 0700
	Client   *ClientOptions  // where clients outside of this process come in; default: nowhere, there is no port
	Cluster  *ClusterOptions // the cluster this is a node of; default: none, the server is alone
	Logger   *slog.Logger    // default: discards; warnings of the boot are in Report all the same
	MaxStore int64           // bytes that all streams together may use; default: three quarters of the free disk
	Advice   string          // what a DamagedError tells the person; default: DefaultAdvice

	FlushEvery   time.Duration // how old a high-water mark may be after a power cut; default: 100 ms
	ObserveEvery time.Duration // how often the streams are observed; default: 1 s

	noSync  bool // only tests that must lose records can set these
	noCheck bool
}

// ClientOptions open a port for clients. They log in with nkeys and share the account of the hub.
type ClientOptions struct {
	Listen string      // "host:port"; port 0 takes a free one
	Keys   []string    // public user nkeys that may connect; required
	TLS    *tls.Config // default: none, which only a loopback address may have
}

// ClusterOptions make the server a node of a cluster. All nodes have the same Name, Routes and account names.
type ClusterOptions struct {
	Name       string      // default: "sayso"
	ServerName string      // this node; required, unique and stable over restarts
	Listen     string      // "host:port" for the other nodes; required
	Routes     []string    // "host:port" of all nodes, this one may be among them; required
	TLS        *tls.Config // both ways, client certificates required; default: none, which only a loopback address may have
}

// DefaultAdvice is the end of the sentence with which a damaged store is refused.
const DefaultAdvice = "Restore a backup into an empty folder, or accept the loss and keep what is left"

// The accounts: all streams are in the first, the second is the server's own.
const (
	hubAccount    = "HUB"
	systemAccount = "SYS"
)

const accounts = `
accounts { HUB { jetstream: enabled }, SYS {} }
system_account: SYS
`

func (o *Options) withDefaults() (*Options, error) {
	c := *o
	if c.Dir == "" {
		return nil, errors.New("options: no folder")
	}
	var err error
	if c.Dir, err = filepath.Abs(c.Dir); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Advice == "" {
		c.Advice = DefaultAdvice
	}
	if c.FlushEvery <= 0 {
		c.FlushEvery = 100 * time.Millisecond
	}
	if c.ObserveEvery <= 0 {
		c.ObserveEvery = time.Second
	}
	return &c, nil
}

// build translates the options; the keys are the public nkeys of the connections inside this process: of the hub's
// account, and of the server's own.
func (o *Options) build(key, system string) (*server.Options, error) {
	so := &server.Options{
		ServerName:                 "sayso",
		DontListen:                 true,
		NoSigs:                     true,
		DisableJetStreamBanner:     true,
		JetStream:                  true,
		StoreDir:                   o.Dir,
		SyncAlways:                 !o.noSync,
		JetStreamMaxMemory:         1 << 20, // there are no streams in memory
		JetStreamMaxStore:          o.MaxStore,
		JetStreamRequestQueueLimit: 4096,
		MaxPayload:                 1 << 20,
		MaxPending:                 64 << 20,
		LameDuckDuration:           30 * time.Second,
	}
	if err := so.ProcessConfigString(accounts); err != nil {
		return nil, fmt.Errorf("accounts: %w", err)
	}
	account := func(name string) *server.Account {
		return so.Accounts[slices.IndexFunc(so.Accounts, func(a *server.Account) bool { return a.Name == name })]
	}
	hub := account(hubAccount)
	so.Nkeys = []*server.NkeyUser{{Nkey: key, Account: hub}, {Nkey: system, Account: account(systemAccount)}}
	if o.Client != nil {
		if err := o.Client.apply(so, hub); err != nil {
			return nil, fmt.Errorf("client options: %w", err)
		}
	}
	if o.Cluster != nil {
		if err := o.Cluster.apply(so); err != nil {
			return nil, fmt.Errorf("cluster options: %w", err)
		}
		if o.Client == nil {
			// The server opens its port for other nodes only beside one for clients. Nobody has a key for this one.
			so.DontListen, so.Host, so.Port = false, "127.0.0.1", server.RANDOM_PORT
		}
	}
	return so, nil
}

func (c *ClientOptions) apply(so *server.Options, hub *server.Account) error {
	host, port, err := hostPort(c.Listen)
	if err != nil {
		return err
	}
	if len(c.Keys) == 0 {
		return errors.New("no keys: nobody could connect")
	}
	for _, k := range c.Keys {
		so.Nkeys = append(so.Nkeys, &server.NkeyUser{Nkey: k, Account: hub})
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	so.DontListen, so.Host, so.Port = false, host, port
	if c.TLS != nil {
		so.TLSConfig, so.TLS, so.TLSTimeout = c.TLS, true, 5
		return nil
	}
	return requireLoopback(host)
}

// advertised is how the others are told to reach this node: by the route that has its name, as node-1:6222 and
// node-1.example:6222 are of node-1. Otherwise they are told the IP address that it listens on, which its certificate
// may not have; they then try that, too, and log that they failed.
func (c *ClusterOptions) advertised() string {
	for _, r := range c.Routes {
		if host, _, err := hostPort(r); err == nil && (host == c.ServerName || strings.HasPrefix(host, c.ServerName+".")) {
			return r
		}
	}
	return ""
}

func (c *ClusterOptions) apply(so *server.Options) error {
	host, port, err := hostPort(c.Listen)
	if err != nil {
		return err
	}
	if c.ServerName == "" {
		return errors.New("no server name")
	}
	if len(c.Routes) == 0 {
		return errors.New("no routes")
	}
	so.ServerName = c.ServerName
	so.Cluster = server.ClusterOpts{
		Name: c.Name, Host: host, Port: port, NoAdvertise: true, Advertise: c.advertised(),
		// A dead peer is noticed by Raft (4–9 s, fixed in the server), a dead link by these.
		PingInterval: 2 * time.Second, MaxPingsOut: 2,
		Compression: server.CompressionOpts{Mode: server.CompressionOff},
	}
	if c.Name == "" {
		so.Cluster.Name = "sayso"
	}
	if c.TLS != nil {
		so.Cluster.TLSConfig, so.Cluster.TLSTimeout = c.TLS, 5
		if c.TLS.ClientAuth != tls.RequireAndVerifyClientCert {
			return errors.New("the TLS configuration does not require client certificates: any host could join")
		}
	} else if err := requireLoopback(host); err != nil {
		return err
	}
	for _, r := range c.Routes {
		if _, _, err := hostPort(r); err != nil {
			return fmt.Errorf("route: %w", err)
		}
		so.Routes = append(so.Routes, &url.URL{Scheme: "nats", Host: r})
	}
	return nil
}

func hostPort(s string) (string, int, error) {
	host, p, err := net.SplitHostPort(s)
	if err != nil {
		return "", 0, err
	}
	port, err := strconv.Atoi(p)
	if err != nil {
		return "", 0, fmt.Errorf("address %s: %w", s, err)
	}
	return host, port, nil
}

func requireLoopback(host string) error {
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("%s is reachable from other machines and needs TLS", host)
}
