package cli

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
)

// A server for many has its storage in parts, so that a read after a pause reads little.
const (
	serverShards = 16
	maxShards    = 64
	maxReplicas  = 5
	leastNodes   = 3
)

// storage is where the hub keeps what it is told: in this process, on the nodes of a
// cluster, or on NATS servers elsewhere.
type storage struct {
	shards, replicas int
	keep, keepUnread time.Duration
	audit            bool
	maxAsks          int
	maxBytes         sizeFlag

	node          string
	clusterListen string
	routes        []string
	clusterTLS    tlsFiles

	urls      []string
	creds     string
	nkey      string
	natsTLS   tlsFiles
	syncCheck string
}

// tlsFiles name the files of a TLS configuration.
type tlsFiles struct {
	cert, key, ca string
	loaded        *localhub.Certificate // nil: none was
}

// none reports whether no file is named.
func (f *tlsFiles) none() bool { return f.cert == "" && f.key == "" && f.ca == "" }

func (s *storage) bind(f *pflag.FlagSet) {
	s.audit = true
	bind(f, "shards", &s.shards)
	bind(f, "replicas", &s.replicas)
	bind(f, "keep", &s.keep)
	bind(f, "keep-unread", &s.keepUnread)
	bind(f, "audit", &s.audit)
	bind(f, "max-asks", &s.maxAsks)
	bind(f, "max-bytes", &s.maxBytes)
	bind(f, "node", &s.node)
	bind(f, "cluster-listen", &s.clusterListen)
	bind(f, "cluster-route", &s.routes)
	bind(f, "cluster-tls-cert", &s.clusterTLS.cert)
	bind(f, "cluster-tls-key", &s.clusterTLS.key)
	bind(f, "cluster-tls-ca", &s.clusterTLS.ca)
	bind(f, "nats", &s.urls)
	bind(f, "nats-creds", &s.creds)
	bind(f, "nats-nkey", &s.nkey)
	bind(f, "nats-ca", &s.natsTLS.ca)
	bind(f, "nats-cert", &s.natsTLS.cert)
	bind(f, "nats-key", &s.natsTLS.key)
	bind(f, "nats-sync-check", &s.syncCheck)
	// The help has room for what most people need; "sayso help config" has them all.
	f.VisitAll(func(flag *pflag.Flag) {
		for _, few := range []string{"shards", "replicas", "max-connections", "security-log", "drain", "metrics", "log-", "keep", "audit", "max-asks", "max-bytes", "cluster-", "nats-", "notify-", "push-"} {
			flag.Hidden = flag.Hidden || strings.HasPrefix(flag.Name, few)
		}
	})
}

// sizeFlag reads a number of bytes.
type sizeFlag int64

func (s *sizeFlag) Set(text string) error {
	n, err := httpapi.ParseSize(text)
	*s = sizeFlag(n)
	return err
}

func (s *sizeFlag) Type() string { return "SIZE" }

func (s *sizeFlag) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*s), 10) + "B"
}

// engine checks the options and sets those of the engine. A hub that many use is made
// of more parts.
func (s *storage) engine(o *localhub.EngineOptions, many bool) (err error) {
	for _, n := range []struct {
		flag       string
		value, max int
	}{{"--shards", s.shards, maxShards}, {"--replicas", s.replicas, maxReplicas}} {
		if n.value < 0 || n.value > n.max {
			return console.Usage("invalid value \"%d\" for %s", n.value, n.flag).Next("Use a number from 1 to %d, or leave out %s.", n.max, n.flag)
		}
	}
	*o = localhub.EngineOptions{
		Shards: s.shards, NewShards: 1, Replicas: s.replicas, Keep: s.keep, KeepUnread: s.keepUnread, NoAudit: !s.audit,
		MaxAsks: int64(s.maxAsks), MaxBytes: int64(s.maxBytes),
	}
	if many {
		o.NewShards = serverShards
	}
	switch {
	case s.clustered() != "" && len(s.urls) > 0:
		return console.Usage("%s and --nats cannot be given together", s.clustered()).
			Next("Use --nats if you run NATS servers yourself. Use --node if the hubs are to keep the questions.")
	case s.clustered() != "":
		o.Cluster, err = s.cluster()
	case len(s.urls) > 0:
		o.NATS, err = s.nats()
	case s.natsOnly() != "":
		return console.Usage("%s needs --nats", s.natsOnly()).Next("Example: sayso serve --nats nats://127.0.0.1:4222 --nats-creds hub.creds.")
	case s.replicas > 1:
		return console.Usage("--replicas %d needs a cluster", s.replicas).Next("Add --node or --nats, or leave out --replicas.")
	}
	return err
}

// clustered returns the first flag that makes the process a node of a cluster.
func (s *storage) clustered() string {
	return firstSet([][2]string{
		{"--node", s.node}, {"--cluster-listen", s.clusterListen}, {"--cluster-route", first(s.routes)},
		{"--cluster-tls-cert", s.clusterTLS.cert}, {"--cluster-tls-key", s.clusterTLS.key}, {"--cluster-tls-ca", s.clusterTLS.ca},
	})
}

