package web

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/surface/words"
	"github.com/saysohq/sayso/hub"
)

// settings is the page of what a person has chosen for all surfaces.
type settings struct {
	Grace     []option
	Languages []option
	Zone      string
	Now       string // the time there
	Notice    string
	Problems  []string
}

// graces are the times that the page offers, in seconds.
var graces = []int{0, 3, 5, 10, 20, 30}

func (s *Site) settingsPage(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	rd := s.reader(r.Context())
	v := rd.settings()
	if r.URL.Query().Get("saved") != "" {
		v.Notice = rd.Web.Saved
	}
	s.showSettings(w, r, http.StatusOK, v)
}

func (s *Site) showSettings(w http.ResponseWriter, r *http.Request, status int, v *settings) {
	rd := s.reader(r.Context())
	l, err := s.list(r.Context(), rd.who, r.URL.Query(), "")
	if err != nil {
		s.broken(w, r, err)
		return
	}
	s.render(w, r, status, "page", page{Title: rd.Web.Settings, Who: rd.who, List: l, Settings: v})
}

// settings makes the page.
func (rd *reader) settings() *settings {
	v := &settings{Zone: rd.prefs.Zone, Now: rd.stamp(rd.now)}
	now := int(rd.grace.Seconds())
	shown := false
	for _, n := range graces {
		o := option{strconv.Itoa(n), rd.Count(rd.Web.SecondsLong, n), n == now}
		if n == 0 {
			o.Label = rd.Web.NoGrace
		}
		shown = shown || o.On
		v.Grace = append(v.Grace, o)
	}
	if !shown {
		v.Grace = append(v.Grace, option{strconv.Itoa(now), rd.Count(rd.Web.SecondsLong, now), true})
	}
	v.Languages = append(v.Languages, option{"", rd.Web.OfBrowser, rd.prefs.Language == ""})
	for _, l := range words.Languages() {
		v.Languages = append(v.Languages, option{l.Tag, l.Name, l.Tag == rd.prefs.Language})
	}
	return v
}

func (s *Site) setSettings(w http.ResponseWriter, r *http.Request, who *auth.Principal) {
	rd := s.reader(r.Context())
	if err := r.ParseForm(); err != nil {
		http.Error(w, rd.Web.Unreadable, statusOf(err))
		return
	}
	p := &hub.Preferences{Language: r.PostForm.Get("language"), Zone: strings.TrimSpace(r.PostForm.Get("zone"))}
	if n, err := strconv.Atoi(r.PostForm.Get("grace")); err == nil {
		p.Grace = &n
	}
	var problems []string
	if _, ok := location(p.Zone); p.Zone != "" && !ok {
		problems = append(problems, rd.Say(rd.Web.NoSuchZone, rd.Quote(sayso.SafeLine(p.Zone))))
	}
	if _, ok := words.Known(p.Language); p.Language != "" && !ok {
		problems = append(problems, rd.Web.NoSuchLanguage)
	}
	if len(problems) == 0 {
		err := s.deskOf(who).SetPreferences(r.Context(), p)
		var invalid *sayso.InvalidError
		switch {
		case err == nil:
			http.Redirect(w, r, "/settings?saved=1", http.StatusSeeOther)
			return
		case errors.As(err, &invalid):
			for _, each := range invalid.Problems {
				problems = append(problems, each.Path+" "+each.Message)
			}
		default:
			s.broken(w, r, err)
			return
		}
	}
	v := rd.settings()
	v.Problems, v.Zone = problems, p.Zone
	s.showSettings(w, r, http.StatusUnprocessableEntity, v)
}
