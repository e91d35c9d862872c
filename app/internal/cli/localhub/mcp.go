package localhub

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/door/mcp"
	"github.com/saysohq/sayso/app/gateway"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/app/securitylog"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// mcpPath is where agents come in that speak MCP over HTTP.
const mcpPath = "/mcp"

// serveInstance begins the names of the runs of hubs, among all that ask.
const serveInstance = "serve/"

// mcpAgents serves those agents. What they do is done by the API, as who they are.
type mcpAgents struct {
	door    *mcp.Door
	handler http.Handler
}

func newMCP(ctx context.Context, o *ServeOptions, e *Engine, id string, group *gateway.Group, who auth.Authenticator, api *httpapi.Server, inbox func() string, security *securitylog.Log) (*mcpAgents, error) {
	key, err := auth.SharedSecret(ctx, e.Store, "mcp", o.Places.mcpKey())
	if err != nil {
		return nil, fmt.Errorf("reading the key of the MCP server: %w", err)
	}
	opts := &mcp.Options{Key: key, Inbox: inbox, Instance: serveInstance + id, Version: o.Version}
	// Only one hub serves a folder, so the runs of others are over, unless they are
	// those of hubs that serve the same storage elsewhere.
	opts.Gone = func(instance string) bool {
		id, ok := strings.CutPrefix(instance, serveInstance)
		return ok && (group == nil || group.Ended(id))
	}
	if group != nil {
		opts.Ends = group.Ends
	}
	door := mcp.New(opts)
	api.CountSessions(door.Sessions)
	quota := o.quota().WithDefaults()
	return &mcpAgents{door, door.Handler(&mcp.HTTPOptions{
		Elsewhere: api.SessionsElsewhere, Began: group.Changed,
		Auth: who, Pages: api.Pages(), Security: security, Refuses: api.Refuses, Sessions: quota.Sessions, AllSessions: quota.AllSessions,
		Hub: func(r *http.Request) (hub.Asker, error) {
			return clientOf(httpapi.Via("mcp", api), r, &client.Options{Surface: "mcp"})
		},
	})}, nil
}

// beside lets everybody else through.
func (a *mcpAgents) beside(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == mcpPath {
			a.handler.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
