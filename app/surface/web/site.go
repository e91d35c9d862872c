package web

import (
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"encoding/base64"
	"html/template"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/securitylog"
	"github.com/saysohq/sayso/app/surface/words"
	"github.com/saysohq/sayso/hub"
)

//go:embed templates assets
var files embed.FS

const (
	maxBody  = 1 << 20
	bodyTime = 10 * time.Second
)

// Options are the options of [New].
type Options struct {
	Hosts    []string         // names this site answers to, beside localhost and the loopback addresses
	Only     bool             // it answers to the names in Hosts and to no other. Default: to this machine's too
	Secure   bool             // the site is reached by https. Default: plain http on a loopback address
	Streams  Streams          // how many pages are kept up to date. Default: see there
	Grace    time.Duration    // for which an answer is held, unless the person chose another time. Default: 5 s; negative: it is not
	Now      func() time.Time // default: time.Now
	Log      *slog.Logger     // default: none is kept
	Security *securitylog.Log // default: none is kept

	// Notify tells people of questions; nil: the site has no page for that. Push is
	// what their browsers subscribe with, and Accounts is what else they can link at
	// this moment; either may be nil.
	Notify   Notifier
	Push     Pusher
	Accounts func() []Account
}

// Site is the web inbox of one hub: an http.Handler.
type Site struct {
	hub      *hub.Hub
	sessions *auth.Sessions
	opts     Options
	hosts    atomic.Pointer[[]string] // the names that it answers to
	forms    locks
	streams  *streams
	pages    map[string]*template.Template // by language
	held     heldAsks

	catalogues map[string]*words.Catalogue // the words, by language
	mux        *http.ServeMux
	origin     *http.CrossOriginProtection
}

// New returns the inbox of the hub for people who are signed in with these
// sessions. Both stay the caller's.
func New(h *hub.Hub, sessions *auth.Sessions, opts *Options) *Site {
	s := &Site{hub: h, sessions: sessions, origin: http.NewCrossOriginProtection()}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Grace == 0 {
		s.opts.Grace = defaultGrace
	}
	if s.opts.Now == nil {
		s.opts.Now = time.Now
	}
	if s.opts.Log == nil {
		s.opts.Log = slog.New(slog.DiscardHandler)
	}
	s.SetHosts(s.opts.Hosts)
	s.streams = newStreams(s.opts.Streams)
	s.pages, s.catalogues = templates()
	s.mux = http.NewServeMux()
	s.routes()
	return s
}

// SetHosts changes the names that the site answers to: see [Options].Hosts.
func (s *Site) SetHosts(hosts []string) { s.hosts.Store(&hosts) }

func (s *Site) routes() {
	open := func(pattern string, h http.HandlerFunc) { s.mux.HandleFunc(pattern, h) }
	open("GET /assets/", s.asset)
	open("GET /sw.js", s.asset)
	open("GET /manifest.webmanifest", s.asset)
	open("GET /offline", func(w http.ResponseWriter, r *http.Request) {
		s.render(w, r, http.StatusOK, "offline", page{Title: s.reader(r.Context()).Web.Offline})
	})
	open("GET /login", s.loginPage)
	open("POST /login", s.login)

	s.mux.Handle("POST /logout", s.person(s.logout))
	s.mux.Handle("GET /{$}", s.person(s.inbox))
	s.mux.Handle("GET /stats", s.person(s.stats))
	s.mux.Handle("GET /settings", s.person(s.settingsPage))
	s.mux.Handle("POST /settings", s.person(s.setSettings))
	s.mux.Handle("GET /batch", s.person(s.batchPage))
	s.mux.Handle("POST /batch", s.person(s.sendBatch))
	s.mux.Handle("POST /undo", s.person(s.undoHeld))
	s.mux.Handle("GET /sessions", s.person(s.sessionsPage))
	s.mux.Handle("POST /sessions", s.person(s.endSessions))
	if s.opts.Notify != nil {
		s.mux.Handle("GET /notifications", s.person(s.notificationsPage))
		s.mux.Handle("POST /notifications", s.person(s.setNotifications))
	}
	s.mux.Handle("GET /events", s.person(s.events))
	s.mux.Handle("GET /list", s.person(s.listPart))
	s.mux.Handle("GET /ask/{handle}", s.person(s.askPage))
	s.mux.Handle("GET /ask/{handle}/all", s.person(s.wholePage))
	s.mux.Handle("GET /ask/{handle}/export", s.person(s.export))
	s.mux.Handle("POST /ask/{handle}", s.person(s.answer))
	s.mux.Handle("POST /ask/{handle}/draft", s.person(s.saveDraft))
	s.mux.Handle("POST /ask/{handle}/attend", s.person(s.attend))
	open("/", s.notFound)
}

