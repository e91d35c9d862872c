package mcp

import (
	"context"
	"errors"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// caller is who makes requests: the client of the standard streams, or whoever
// came over HTTP.
type caller struct {
	hub    hub.Asker
	who    string // tells callers apart; what one was given is of no use to another
	origin sayso.Origin
	http   bool
	*memory

	mu      sync.Mutex
	telling []debt // what results over HTTP tell that may not arrive
}

// memory is what the door remembers of a caller between its calls.
type memory struct {
	owed   owed
	muting sync.Mutex
	muted  time.Time // its forms are answered by a program; until then none is sent
}

func (m *memory) mute(until time.Time) {
	m.muting.Lock()
	defer m.muting.Unlock()
	m.muted = until
}

func (m *memory) isMuted(now time.Time) bool {
	m.muting.Lock()
	defer m.muting.Unlock()
	return now.Before(m.muted)
}

type callerKey struct{}

var errNoCaller = errors.New("mcp: nobody makes this request")

// knowing finds out who makes each request.
func (d *Door) knowing(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		c := d.local
		if extra := r.GetExtra(); extra != nil && extra.Header != nil {
			v, _ := d.visitors.Load(extra.Header.Get(visitorHeader))
			c, _ = v.(*caller)
		}
		if c == nil {
			return nil, errNoCaller
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(d.life, cancel)()
		return next(context.WithValue(ctx, callerKey{}, c), method, r)
	}
}

// visitorHeader carries the name of a request of HTTP to where it is dealt with.
const visitorHeader = "Sayso-Visitor"

func callerOf(ctx context.Context) *caller { return ctx.Value(callerKey{}).(*caller) }
