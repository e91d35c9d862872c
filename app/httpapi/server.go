package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/metrics"
	"github.com/saysohq/sayso/app/rules"
	"github.com/saysohq/sayso/app/securitylog"
	"github.com/saysohq/sayso/dialect"
	"github.com/saysohq/sayso/hub"
)

// Options are the options of [New].
type Options struct {
	Auth     auth.Authenticator                         // who makes a request; must be set
	Hosts    []string                                   // the names this server answers to, beside localhost and the loopback addresses; a port is not looked at
	Origins  []string                                   // web origins whose pages may call, as in https://ask.example.com; default: only the server's own
	Dialects []sayso.Dialect                            // default: dialect.All()
	Quota    Quota                                      // default: see there
	Usage    hub.Store                                  // where it is noted what each credential has stored; default: that is forgotten with the server
	Changed  func()                                     // told that Usage has something new for other servers over the same store; must not block; default: there are none
	Sessions Sessions                                   // where people are signed in; default: nowhere
	Rules    *rules.Rules                               // what decides about approvals; default: there are none, and none are kept
	Attend   func(tenant, person string, a hub.Address) // told that a person is at an open ask; must not block; default: nobody is
	Ready    func(context.Context) error                // what keeps the server from being ready; default: nothing but its end
	Log      *slog.Logger                               // default: none is kept
	Security *securitylog.Log                           // what was refused; default: none is kept
	Now      func() time.Time                           // default: time.Now
	Version  string                                     // of the program, sent as api.VersionHeader; default: none is sent
	Metrics  []metrics.Source                           // what is written beside the server's own metrics; default: nothing

	// OneAsker says that only one program asks through this hub, with one question
	// at a time in a conversation, so that a response need not name what was
	// shown. Default: it must.
	OneAsker bool

	Heartbeat time.Duration // how often an idle stream is kept alive; default: 15 s
	BodyTime  time.Duration // how long a client may take to send a body; default: 10 s
	WriteTime time.Duration // how long a client may take to read a response, or one event; default: 10 s
}

// Server is the API over one hub: an http.Handler.
type Server struct {
	hub         *hub.Hub
	opts        Options
	mux         *http.ServeMux
	registry    huma.Registry
	description *static
	pages       *auth.Pages
	spellings   spellings
	tallies     tallies
	limits      limits
	usages      usages
	counts      counts
	readiness   readiness

	sessionsHere atomic.Pointer[func() map[string]int] // of agents; nil: none are counted

	active    atomic.Int64
	drains    atomic.Bool // it is about to close
	unguarded bool        // in a test that shows what the guard is for

	life context.Context // ends with Close
	stop context.CancelFunc
	done <-chan struct{} // closed by Close
	work sync.WaitGroup
}

// New returns the API over the hub, which stays the caller's. Close it after use.
func New(h *hub.Hub, opts *Options) (*Server, error) { return build(h, opts, routes()) }

// build makes a server of a table of routes.
func build(h *hub.Hub, opts *Options, table []route) (*Server, error) {
	if opts == nil || opts.Auth == nil {
		return nil, errors.New("httpapi: nobody says who makes a request: set Options.Auth")
	}
	s := &Server{hub: h, opts: *opts, mux: http.NewServeMux()}
	s.opts.setDefaults()
	var err error
	if s.pages, err = auth.NewPages(s.opts.Hosts, s.opts.Origins); err != nil {
		return nil, fmt.Errorf("httpapi: origins: %w", err)
	}
	doc, schemas := describe(table)
	s.registry = doc.Components.Schemas
	bodies := bodiesOf(table, s.registry, schemas)
	if s.description, err = newStatic(doc); err != nil {
		return nil, err
	}
	s.limits.init(s.opts.Quota, s.opts.Now)
	s.limits.changed = s.opts.Changed
	s.usages = usages{s.opts.Usage, s.opts.Now}
	s.counts.init(table)
	ctx, stop := context.WithCancel(context.Background())
	s.stop, s.done = stop, ctx.Done()
	s.life = ctx
	if s.opts.Usage != nil {
		s.work.Go(func() { s.noteUsages(ctx) })
	}
	for i := range table {
		rt := &table[i]
		if !rt.rule.public && rt.rule.roles == 0 {
			stop()
			return nil, fmt.Errorf("httpapi: route %s %s has no rule about who may use it", rt.method, rt.path)
		}
		s.mux.HandleFunc(rt.method+" "+rt.path, func(w http.ResponseWriter, r *http.Request) {
			s.serve(&call{s: s, route: rt, body: bodies[rt.id], w: w.(*writer), r: r})
		})
	}
	return s, nil
}

