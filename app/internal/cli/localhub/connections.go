package localhub

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/connlimit"
	"github.com/saysohq/sayso/app/securitylog"
)

// connections returns the guard of all TCP connections, which leaves the owner's
// socket and the store their file descriptors: connlimit.Derive reckons with one shard.
func (o *ServeOptions) connections(log *slog.Logger, security *securitylog.Log, warn *warned, shards int) *connlimit.Guard {
	limits := connlimit.Derive(o.MaxConnections, connlimit.Files()-o.filesOfStore(shards))
	if o.MaxConnections > limits.Total() {
		log.Warn("there are not enough file descriptors for so many connections; raise the limit with: ulimit -n",
			"connections", o.MaxConnections, "possible", limits.Total(), "files", connlimit.Files())
	}
	if files := connlimit.Files(); o.Listen != "" && files < descriptorsOfSystem {
		warn.set(Warning{
			Name: "connections",
			Text: fmt.Sprintf("the hub may open %d files, which allows %d connections at a time", files, limits.Total()),
			Fix:  "raise the limit where the hub is started (ulimit -n, LimitNOFILE), and restart it",
		})
	}
	if o.Proxied {
		limits = limits.AnyAddress()
	}
	return connlimit.New(&connlimit.Options{Limits: limits, Log: log, Closed: func(why connlimit.Reason, n int) {
		security.Note(securitylog.Event{Name: securitylog.ConnectionsClosed, Reason: string(why), Count: n})
	}})
}

// guardServer has the guard follow the connections of a server.
func guardServer(g *connlimit.Guard, s *http.Server) {
	s.ConnState = g.ConnState
	inner := s.ConnContext
	s.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if inner != nil {
			ctx = inner(ctx, c)
		}
		return g.ConnContext(ctx, c)
	}
}

// marking tells the guard whose connections showed a credential.
type marking struct{ auth.Authenticator }

func (m marking) Authenticate(r *http.Request) (*auth.Principal, error) {
	who, err := m.Authenticator.Authenticate(r)
	if err == nil && who.Tenant != "" {
		connlimit.Credential(r.Context())
	}
	return who, err
}

// filesOfStore returns how many files a store has open beyond those of one shard.
func (o *ServeOptions) filesOfStore(shards int) int {
	if o.Engine.NATS != nil {
		return 0 // it is elsewhere
	}
	clustered := o.Engine.Cluster != nil
	return shards*streamsOfShard*filesOfStream(clustered) - streamsOfShard*filesOfStream(false)
}
