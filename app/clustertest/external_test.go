package clustertest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
)

// external is a NATS cluster that somebody else operates, with an account for sayso whose login may do what it must, and
// nothing else.
type external struct {
	urls []string
	seed []byte // of the login for sayso
	file string // of the seed
	user string // its public key

	system   []byte // seed of the operator's own login
	operator string // its public key
}

const natsPort = "4222"

// startExternal starts three NATS servers in the namespaces and two gateways in front of them.
func startExternal(t *testing.T, flags ...string) (*cluster, *external) {
	t.Helper()
	c := &cluster{t: t, network: enginetest.NewNetwork(t), saw: &statuses{}}
	hosts := c.network.Hosts()
	c.certs = enginetest.NewCerts(t, append(hosts, c.network.Gateway())...)
	x := newExternal(c)
	start(c.nodes...)
	for range 2 {
		c.addGateway(x, flags...)
	}
	start(c.doors...)
	c.makeKeys()
	js, err := jetstream.New(x.connect(c, x.seed))
	must(t, err)
	c.leader = func() int { return leaderOf(t, js) }
	return c, x
}

// newExternal makes the configuration of the servers.
func newExternal(c *cluster) *external {
	t := c.t
	t.Helper()
	user, err := nkeys.CreateUser()
	must(t, err)
	public, err := user.PublicKey()
	must(t, err)
	x := &external{file: filepath.Join(t.TempDir(), "sayso.nk")}
	x.seed, err = user.Seed()
	must(t, err)
	must(t, os.WriteFile(x.file, x.seed, 0o600))
	x.user = public
	operator, err := nkeys.CreateUser()
	must(t, err)
	x.operator, err = operator.PublicKey()
	must(t, err)
	x.system, err = operator.Seed()
	must(t, err)
	for i, host := range c.network.Hosts() {
		x.urls = append(x.urls, "tls://"+net.JoinHostPort(host, natsPort))
		c.nodes = append(c.nodes, x.newServer(c, i, fmt.Sprint("n", i+1)))
	}
	return x
}

// newServer returns a server in a namespace, which does not run yet.
func (x *external) newServer(c *cluster, at int, name string) *process {
	c.t.Helper()
	p := natsstore.PermissionsOf("")
	var routes []string
	for _, host := range c.network.Hosts() {
		routes = append(routes, "nats-route://"+net.JoinHostPort(host, routePort))
	}
	host := c.network.Hosts()[at]
	s := newProcess(c.t, process{name: name, role: "nats-server", network: c.network, node: at})
	s.ready = func(ctx context.Context) error { return healthy(ctx, host) }
	file := filepath.Join(s.home, "nats.conf")
	s.args = []string{"-c", file}
	must(c.t, os.WriteFile(file, fmt.Appendf(nil, config,
		s.name, host, host, c.certs, c.certs, filepath.Join(s.home, "jetstream"),
		host, list(routes), c.certs, c.certs, c.certs, x.operator,
		x.user, list(p.Publish, p.Layout, []string{syncSubject}), list(p.Subscribe)), 0o600))
	return s
}

const syncSubject = "sayso.jsz"

// config is what an operator writes: TLS for everybody, every write synced, an account of its own for sayso with the least
// permissions, and the service that tells whether writes are synced.
const config = `
server_name: %s
listen: "%s:4222"
http: "%s:8222"
tls { cert_file: "%s/node.pem", key_file: "%s/node.key" }
jetstream { store_dir: %q, sync_interval: always, max_file_store: 4G }
cluster {
  name: cell
  listen: "%s:6222"
  routes: %s
  no_advertise: true
  tls { cert_file: "%s/node.pem", key_file: "%s/node.key", ca_file: "%s/ca.pem", verify: true }
}
accounts {
  SYS {
    users: [ {nkey: %s} ]
    exports: [ {service: "$SYS.REQ.SERVER.PING.JSZ", response: stream, accounts: [SAYSO]} ]
  }
  SAYSO {
    jetstream: enabled
    imports: [ {service: {account: SYS, subject: "$SYS.REQ.SERVER.PING.JSZ"}, to: "sayso.jsz"} ]
    users: [ { nkey: %s, permissions: { publish: { allow: %s }, subscribe: { allow: %s } } } ]
  }
}
system_account: SYS
`

func list(lists ...[]string) string {
	return `["` + strings.Join(slices.Concat(lists...), `", "`) + `"]`
}

// healthy asks a server whether its storage works.
func healthy(ctx context.Context, host string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, "8222")+"/healthz?js-server-only=true", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("/healthz says %s", resp.Status)
	}
	return nil
}

// addGateway adds a gateway on the test's side of the network, which does not run yet.
func (c *cluster) addGateway(x *external, flags ...string) *process {
	address := net.JoinHostPort(c.network.Gateway(), strconv.Itoa(7001+len(c.doors)))
	args := append([]string{"--nats-nkey", x.file, "--nats-ca", filepath.Join(c.certs, "ca.pem"), "--nats-sync-check", syncSubject}, flags...)
	for _, url := range x.urls {
		args = append(args, "--nats", url)
	}
	g := c.newDoor(-1, fmt.Sprint("gateway ", len(c.doors)+1), address, args...)
	c.doors, c.hosts = append(c.doors, g), append(c.hosts, address)
	return g
}

// connect connects with a login.
func (x *external) connect(c *cluster, seed []byte) *nats.Conn {
	c.t.Helper()
	pem, err := os.ReadFile(filepath.Join(c.certs, "ca.pem"))
	must(c.t, err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	var nc *nats.Conn
	within(c.t, "connect to the servers", func(ctx context.Context) (err error) {
		nc, err = natsserver.Connect(ctx, &natsserver.ConnectOptions{URLs: x.urls, Seed: seed, TLS: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS13}})
		return err
	})
	c.t.Cleanup(nc.Close)
	return nc
}

// leaderOf returns which node leads the first shard, -1 if nobody knows.
func leaderOf(t testing.TB, js jetstream.JetStream) int {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	s, err := js.Stream(ctx, "ASK2-00")
	if err != nil || s.CachedInfo().Cluster == nil {
		return -1
	}
	var n int
	if _, err := fmt.Sscanf(s.CachedInfo().Cluster.Leader, "n%d", &n); err != nil {
		return -1
	}
	return n - 1
}
