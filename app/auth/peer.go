package auth

import (
	"context"
	"net"
	"net/http"
)

// Peers knows the callers of a Unix socket by their user id. Set its ConnContext
// in the http.Server of that socket.
//
// It proves that the caller runs as that user, and no more: an agent with a shell
// does, too. A program that should only ask is given a key of an asker, which
// counts in place of the socket; see [First].
type Peers struct {
	UID int       // who may call, usually os.Getuid()
	Who Principal // what such a caller is
}

type peerKey struct{}

// ConnContext notes who called, if the connection is of a Unix socket on a system
// that tells.
func (p *Peers) ConnContext(ctx context.Context, c net.Conn) context.Context {
	if u, ok := c.(*net.UnixConn); ok {
		if uid, err := peerUID(u); err == nil {
			return context.WithValue(ctx, peerKey{}, uid)
		}
	}
	return ctx
}

// Authenticate returns the principal of a caller with the right user id. One who
// shows something else besides wants to be that, not the user.
func (p *Peers) Authenticate(r *http.Request) (*Principal, error) {
	uid, ok := r.Context().Value(peerKey{}).(int)
	switch {
	case !ok:
		return nil, ErrNoCredential
	case uid != p.UID, len(r.Header["Authorization"]) > 0:
		return nil, ErrCredential
	}
	who := p.Who
	return &who, nil
}
