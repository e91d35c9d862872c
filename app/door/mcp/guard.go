package mcp

import (
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// guard refuses what a web page could have made a browser send: requests for
// another name (a page whose own name was bound anew to this address), and
// requests of foreign pages, by any method.
type guard struct {
	hosts []string
	cross *http.CrossOriginProtection
}

func newGuard(hosts []string) *guard {
	return &guard{append([]string{"localhost", "127.0.0.1", "[::1]"}, hosts...), http.NewCrossOriginProtection()}
}

// refuses returns the status with which a request is refused, or zero.
func (g *guard) refuses(r *http.Request) (status int, why string) {
	if !slices.Contains(g.hosts, hostOf(r.Host)) {
		return http.StatusMisdirectedRequest, "this server does not answer to that name"
	}
	for _, name := range []string{"Authorization", "Mcp-Session-Id", "Mcp-Protocol-Version", conversationHeader} {
		if len(r.Header.Values(name)) > 1 {
			return http.StatusBadRequest, "a header stands twice"
		}
	}
	// CrossOriginProtection lets every GET pass; here a GET reads questions.
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "same-origin" && site != "none" {
			return http.StatusForbidden, "pages of other sites may not call"
		}
	}
	for _, origin := range r.Header.Values("Origin") {
		if u, err := url.Parse(origin); err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return http.StatusForbidden, "pages of other sites may not call"
		}
	}
	if g.cross.Check(r) != nil {
		return http.StatusForbidden, "pages of other sites may not call"
	}
	return 0, ""
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

func isJSON(contentType string) bool {
	kind, params, err := mime.ParseMediaType(contentType)
	charset := strings.ToLower(params["charset"])
	return err == nil && kind == "application/json" && (charset == "" || charset == "utf-8")
}

// secure says to browsers that nothing here is a page.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}
