package mcp

import (
	"mime"
	"net/http"
	"strings"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/securitylog"
)

// refuses returns the status with which a request is refused before anybody asks
// who makes it, or zero.
func refuses(p *auth.Pages, r *http.Request) (status int, why string) {
	if !p.Named(r) {
		return http.StatusMisdirectedRequest, "this server does not answer to that name"
	}
	for _, name := range []string{"Authorization", "Mcp-Session-Id", "Mcp-Protocol-Version", conversationHeader} {
		if len(r.Header.Values(name)) > 1 {
			return http.StatusBadRequest, "a header stands twice"
		}
	}
	if !p.SameOrigin(r) {
		return http.StatusForbidden, "pages of other sites may not call"
	}
	return 0, ""
}

func isJSON(contentType string) bool {
	kind, params, err := mime.ParseMediaType(contentType)
	charset := strings.ToLower(params["charset"])
	return err == nil && kind == "application/json" && (charset == "" || charset == "utf-8")
}

// mcpRoute is how the security log names the door.
const mcpRoute = "/mcp"

// noted tells the security log of a request that was refused before its hub was
// asked. What the hub refuses is noted there.
func (o *HTTPOptions) noted(r *http.Request, status int, err error) {
	e := securitylog.Event{Route: mcpRoute, Address: securitylog.Address(r)}
	switch status {
	case http.StatusMisdirectedRequest:
		e.Name = securitylog.HostRejected
	case http.StatusForbidden:
		e.Name = securitylog.OriginRejected
	case http.StatusUnauthorized:
		why := auth.Rejected(r, err)
		e.Name, e.Reason, e.Tenant, e.Key = securitylog.CredentialRejected, why.Why, why.Tenant, why.Key
	default:
		return
	}
	o.Security.Note(e)
}