// natsOnly returns the first flag that means nothing without --nats.
func (s *storage) natsOnly() string {
	return firstSet([][2]string{
		{"--nats-creds", s.creds}, {"--nats-nkey", s.nkey}, {"--nats-ca", s.natsTLS.ca}, {"--nats-cert", s.natsTLS.cert},
		{"--nats-key", s.natsTLS.key}, {"--nats-sync-check", s.syncCheck},
	})
}

func firstSet(flags [][2]string) string {
	for _, f := range flags {
		if f[1] != "" {
			return f[0]
		}
	}
	return ""
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

const clusterExample = "Example: sayso serve --node a --cluster-listen 10.0.0.1:6222 --cluster-route 10.0.0.1:6222,10.0.0.2:6222,10.0.0.3:6222, and the three --cluster-tls files."

// cluster makes this process a node.
func (s *storage) cluster() (*natsserver.ClusterOptions, error) {
	for _, f := range [][2]string{{"--node", s.node}, {"--cluster-listen", s.clusterListen}, {"--cluster-route", first(s.routes)}} {
		if f[1] == "" {
			return nil, console.Usage("a node of a cluster needs %s", f[0]).Next("%s", clusterExample)
		}
	}
	// Servers wait for as many as they are told of, so a node that is not there yet keeps them waiting.
	if len(s.routes) < leastNodes {
		return nil, console.Usage("--cluster-route names %d of the nodes, and a cluster has at least %d", len(s.routes), leastNodes).
			Next("Name every node that exists, this one too. %s", clusterExample)
	}
	for _, a := range append([]string{s.clusterListen}, s.routes...) {
		if _, _, err := net.SplitHostPort(a); err != nil {
			return nil, console.Usage("invalid address %q of a node", a).Next("Use a host and a port: 10.0.0.1:6222.")
		}
	}
	o := &natsserver.ClusterOptions{ServerName: s.node, Listen: s.clusterListen, Routes: s.routes}
	host, _, _ := net.SplitHostPort(s.clusterListen)
	if s.clusterTLS.none() {
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return nil, console.Usage("--cluster-listen %s can be reached from other machines without TLS", s.clusterListen).
				Next("Add --cluster-tls-cert, --cluster-tls-key and --cluster-tls-ca.")
		}
		return o, nil
	}
	if s.clusterTLS.cert == "" || s.clusterTLS.key == "" || s.clusterTLS.ca == "" {
		return nil, console.Usage("--cluster-tls-cert, --cluster-tls-key and --cluster-tls-ca must be given together").Next("%s", clusterExample)
	}
	config, err := s.clusterTLS.load("--cluster-tls")
	if err != nil {
		return nil, err
	}
	config.ClientCAs, config.ClientAuth, config.MinVersion = config.RootCAs, tls.RequireAndVerifyClientCert, tls.VersionTLS13
	o.TLS = config
	return o, nil
}

// nats says where the servers are and how to log in.
func (s *storage) nats() (*localhub.NATSOptions, error) {
	o := &localhub.NATSOptions{URLs: s.urls, Creds: s.creds, SyncCheck: s.syncCheck}
	if s.creds != "" && s.nkey != "" {
		return nil, console.Usage("--nats-creds and --nats-nkey cannot be given together").Next("Use the one that the operator of the NATS servers gave you.")
	}
	if s.creds != "" {
		if _, err := os.ReadFile(s.creds); err != nil {
			return nil, console.Usage("cannot read --nats-creds %q: %s", s.creds, reason(err)).Next("Check the path, and that the hub's user may read it.")
		}
	}
	if s.nkey != "" {
		seed, err := os.ReadFile(s.nkey)
		if err != nil {
			return nil, console.Usage("cannot read --nats-nkey %q: %s", s.nkey, reason(err)).Next("Check the path, and that the hub's user may read it.")
		}
		o.Seed = bytes.TrimSpace(seed)
	}
	if s.natsTLS.none() {
		return o, nil
	}
	if (s.natsTLS.cert == "") != (s.natsTLS.key == "") {
		return nil, console.Usage("--nats-cert and --nats-key must be given together").Next("Example: sayso serve --nats tls://nats.example:4222 --nats-ca ca.pem --nats-cert hub.pem --nats-key hub.key.")
	}
	config, err := s.natsTLS.load("--nats")
	o.TLS = config
	return o, err
}

// load reads the files; flag is what their flags begin with.
func (f *tlsFiles) load(flag string) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if f.cert != "" {
		pair, err := localhub.LoadCertificate(strings.TrimLeft(flag, "-")+"-cert", f.cert, f.key)
		if err != nil {
			return nil, console.Usage("cannot read the certificate %q: %s", f.cert, reason(err)).Next("Check the PEM files of %s-cert and %s-key.", flag, flag)
		}
		config, f.loaded = pair.Config(), pair
	}
	if f.ca != "" {
		pem, err := os.ReadFile(f.ca)
		if err != nil {
			return nil, console.Usage("cannot read %s-ca %q: %s", flag, f.ca, reason(err)).Next("Check the path, and that the hub's user may read it.")
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, console.Usage("%s-ca %q has no certificate", flag, f.ca).Next("Use a PEM file that begins with -----BEGIN CERTIFICATE-----.")
		}
	}
	return config, nil
}
