package httpapi

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/saysohq/sayso/app/auth"
)

// admit finds out who makes the request, and refuses what a web page could have
// made a browser send: requests for another name (a page whose own name was bound
// anew to this address), and requests of foreign pages, by any method.
func (c *call) admit() error {
	if !slices.Contains(c.s.hosts, hostOf(c.r.Host)) {
		return wrongHost.problem("if it should, name it in the server's hosts")
	}
	if err := c.sameOrigin(); err != nil && !c.s.unguarded {
		return err
	}
	who, err := c.s.opts.Auth.Authenticate(c.r)
	if err != nil {
		return unauthenticated.problem("")
	}
	if who.Tenant == "" {
		return c.problemOf(auth.ErrCredential)
	}
	c.who = who
	c.w.who = who
	return nil
}

// sameOrigin refuses what comes from a foreign page. http.CrossOriginProtection
// lets every GET pass; here a GET reads questions and answers, so it must not.
func (c *call) sameOrigin() error {
	refused := crossOrigin.problem("pages of this server may call, and programs; others not")
	origins := c.r.Header["Origin"]
	trusted := len(origins) == 1 && slices.Contains(c.s.opts.Origins, origins[0])
	if trusted {
		return nil
	}
	switch site := c.r.Header["Sec-Fetch-Site"]; {
	case len(site) == 0:
	case len(site) > 1, site[0] != "same-origin" && site[0] != "none":
		return refused
	}
	switch len(origins) {
	case 0:
	case 1:
		u, err := url.Parse(origins[0])
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, c.r.Host) {
			return refused
		}
	default:
		return refused
	}
	if c.s.cross.Check(c.r) != nil {
		return refused
	}
	return nil
}

// hostOf returns the name in a Host header, in lower case and without its port.
func hostOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
		if strings.Contains(name, ":") {
			host = "[" + name + "]"
		}
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// secure says to browsers that nothing here is a page: not to be framed, guessed
// at, kept or run.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}
