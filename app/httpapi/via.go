package httpapi

import (
	"cmp"
	"context"
	"net/http"
)

type viaKey struct{}

// Via has an integration of this process make its requests through the server: the
// asks say which way they came. Nobody outside the process can claim it.
func Via(name string, server http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		server.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), viaKey{}, name)))
	})
}

// via says which way the request came: through an integration of this process, with
// a key, or over the owner's socket.
func (c *call) via() string {
	name, _ := c.r.Context().Value(viaKey{}).(string)
	if c.who.Key != "" {
		return cmp.Or(name, "http")
	}
	return cmp.Or(name, "socket")
}
