package localhub

import (
	"crypto/rand"
	"strings"

	"github.com/saysohq/sayso/app/gateway"
	"github.com/saysohq/sayso/app/httpapi"
)

// shared reports whether other processes may serve the same storage.
func (o *EngineOptions) shared() bool { return o.Cluster != nil || o.NATS != nil }

// runID names one run of a hub among all.
func runID() string { return strings.ToLower(rand.Text()[:10]) }

// join has this hub and the others over the same storage know of each other. It is
// nil if there can be none.
func (o *ServeOptions) join(e *Engine, id string, api *httpapi.Server) *gateway.Group {
	if !o.Engine.shared() {
		return nil
	}
	return gateway.Join(e.Store, &gateway.Options{ID: id, Tell: api.Usage, Hear: api.UsedElsewhere})
}
