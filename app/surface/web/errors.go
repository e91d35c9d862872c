package web

import (
	"context"
	"errors"
	"net/http"
)

// notFound answers an address that is no page: with a page that leads back, or in a
// few words where a script or a program asks.
func (s *Site) notFound(w http.ResponseWriter, r *http.Request) {
	rd := s.reader(r.Context())
	if r.Method != http.MethodGet && r.Method != http.MethodHead || wantsPart(r) {
		http.Error(w, rd.Web.NoSuchPage, http.StatusNotFound)
		return
	}
	p := page{Title: rd.Web.NoSuchPage, Error: rd.Web.NoSuchPageText, Way: way{"/", rd.Web.AllQuestions}}
	who, err := s.session(w, r)
	if err != nil {
		s.render(w, r, http.StatusNotFound, "alone", p)
		return
	}
	r = s.reads(r, who)
	p.Who = who
	if p.List, err = s.list(r.Context(), who, nil, ""); err != nil {
		p.List = brokenList()
	}
	s.render(w, r, http.StatusNotFound, "page", p)
}

// way is the one thing to do on a page that says what is wrong: a link. An empty
// address is the page itself, once more.
type way struct{ To, Words string }

// broken tells the person that something failed, without what.
func (s *Site) broken(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	rd := s.reader(r.Context())
	s.opts.Log.Error("serving a page", "route", r.Pattern, "err", err)
	p := page{Title: rd.Web.NotNow, Error: rd.Web.NotNowText, Way: way{"", rd.Web.TryAgain}, List: brokenList(), Who: rd.who}
	if r.Method != http.MethodGet {
		p.Way = way{"/", rd.Web.AllQuestions} // a link would not repeat what was sent
	}
	s.render(w, r, http.StatusServiceUnavailable, "page", p)
}

// outOf tells that a session is needed for what was sent.
func (s *Site) outOf(w http.ResponseWriter, r *http.Request) {
	rd := s.reader(r.Context())
	if wantsPart(r) || r.Pattern == "GET /events" {
		http.Error(w, rd.Web.YouAreSignedOut, http.StatusUnauthorized)
		return
	}
	s.render(w, r, http.StatusUnauthorized, "alone", page{Title: rd.Web.YouAreSignedOut, Error: rd.Web.NothingSent, Way: way{"/login", rd.Web.SignIn}})
}