// ServeHTTP serves the site to the names it answers to.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.knownHost(r.Host) {
		s.noted(r, securitylog.Event{Name: securitylog.HostRejected})
		http.Error(w, s.wordsFor(r).Web.OtherName, http.StatusMisdirectedRequest)
		return
	}
	if err := s.origin.Check(r); err != nil {
		s.noted(r, securitylog.Event{Name: securitylog.OriginRejected})
		http.Error(w, s.wordsFor(r).Web.OtherSite, http.StatusForbidden)
		return
	}
	// The protection above lets every GET through. A page of another site may
	// link to ours, and may do nothing else with it.
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		if r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document" {
			s.noted(r, securitylog.Event{Name: securitylog.OriginRejected})
			http.Error(w, s.wordsFor(r).Web.OtherSite, http.StatusForbidden)
			return
		}
	}
	if r.ContentLength != 0 { // who sends slowly is let go; a timeout of the whole server would end the streams
		http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime))
	}
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	s.mux.ServeHTTP(w, s.reads(r, nil))
}

// wordsFor are those of the browser's language, for a request that nobody reads yet.
func (s *Site) wordsFor(r *http.Request) *words.Catalogue {
	return s.catalogues[words.For(words.Accept(r.Header.Get("Accept-Language"))).Tag]
}

func (s *Site) knownHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(host)
	for _, own := range *s.hosts.Load() { // in a time that tells nothing about a name that is secret
		if subtle.ConstantTimeCompare([]byte(host), []byte(strings.ToLower(own))) == 1 {
			return true
		}
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return !s.opts.Only && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// noted tells the security log what happened on which route.
func (s *Site) noted(r *http.Request, e securitylog.Event) {
	e.Route, e.Address = r.Pattern, securitylog.Address(r)
	s.opts.Security.Note(e)
}

// page is what every template is given.
type page struct {
	W        *words.Catalogue
	Title    string
	Nonce    string
	Who      *auth.Principal
	List     *list
	Ask      *ask
	Stats    *statistics
	Sessions *sessionList
	Login    *loginView
	Back     *handedBack
	Error    string
	Way      way     // out of an error
	Home     bool    // it is the list
	Here     string  // its address
	Held     []*held // answers that can be undone
	Settings *settings
	Batch    *batch
	People   bool // there are others in the tenant

	Notifications *notifications
	Notify        bool     // there is a page of notifications
	Failing       []string // devices that do not get notifications
	KeepPush      bool     // this browser has a subscription to keep
	PushKey       string
}

// HasApproval reports whether something that an agent wants to do is on the page.
func (p page) HasApproval() bool {
	return p.Ask != nil && p.Ask.Approval != nil || p.Batch != nil && p.Batch.Ask == nil
}

// MoreHeld is how many answers can be undone besides the newest.
func (p page) MoreHeld() int { return max(len(p.Held)-1, 0) }

// FailingNames are the devices that do not get notifications.
func (p page) FailingNames() string { return strings.Join(p.Failing, ", ") }

// Detail reports whether the page has something beside the list. On a phone that is
// all it shows.
func (p page) Detail() bool {
	return p.Ask != nil || p.Settings != nil || p.Batch != nil || p.Stats != nil || p.Sessions != nil || p.Notifications != nil || p.Error != ""
}

// responder is how the person's outcomes are signed.
func responder(who *auth.Principal) sayso.Responder {
	return sayso.Responder{Kind: sayso.ByPerson, ID: who.ID, Surface: "web", Assurance: who.Assurance}
}

func (s *Site) inboxOf(who *auth.Principal) hub.Inbox {
	return s.hub.Inbox(who.Tenant, responder(who))
}

func randomText(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}
