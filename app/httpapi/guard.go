package httpapi

import (
	"errors"

	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
)

// foreign refuses what a web page could have made a browser send: requests for
// another name (a page whose own name was bound anew to this address), and requests
// of foreign pages, by any method.
func (c *call) foreign() error {
	if !c.s.pages.Named(c.r) {
		return wrongHost.problem("")
	}
	if !c.s.pages.SameOrigin(c.r) && !c.s.unguarded {
		return crossOrigin.problem("")
	}
	return nil
}

// admit finds out who makes the request, and refuses what is foreign.
func (c *call) admit() error {
	if err := c.foreign(); err != nil {
		return err
	}
	who, err := c.s.opts.Auth.Authenticate(c.r)
	if err != nil && !errors.Is(err, auth.ErrCredential) && !errors.Is(err, auth.ErrNoCredential) {
		return c.problemOf(err) // nobody can tell now
	}
	if err != nil {
		p := unauthenticated.problem("")
		p.cause = err
		return p
	}
	if who.Tenant == "" {
		return c.problemOf(auth.ErrCredential)
	}
	c.who = who
	c.w.who = who
	if v := c.s.opts.Version; v != "" {
		c.w.Header().Set(api.VersionHeader, v)
	}
	return nil
}
