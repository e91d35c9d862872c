package web

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/securitylog"
)

// LoginLink returns an address under base that lets the person in once.
func (s *Site) LoginLink(ctx context.Context, base string, who *auth.Principal) (string, error) {
	word, err := s.sessions.NewLink(ctx, who)
	if err != nil {
		return "", err
	}
	// Behind the # it is sent to no server, stands in no log and no Referer.
	return strings.TrimRight(base, "/") + "/login#" + word, nil
}

// LoginLinkTo is LoginLink for one page of the site, such as /ask/HANDLE. A browser that
// is signed in goes there as it is.
func (s *Site) LoginLinkTo(ctx context.Context, base string, who *auth.Principal, to string) (string, error) {
	link, err := s.LoginLink(ctx, base, who)
	if err != nil || !isLocal(to) {
		return link, err
	}
	before, word, _ := strings.Cut(link, "#")
	return before + "?" + url.Values{"next": {to}}.Encode() + "#" + word, nil
}

// loginView is what the login page shows.
type loginView struct{ Used bool }

func (s *Site) loginPage(w http.ResponseWriter, r *http.Request) {
	if to := r.URL.Query().Get("next"); isLocal(to) {
		if _, err := s.session(w, r); err == nil {
			http.Redirect(w, r, to+"#", http.StatusSeeOther) // what stands behind the # here is not taken along
			return
		}
		s.setCookie(w, pageCookie, base64.RawURLEncoding.EncodeToString([]byte(to)), comeBackFor)
	}
	rd := s.reader(r.Context())
	s.render(w, r, http.StatusOK, "login", page{Title: rd.Web.LogIn, Login: &loginView{}})
}

func (s *Site) login(w http.ResponseWriter, r *http.Request) {
	rd := s.reader(r.Context())
	who, err := s.sessions.UseLink(r.Context(), strings.TrimSpace(r.PostFormValue("token")))
	used := errors.Is(err, auth.ErrUsed)
	if err != nil && !used && !errors.Is(err, auth.ErrCredential) {
		s.opts.Log.Error("using a sign-in link", "err", err)
		s.render(w, r, http.StatusServiceUnavailable, "login", page{Title: rd.Web.LogIn, Login: &loginView{}, Error: rd.Web.CodeUnchecked})
		return
	}
	if err != nil {
		reason := "unknown"
		status, sentence := http.StatusForbidden, rd.Web.CodeInvalid
		if used {
			reason = "used"
			status, sentence = http.StatusGone, rd.Web.CodeUsed
		}
		s.noted(r, securitylog.Event{Name: securitylog.SignInRejected, Reason: reason})
		s.render(w, r, status, "login", page{Title: rd.Web.LogIn, Login: &loginView{Used: used}, Error: sentence})
		return
	}
	if old, err := s.session(w, r); err == nil { // this device has one session at a time
		if err := s.end(r, old, old.Session); err != nil {
			s.opts.Log.Error("ending the session before", "err", err)
		}
	}
	who.Paired = who.Paired && s.opts.Secure // without https, others may see the cookie
	cookie, begun, err := s.sessions.Begin(r.Context(), who, auth.Device(r.UserAgent()))
	if err != nil {
		s.opts.Log.Error("beginning a session", "err", err)
		s.render(w, r, http.StatusServiceUnavailable, "login", page{Title: rd.Web.LogIn, Login: &loginView{Used: true}, Error: rd.Web.NoSession})
		return
	}
	s.noted(r, securitylog.Event{Name: securitylog.SignedIn, Tenant: begun.Tenant, Session: begun.ID})
	s.setCookie(w, sessionCookie, cookie, begun.Until.Sub(begun.Used))
	http.Redirect(w, r, s.comeBack(w, r), http.StatusSeeOther)
}

// logout ends the session, and with it every page that is open in it.
func (s *Site) logout(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	if err := s.end(r, who, who.Session); err != nil {
		s.broken(w, r, err)
		return
	}
	s.noted(r, securitylog.Event{Name: securitylog.SignedOut, Tenant: who.Tenant, Session: who.Session})
	s.setCookie(w, sessionCookie, "", -time.Second)
	http.Redirect(w, r, "/login", http.StatusSeeOther)
}

// end ends a session of the person. One that has ended is no error.
func (s *Site) end(r *http.Request, who *auth.Principal, id string) error {
	s.forget(r, who, id)
	err := s.sessions.End(r.Context(), who.Tenant, who.ID, id)
	if errors.Is(err, auth.ErrNoSession) {
		return nil
	}
	return err
}

// forget ends the notifications of a session that is about to end: a lost phone must
// not be told. If that fails, they end when the next one is due.
func (s *Site) forget(r *http.Request, who *auth.Principal, id string) {
	if s.opts.Notify == nil {
		return
	}
	if err := s.opts.Notify.RemoveSession(r.Context(), who.Tenant, who.ID, id); err != nil {
		s.opts.Log.Error("ending the notifications of a session", "err", err)
	}
}
