package localhub

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/app/httpapi"
)

// NATSOptions say how to reach the NATS servers that the store is on.
type NATSOptions struct {
	URLs      []string
	Creds     string      // a file with credentials; default: none
	Seed      []byte      // of an nkey; default: none
	TLS       *tls.Config // default: none
	SyncCheck string      // where the operator exports $SYS.REQ.SERVER.PING.JSZ; default: nobody can say whether writes are synced
}

// Sync says whether a store elsewhere has its writes on the disk before it acknowledges them.
type Sync int

// What can be known about that.
const (
	SyncUnknown Sync = -1 // nobody can be asked
	SyncNo      Sync = 0
	SyncYes     Sync = 1
)

// external is the store of servers elsewhere.
type external struct {
	urls   string
	synced Sync
	denied atomic.Pointer[deniedError]
}

// deniedError says which permission the login lacks.
type deniedError struct{ what string }

func (e *deniedError) Error() string { return "the login lacks a NATS permission: " + e.what }

// Synced says whether every write is on a disk before it is acknowledged.
func (e *Engine) Synced() Sync {
	if e.external == nil {
		return SyncYes
	}
	return e.external.synced
}

// openExternal connects to the servers. The context that it returns ends when the login turns out to lack a permission:
// the requests that need it would only time out.
func (e *Engine) openExternal(ctx context.Context, n *NATSOptions, log *slog.Logger, o *natsstore.Options) (context.Context, error) {
	x := &external{urls: public(n.URLs), synced: SyncUnknown}
	ctx, stop := context.WithCancelCause(ctx)
	e.closing(func(context.Context) error { stop(nil); return nil })
	denied := func(err error) {
		d := &deniedError{violation(err)}
		if was := x.denied.Swap(d); was == nil || was.what != d.what {
			log.Error("NATS refused a request: the login lacks a permission", "permission", d.what)
		}
		stop(d)
	}
	lost := func(err error) {
		log.Error("the connection to NATS is lost: nothing can be stored until it is back", "nats", x.urls, "error", err)
	}
	back := func(server string) { log.Warn("connected to NATS again", "server", server) }
	dial, cancel := context.WithTimeout(ctx, 5*time.Second)
	conn, err := natsserver.Connect(dial, &natsserver.ConnectOptions{URLs: n.URLs, Seed: n.Seed, Creds: n.Creds, TLS: n.TLS, Denied: denied, Lost: lost, Back: back})
	cancel()
	if err != nil {
		return ctx, x.unreachable(ctx, n.URLs, err)
	}
	e.conn, e.external, e.where = conn, x, "NATS at "+x.urls
	e.closing(func(context.Context) error { conn.Close(); return nil })
	if conn.ConnectedClusterName() != "" {
		o.Replicas = cmp.Or(o.Replicas, clustered)
	}
	return ctx, x.check(ctx, conn, n.SyncCheck, log)
}

// check finds out whether the servers sync what they acknowledge.
func (x *external) check(ctx context.Context, conn *nats.Conn, subject string, log *slog.Logger) error {
	if subject == "" {
		log.Warn("not verified: whether NATS has every write on its disk before it acknowledges it. Set sync_interval: always on its servers, and nats-sync-check here", "nats", x.urls)
		return nil
	}
	peers, err := natsserver.Synced(ctx, conn, subject)
	if err != nil {
		return broken("cannot check whether NATS at %s syncs its writes: %w", x.urls, x.because(ctx, err)).
			Next("Export $SYS.REQ.SERVER.PING.JSZ to the account of sayso as %q, or leave out --nats-sync-check.", subject)
	}
	for _, peer := range peers {
		if !peer.Synced {
			x.synced = SyncNo
			return broken("NATS server %q acknowledges writes before they are on its disk", peer.Name).
				Next("Set jetstream { sync_interval: always } on every server, or leave out --nats-sync-check to accept the loss after a power cut.")
		}
	}
	x.synced = SyncYes
	log.Info("NATS syncs every write", "servers", len(peers))
	return nil
}

// reachable says what the system says, where the library only says that there is no server.
func reachable(ctx context.Context, urls []string, err error) error {
	if !errors.Is(err, nats.ErrNoServers) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for _, text := range urls {
		u, wrong := url.Parse(text)
		if wrong != nil || u.Host == "" {
			continue
		}
		var dial net.Dialer
		conn, why := dial.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "4222")))
		var errno syscall.Errno
		switch {
		case why == nil:
			conn.Close()
			return err
		case errors.As(why, &errno):
			return errno
		}
		err = why
	}
	return err
}

func (x *external) unreachable(ctx context.Context, urls []string, err error) error {
	next := "Check --nats and that the server runs."
	switch {
	case errors.Is(err, nats.ErrAuthorization) || strings.Contains(err.Error(), "uthorization"):
		next = "The server refused the login. Check --nats-creds or --nats-nkey."
	case strings.Contains(err.Error(), "tls:") || strings.Contains(err.Error(), "x509:"):
		next = "Check --nats-ca, and the names in the server's certificate."
	}
	return broken("cannot connect to NATS at %s: %w", x.urls, reachable(ctx, urls, err)).Next("%s", next)
}

// because returns why a request failed, if that is known better than from its error.
func (x *external) because(ctx context.Context, err error) error {
	if err == nil || x == nil {
		return err
	}
	if d := x.denied.Load(); d != nil {
		return broken("%w", d).Next("Give the login the permissions that the guide lists: https://github.com/saysohq/sayso/blob/main/docs/guides/cluster.md.")
	}
	var old *natsstore.OldServerError
	if errors.As(err, &old) {
		return broken("%w", old).Next("Upgrade the NATS servers at %s.", x.urls)
	}
	return err
}

// What anybody may know of a fault.
const (
	awayNATS   = httpapi.NotReady("the hub cannot reach its NATS servers: start them, or check the network; the hub then goes on by itself")
	silentNATS = httpapi.NotReady("the NATS servers of the hub do not answer: check that a majority of them runs; the hub then goes on by itself")
)

// fault returns why nothing can be stored, whoever leads.
func (x *external) fault(conn *nats.Conn) error {
	if !conn.IsConnected() {
		return fmt.Errorf("not connected to NATS at %s: %w", x.urls, awayNATS)
	}
	return nil
}

// led returns why the streams have no leader.
func (x *external) led(ctx context.Context, store *natsstore.Store) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if err := store.Probe(ctx); err != nil {
		return fmt.Errorf("NATS at %s: %w: %w", x.urls, silentNATS, err)
	}
	return nil
}

// violation takes the name of the permission out of what the server says.
func violation(err error) string {
	text := err.Error()
	if i := strings.Index(strings.ToLower(text), "permissions violation for "); i >= 0 {
		text = text[i+len("permissions violation for "):]
	}
	return strings.TrimSpace(text)
}

// public spells URLs without what they may hold of a login.
func public(urls []string) string {
	var all []string
	for _, text := range urls {
		if u, err := url.Parse(text); err == nil {
			u.User = nil
			text = u.String()
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}
