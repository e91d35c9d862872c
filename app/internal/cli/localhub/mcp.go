package localhub

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/door/mcp"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/app/securitylog"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// mcpPath is where agents come in that speak MCP over HTTP.
const mcpPath = "/mcp"

// mcpAgents serves those agents. What they do is done by the API, as who they are.
type mcpAgents struct {
	door    *mcp.Door
	handler http.Handler
}

func newMCP(o *ServeOptions, who auth.Authenticator, api *httpapi.Server, inbox func() string, security *securitylog.Log) (*mcpAgents, error) {
	key, err := console.Secret(o.Places.mcpKey())
	if err != nil {
		return nil, fmt.Errorf("reading the key of the MCP server: %w", err)
	}
	const own = "serve/"
	door := mcp.New(&mcp.Options{
		Key: key, Inbox: inbox, Instance: own + strings.ToLower(rand.Text()[:10]), Version: o.Version,
		// Only one hub serves a folder, so the runs of others are over.
		Gone: func(instance string) bool { return strings.HasPrefix(instance, own) },
	})
	quota := o.quota().WithDefaults()
	return &mcpAgents{door, door.Handler(&mcp.HTTPOptions{
		Auth: who, Hosts: o.Hosts, Security: security, Refuses: api.Refuses, Sessions: quota.Sessions, AllSessions: quota.AllSessions,
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
