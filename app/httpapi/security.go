package httpapi

import (
	"strings"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/securitylog"
)

// noted tells the security log of a refusal: the route and never the path, ids and
// never what the client sent.
func (c *call) noted(p *problem) {
	var e securitylog.Event
	switch name := strings.TrimPrefix(p.Type, api.ProblemURN); name {
	case wrongHost.name:
		e.Name = securitylog.HostRejected
	case crossOrigin.name:
		e.Name = securitylog.OriginRejected
	case unauthenticated.name:
		why := auth.Rejected(c.r, p.cause)
		e = securitylog.Event{Name: securitylog.CredentialRejected, Reason: why.Why, Tenant: why.Tenant, Key: why.Key}
		if why.Role != 0 {
			e.Role = why.Role.String()
		}
	case notAllowed.name, lowAssurance.name:
		e.Name, e.Reason = securitylog.RoleRejected, name
	case tooMany.name:
		e.Name = securitylog.QuotaReached
		if p.Quota != nil {
			e.Reason = p.Quota.Name
		}
	default:
		return
	}
	if e.Name != securitylog.QuotaReached {
		c.s.counts.refused.Add(1, strings.TrimSuffix(string(e.Name), "-rejected"))
	}
	if c.route != nil {
		e.Route = c.route.method + " " + c.route.path
	}
	if c.who != nil {
		e.Tenant, e.Key, e.Session, e.Role = c.who.Tenant, c.who.Key, c.who.Session, c.who.Role.String()
	}
	e.Address = securitylog.Address(c.r)
	c.s.opts.Security.Note(e)
}
