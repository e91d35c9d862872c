package web

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/connlimit"
	"github.com/saysohq/sayso/app/securitylog"
)

// The names of the cookies, after what the connection allows in front of them.
const (
	sessionCookie = "sayso"
	pageCookie    = "sayso-page" // the page that was asked for before signing in
)

// comeBackFor is how long signing in leads to the page that was asked for.
const comeBackFor = 15 * time.Minute

// cookieName is the name of a cookie here. __Host- keeps other hosts and paths from
// setting it, and needs https, which a loopback address has not.
func (s *Site) cookieName(name string) string {
	if s.opts.Secure {
		return "__Host-" + name
	}
	return name
}

// setCookie keeps a value in the browser for a time, or drops it.
func (s *Site) setCookie(w http.ResponseWriter, name, value string, keep time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(name), Value: value, Path: "/",
		HttpOnly: true, Secure: s.opts.Secure, SameSite: http.SameSiteLaxMode,
		MaxAge: int(keep / time.Second),
	})
}

// session returns who is signed in, and prolongs the cookie where that is due.
func (s *Site) session(w http.ResponseWriter, r *http.Request) (*auth.Principal, error) {
	c, err := r.Cookie(s.cookieName(sessionCookie))
	if err != nil {
		return nil, auth.ErrNoCredential
	}
	who, renewed, err := s.sessions.Authenticate(r.Context(), c.Value)
	if renewed > 0 {
		s.setCookie(w, sessionCookie, c.Value, renewed)
	}
	return who, err
}

// person lets a handler be used by people who are signed in.
func (s *Site) person(h func(http.ResponseWriter, *http.Request, *auth.Principal)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, err := s.session(w, r)
		if errors.Is(err, auth.ErrCredential) {
			why := auth.Rejected(r, err)
			s.noted(r, securitylog.Event{Name: securitylog.SessionRejected, Reason: why.Why, Tenant: why.Tenant, Session: why.Session})
		}
		switch {
		case err == nil:
			connlimit.Credential(r.Context())
			if r.Method == http.MethodPost || r.Header.Get("Sec-Fetch-Mode") == "navigate" { // not what a page fetches by itself
				_ = s.hub.Active(r.Context(), who.Tenant, who.ID) // the page is as good without
			}
			h(w, s.reads(r, who), who)
		case !errors.Is(err, auth.ErrCredential) && !errors.Is(err, auth.ErrNoCredential):
			s.unsure(w, r, err)
		case r.Method == http.MethodGet && !wantsPart(r) && r.Pattern != "GET /events":
			if to := r.URL.RequestURI(); isLocal(to) {
				s.setCookie(w, pageCookie, base64.RawURLEncoding.EncodeToString([]byte(to)), comeBackFor)
			}
			http.Redirect(w, r, "/login", http.StatusSeeOther)
		default:
			s.signedOut(w, r)
		}
	})
}

// comeBack returns the page that was asked for before signing in, once.
func (s *Site) comeBack(w http.ResponseWriter, r *http.Request) string {
	c, err := r.Cookie(s.cookieName(pageCookie))
	if err != nil {
		return "/"
	}
	s.setCookie(w, pageCookie, "", -time.Second)
	to, err := base64.RawURLEncoding.DecodeString(c.Value)
	if err != nil || !isLocal(string(to)) {
		return "/"
	}
	return string(to)
}

// isLocal reports whether an address stays on this site, whoever reads it: a path
// of printable ASCII with one slash in front and no backslash, which browsers take
// for a slash.
func isLocal(to string) bool {
	if len(to) > 1024 || !strings.HasPrefix(to, "/") || strings.Contains(to, "//") || strings.Contains(to, `\`) {
		return false
	}
	for i := range len(to) {
		if to[i] <= ' ' || to[i] > '~' {
			return false
		}
	}
	return true
}
