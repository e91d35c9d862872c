package natsserver

import (
	"context"
	"crypto/tls"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// ConnectOptions say how to reach a server of another process.
type ConnectOptions struct {
	URLs  []string    // "nats://host:port", one or more; required
	Name  string      // shown in the server's list of connections; default: "sayso"
	Seed  []byte      // the nkey seed to log in with; default: none
	Creds string      // the file with the credentials to log in with, read anew for every connection; default: none
	TLS   *tls.Config // default: none

	// Denied is told when the server refuses to publish or to subscribe: the login lacks a permission. It must not block.
	// Default: nobody is told, and the request that was refused waits for its time to end.
	Denied func(error)

	// Lost is told when the connection breaks, and Back when it is there again, perhaps to another server, with its name.
	// Neither must block. Default: nobody is told.
	Lost func(error)
	Back func(server string)
}

// Connect connects to a server of another process: a node started with ClientOptions, or an existing NATS. The connection
// comes back by itself for ever; the caller closes it.
func Connect(ctx context.Context, o *ConnectOptions) (*nats.Conn, error) {
	if o == nil || len(o.URLs) == 0 {
		return nil, errors.New("connect: no URL")
	}
	set := nats.Options{Servers: o.URLs, Name: o.Name}
	if o.Seed != nil {
		kp, err := nkeys.FromSeed(o.Seed)
		if err != nil {
			return nil, err
		}
		if set.Nkey, err = kp.PublicKey(); err != nil {
			return nil, err
		}
		set.SignatureCB = kp.Sign
	}
	if o.Creds != "" {
		if err := nats.UserCredentials(o.Creds)(&set); err != nil {
			return nil, err
		}
	}
	if o.Denied != nil {
		set.AsyncErrorCB = func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) {
				o.Denied(err)
			}
		}
	}
	if o.Lost != nil {
		set.DisconnectedErrCB = func(nc *nats.Conn, err error) {
			if !nc.IsClosed() { // by us
				o.Lost(err)
			}
		}
	}
	if o.Back != nil {
		set.ReconnectedCB = func(nc *nats.Conn) { o.Back(nc.ConnectedServerName()) }
	}
	if o.TLS != nil {
		set.Secure, set.TLSConfig = true, o.TLS
	}
	return connect(ctx, set)
}

// connect adds what all connections have in common. It gives up with ctx, unlike the library.
func connect(ctx context.Context, o nats.Options) (*nats.Conn, error) {
	if o.Name == "" {
		o.Name = "sayso"
	}
	o.AllowReconnect, o.MaxReconnect = true, -1
	o.ReconnectWait, o.ReconnectJitter, o.ReconnectJitterTLS = 50*time.Millisecond, 50*time.Millisecond, 50*time.Millisecond
	o.ReconnectBufSize = -1 // a write during an outage fails at once: the store retries, nothing is sent late
	o.Timeout, o.PingInterval, o.MaxPingsOut = 2*time.Second, 2*time.Second, 2
	o.FlusherTimeout = 2 * time.Second // else one dead peer blocks every caller in a write
	o.SubChanLen, o.DrainTimeout = nats.DefaultMaxChanLen, nats.DefaultDrainTimeout
	o.IgnoreAuthErrorAbort = true
	if o.AsyncErrorCB == nil {
		o.AsyncErrorCB = func(*nats.Conn, *nats.Subscription, error) {} // whoever asks is told; the library would print it
	}
	type result struct {
		nc  *nats.Conn
		err error
	}
	done := make(chan result, 1)
	go func() {
		nc, err := o.Connect()
		done <- result{nc, err}
	}()
	select {
	case r := <-done:
		return r.nc, r.err
	case <-ctx.Done():
		if r := <-done; r.nc != nil { // ends within Timeout
			r.nc.Close()
		}
		return nil, ctx.Err()
	}
}
