package auth

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
)

// Pages tells what a web page could have made a browser send: requests for
// another name (a page whose own name was bound anew to this address), and
// requests of foreign pages, by any method.
type Pages struct {
	hosts   atomic.Pointer[[]string]
	origins []string
	cross   *http.CrossOriginProtection
}

// NewPages returns the rules of a server that answers to these names, besides
// those of the machine itself, and trusts the pages of these origins.
func NewPages(hosts, origins []string) (*Pages, error) {
	p := &Pages{origins: origins, cross: http.NewCrossOriginProtection()}
	p.SetHosts(hosts)
	for _, origin := range origins {
		if err := p.cross.AddTrustedOrigin(origin); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// SetHosts changes the names that the server answers to, besides those of the
// machine itself.
func (p *Pages) SetHosts(hosts []string) {
	all := append([]string{"localhost", "127.0.0.1", "[::1]"}, hosts...)
	p.hosts.Store(&all)
}

// Named reports whether the request is for a name that the server answers to.
func (p *Pages) Named(r *http.Request) bool {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
		if strings.Contains(name, ":") {
			host = "[" + name + "]"
		}
	}
	return slices.Contains(*p.hosts.Load(), strings.ToLower(strings.TrimSuffix(host, ".")))
}

// SameOrigin reports whether the request comes from a program, from a page of the
// server itself or from one that it trusts. [http.CrossOriginProtection] lets
// every GET pass; here a GET reads questions and answers, so it must not.
func (p *Pages) SameOrigin(r *http.Request) bool {
	origins := r.Header["Origin"]
	if len(origins) == 1 && slices.Contains(p.origins, origins[0]) {
		return true
	}
	switch site := r.Header["Sec-Fetch-Site"]; {
	case len(site) == 0:
	case len(site) > 1, site[0] != "same-origin" && site[0] != "none":
		return false
	}
	switch len(origins) {
	case 0:
	case 1:
		u, err := url.Parse(origins[0])
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	default:
		return false
	}
	return p.cross.Check(r) == nil
}

// NoPage says to browsers that a response is no page: not to be framed, guessed
// at, kept or run.
func NoPage(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}
