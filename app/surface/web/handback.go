package web

import (
	"errors"
	"maps"
	"net/http"
	"regexp"
	"slices"
)

// handedBack is a form that cannot be taken now, and the ask of which cannot be
// shown: the session has ended, or the hub is away. The page has everything that was
// typed, and offers to go on with it.
type handedBack struct {
	SignedOut bool
	Action    string
	Hidden    []field
	Texts     []field
}

type field struct{ Name, Value string }

var formField = regexp.MustCompile(`^(?:digest|life|base|opened|[qtne]\d{1,3})$`)

// handBack answers a form that cannot be taken now with what was typed into it.
func (s *Site) handBack(w http.ResponseWriter, r *http.Request, status int) {
	v := &handedBack{SignedOut: status == http.StatusUnauthorized, Action: r.URL.Path}
	for _, name := range slices.Sorted(maps.Keys(r.PostForm)) {
		for _, value := range r.PostForm[name] {
			switch {
			case !formField.MatchString(name):
			case name[0] != 't' && name[0] != 'n':
				v.Hidden = append(v.Hidden, field{name, value})
			case value != "":
				v.Texts = append(v.Texts, field{name, value})
			}
		}
	}
	s.render(w, r, status, "handedBack", page{Title: s.reader(r.Context()).Web.NotSent, Back: v})
}

// signedOut refuses a request that needs a session. A form that was filled in
// meanwhile is handed back.
func (s *Site) signedOut(w http.ResponseWriter, r *http.Request) {
	if r.Pattern == "POST /ask/{handle}" && !wantsPart(r) && r.ParseForm() == nil {
		s.handBack(w, r, http.StatusUnauthorized)
		return
	}
	s.outOf(w, r)
}

// unsure answers a request when nobody can tell who makes it.
func (s *Site) unsure(w http.ResponseWriter, r *http.Request, err error) {
	if r.Pattern == "POST /ask/{handle}" && !wantsPart(r) && r.ParseForm() == nil {
		s.opts.Log.Error("reading a session", "err", err)
		s.handBack(w, r, http.StatusServiceUnavailable)
		return
	}
	s.broken(w, r, err)
}

// statusOf is the status for a form that could not be read, or an ask.
func statusOf(err error) int {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusServiceUnavailable
}
