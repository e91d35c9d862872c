package web

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/surface/words"
	"github.com/saysohq/sayso/hub"
)

// defaultGrace is for how long an answer is held of a person who has chosen nothing.
const defaultGrace = 5 * time.Second

// reader is who reads a page: their language, their time zone, and for how long their
// answers are held.
type reader struct {
	*words.Catalogue
	who   *auth.Principal // nil: nobody is signed in
	zone  *time.Location
	now   time.Time
	grace time.Duration
	prefs *hub.Preferences
}

type readerKey struct{}

// reader returns who reads what the request asks for. It is made once for a request.
func (s *Site) reader(ctx context.Context) *reader {
	if rd, ok := ctx.Value(readerKey{}).(*reader); ok {
		return rd
	}
	return s.newReader(nil, "", &hub.Preferences{}, "")
}

// reads puts the reader of a request into its context; who is nil if nobody is signed in.
func (s *Site) reads(r *http.Request, who *auth.Principal) *http.Request {
	prefs := &hub.Preferences{}
	if who != nil {
		if p, err := s.deskOf(who).Preferences(r.Context()); err == nil { // without them there is still a page
			prefs = p
		}
	}
	zone := ""
	if c, err := r.Cookie(zoneCookie); err == nil {
		zone = c.Value
	}
	rd := s.newReader(who, words.Accept(r.Header.Get("Accept-Language")), prefs, zone)
	return r.WithContext(context.WithValue(r.Context(), readerKey{}, rd))
}

// zoneCookie has the time zone of the browser, which the script knows.
const zoneCookie = "sayso-zone"

func (s *Site) newReader(who *auth.Principal, language string, p *hub.Preferences, zone string) *reader {
	rd := &reader{who: who, now: s.opts.Now(), prefs: p, zone: time.UTC, grace: s.opts.Grace}
	if tag, ok := words.Known(p.Language); ok {
		language = tag
	}
	rd.Catalogue = s.catalogues[words.For(language).Tag]
	for _, name := range []string{zone, p.Zone} {
		if l, ok := location(name); ok {
			rd.zone = l
		}
	}
	if p.Grace != nil {
		rd.grace = time.Duration(*p.Grace) * time.Second
	}
	rd.grace = max(rd.grace, 0)
	return rd
}

// location returns the time zone of a name, such as Europe/Berlin.
func location(name string) (*time.Location, bool) {
	if name == "" || len(name) > 64 || strings.EqualFold(name, "local") {
		return nil, false
	}
	l, err := time.LoadLocation(name)
	return l, err == nil
}

// ago says how long ago something was.
func (rd *reader) ago(t time.Time) string { return rd.Ago(rd.now.Sub(t)) }

// stamp is a time in full, with the name of its zone.
func (rd *reader) stamp(t time.Time) string {
	name, _ := t.In(rd.zone).Zone()
	return rd.DateTime(t, rd.zone) + " " + name
}

// due says how long it is until the deadline; it is empty without one.
func (rd *reader) due(a *sayso.Ask) string {
	if a.Deadline.IsZero() {
		return ""
	}
	return rd.Due(a.Deadline.Sub(rd.now))
}

// by is how the person's outcomes are signed.
func (rd *reader) by() sayso.Responder { return responder(rd.who) }

// list puts names together: a, b and c.
func (rd *reader) list(names []string) string {
	if n := len(names); n > 1 {
		return rd.Say(rd.Web.And, strings.Join(names[:n-1], ", "), names[n-1])
	}
	return strings.Join(names, "")
}

// quoted puts each name between the quotation marks of the language.
func (rd *reader) quoted(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = rd.Quote(n)
	}
	return out
}

// deskOf is the inbox of a person, with all that they can do there.
func (s *Site) deskOf(who *auth.Principal) hub.Desk {
	return s.hub.Inbox(who.Tenant, responder(who)).(hub.Desk)
}

// heldUp says what waits behind an ask; it is empty if nothing does.
func (rd *reader) heldUp(a *sayso.Ask) string {
	if a.HeldUp().Count() == 0 {
		return ""
	}
	return rd.Say(rd.HeldUp, rd.WaitsBehind(a.HeldUp()))
}

// final says that the answer cannot be undone, if it cannot.
func (rd *reader) final(a *sayso.Ask) string {
	if a.Notice() == "" {
		return ""
	}
	return rd.Final
}

// warning says that the ask wants a secret and does not say so.
func (rd *reader) warning(a *sayso.Ask) string {
	if a.Warning() == "" {
		return ""
	}
	return rd.AsksForSecret
}