func (o *Options) setDefaults() {
	if o.Dialects == nil {
		o.Dialects = dialect.All()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rules == nil {
		o.Rules = rules.New(hub.NewMemory(nil), nil)
	}
	o.Heartbeat = cmp.Or(o.Heartbeat, 15*time.Second)
	o.BodyTime = cmp.Or(o.BodyTime, 10*time.Second)
	o.WriteTime = cmp.Or(o.WriteTime, 10*time.Second)
}

// Close ends every stream and wait, and returns when nothing of the server runs
// any more. Requests that come later are refused. It may be called again.
func (s *Server) Close() {
	s.stop()
	s.work.Wait()
}

// Active returns how many requests are being served, streams and waits among
// them: whether somebody is attached.
func (s *Server) Active() int { return int(s.active.Load()) }

// HTTPServer returns a server for the API with the timeouts that it needs. Its
// Shutdown closes the API. For a Unix socket, set ConnContext to that of an
// [auth.Peers].
func (s *Server) HTTPServer() *http.Server {
	server := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       60 * time.Second,
		MaxHeaderBytes:    32 << 10,
		// What net/http says may hold what a client sent.
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	server.RegisterOnShutdown(s.stop)
	return server
}

// call is one request.
type call struct {
	s     *Server
	route *route
	body  body
	w     *writer
	r     *http.Request
	who   *auth.Principal
	size  int // bytes of the body that was read

	attends *hub.Attendance // to the ask that it stored, if it waits for it
}

// ServeHTTP serves a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.active.Add(1)
	defer s.active.Add(-1)
	ww := &writer{ResponseWriter: w, limit: s.opts.WriteTime}
	c := &call{s: s, w: ww, r: r} // until a route is found
	start := s.opts.Now()
	defer func() {
		if v := recover(); v != nil {
			c.panicked(v)
		}
		s.logged(ww, r, s.opts.Now().Sub(start))
	}()
	auth.NoPage(ww.Header())
	if r.ContentLength != 0 { // net/http waits for a body, also of a request that is refused
		http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.opts.BodyTime))
	}
	if _, pattern := s.mux.Handler(r); pattern == "" {
		c.finish(c.lost())
		return
	}
	s.mux.ServeHTTP(ww, r)
}

// serve lets a request through to its route, or not.
func (s *Server) serve(c *call) {
	c.w.route = c.route
	c.finish(func() error {
		if !c.route.rule.public {
			if err := c.admit(); err != nil {
				return err
			}
			if !c.who.Role.Is(c.route.rule.roles) {
				return notAllowed.problemf("This key has the role %s. The request needs: %s.", c.who.Role, c.route.rule.roles)
			}
			if p := s.limits.refuses(c.who, c.r); p != nil {
				return p
			}
		}
		select {
		case <-s.done:
			return c.problemOf(hub.ErrStopped)
		default:
		}
		err := c.route.serve(s, c)
		if err == nil && c.route.acts(c.who) {
			err = s.hub.Active(c.r.Context(), c.who.Tenant, c.who.ID)
			if err != nil && s.opts.Log != nil { // the request was served
				s.opts.Log.Warn("noting that a person is there", "error", err)
			}
			err = nil
		}
		return err
	}())
}

// lost says what is wrong with a request that has no route. Only who has a
// credential is told which routes there are.
func (c *call) lost() error {
	if err := c.admit(); err != nil {
		return err
	}
	var allow []string
	for _, method := range []string{"DELETE", "GET", "POST", "PUT"} {
		other := c.r.Clone(c.r.Context())
		other.Method = method
		if _, pattern := c.s.mux.Handler(other); pattern != "" {
			allow = append(allow, method)
		}
	}
	if len(allow) == 0 {
		return notFound.problem("No route has this path. GET /openapi.json lists them.")
	}
	for _, method := range allow {
		c.w.Header().Add("Allow", method)
	}
	return badMethod.problem("")
}

// finish ends a request that failed.
func (c *call) finish(err error) {
	if err == nil {
		return
	}
	if c.gone(err) {
		c.w.status = clientGone
		return
	}
	p := c.problemOf(err)
	c.w.cause = p.cause
	c.noted(p)
	if p.Type == api.ProblemURN+alreadyClosed.name {
		c.s.counts.conflicts.Add(1)
	}
	if p.Quota != nil {
		c.s.counts.quotas.Add(1, p.Quota.Name)
	}
	if c.w.wrote {
		return
	}
	if p.Quota != nil && !c.s.limits.hold(c.r.Context(), c.who) {
		return
	}
	writeProblem(c.w, p)
}

// reply writes a success.
func (c *call) reply(status int, v any) error {
	if v == nil {
		c.w.WriteHeader(status)
		return nil
	}
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("httpapi: spelling the response: %w", err)
	}
	c.w.Header().Set("Content-Type", "application/json")
	c.w.WriteHeader(status)
	c.w.Write(append(body, '\n'))
	return nil
}

// until bounds what the request waits for: it ends with the client, with its
// credential and with the server.
func (c *call) until() (context.Context, context.CancelFunc) {
	ctx, cancel := c.who.Bind(c.r.Context())
	stop := context.AfterFunc(c.s.life, cancel)
	return ctx, func() { stop(); cancel() }
}

// stopped returns hub.ErrStopped in place of an error of what until bounds, if it was
// the server that ended it.
func (c *call) stopped(err error) error {
	if err != nil && c.s.life.Err() != nil && c.r.Context().Err() == nil {
		return hub.ErrStopped
	}
	return err
}

func (s *Server) dialectByName(name string) (sayso.Dialect, bool) {
	i := slices.IndexFunc(s.opts.Dialects, func(d sayso.Dialect) bool { return d.Spec().Dialect == name })
	if i < 0 {
		return nil, false
	}
	return s.opts.Dialects[i], true
}
