package web

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/saysohq/sayso/app/auth"
)

// sessionList is the page of where the person is signed in.
type sessionList struct {
	Rows   []sessionRow
	Others bool   // there is one that is not this device's
	Notice string // what was done
}

type sessionRow struct {
	ID, Device, Began, Used string
	Here                    bool
}

// allOthers stands for the sessions of all other devices; no id has a space.
const allOthers = "all others"

func (s *Site) sessionsPage(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	all, err := s.sessions.List(r.Context(), who.Tenant, who.ID)
	if err != nil {
		s.broken(w, r, err)
		return
	}
	if i := slices.IndexFunc(all, func(n auth.Session) bool { return n.ID == who.Session }); i > 0 {
		all = slices.Insert(slices.Delete(slices.Clone(all), i, i+1), 0, all[i]) // this device first
	}
	rd := s.reader(r.Context())
	v := &sessionList{}
	for _, n := range all {
		v.Rows = append(v.Rows, sessionRow{
			ID: n.ID, Device: n.Device, Began: rd.ago(n.Created), Used: rd.ago(n.Used), Here: n.ID == who.Session,
		})
		v.Others = v.Others || n.ID != who.Session
	}
	switch n, err := strconv.Atoi(r.URL.Query().Get("ended")); {
	case err != nil || n < 0:
	case n == 0:
		v.Notice = rd.Web.EndedAlready
	default:
		v.Notice = rd.Count(rd.Web.WereEnded, n)
	}
	l, err := s.list(r.Context(), who, r.URL.Query(), "")
	if err != nil {
		s.broken(w, r, err)
		return
	}
	s.render(w, r, http.StatusOK, "page", page{Title: rd.Web.Sessions, Who: who, List: l, Sessions: v})
}

// endSessions ends one session of the person, or those of all other devices.
func (s *Site) endSessions(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	ended, err := 0, error(nil)
	switch id := r.PostFormValue("end"); id {
	case who.Session:
		s.logout(w, r, who)
		return
	case allOthers:
		if all, err := s.sessions.List(r.Context(), who.Tenant, who.ID); err == nil {
			for _, n := range all {
				if n.ID != who.Session {
					s.forget(r, who, n.ID)
				}
			}
		}
		ended, err = s.sessions.EndAll(r.Context(), who.Tenant, who.ID, who.Session)
	default:
		s.forget(r, who, id)
		err = s.sessions.End(r.Context(), who.Tenant, who.ID, id)
		if err == nil {
			ended = 1
		} else if errors.Is(err, auth.ErrNoSession) {
			err = nil
		}
	}
	if err != nil {
		s.broken(w, r, err)
		return
	}
	http.Redirect(w, r, "/sessions?ended="+strconv.Itoa(ended), http.StatusSeeOther)
}
