package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/securitylog"
	"github.com/saysohq/sayso/hub"
)

// HTTPOptions are the options of [Door.Handler].
type HTTPOptions struct {
	// Auth tells who makes a request; must be set.
	Auth auth.Authenticator

	// Hub returns the hub as the maker of a request may use it; must be set.
	Hub func(*http.Request) (hub.Asker, error)

	// Hosts are the names that the server answers to, beside those of the
	// machine itself.
	Hosts []string

	// Pages are the rules about names in place of those that Hosts make, shared
	// with another handler. Default: those of Hosts.
	Pages *auth.Pages

	// Security is told what was refused. Default: no such log is kept.
	Security *securitylog.Log

	// Refuses says why a request of who comes too soon, before its body is read.
	// Default: none does.
	Refuses func(who *auth.Principal, r *http.Request) *api.Problem

	// Elsewhere returns how many sessions who has at other processes that serve
	// the same hub. Default: there are none.
	Elsewhere func(who *auth.Principal) int

	// Began is told that a session began. Default: nobody is.
	Began func()

	Sessions    int // of one credential, for older clients; default: 64
	AllSessions int // of all credentials together; default: 1000
}

// Handler serves clients that come over HTTP, each as whoever its credential says
// it is. Nobody without one gets further than this; nor does what a web page made
// a browser send, or a body that two readers could understand differently.
//
// A client that names its conversation in the header Sayso-Conversation is told
// there of answers that came too late for their calls.
func (d *Door) Handler(o *HTTPOptions) http.Handler {
	server := func(*http.Request) *sdk.Server { return d.server }
	// Sessions are for older clients; without them there is no form to send.
	// Newer ones have none, and end a call by hanging up.
	older := sdk.NewStreamableHTTPHandler(server, &sdk.StreamableHTTPOptions{
		SessionTimeout: sessionIdle, DisableLocalhostProtection: true, MaxRequestBodyBytes: maxMessage,
	})
	newer := sdk.NewStreamableHTTPHandler(server, &sdk.StreamableHTTPOptions{
		Stateless: true, PropagateRequestCancellation: true, DisableLocalhostProtection: true, MaxRequestBodyBytes: maxMessage,
	})
	// The SDK lets nobody use a session but the one who began it.
	owned := sdkauth.RequireBearerToken(func(_ context.Context, _ string, r *http.Request) (*sdkauth.TokenInfo, error) {
		v, _ := d.visitors.Load(r.Header.Get(visitorHeader))
		c, ok := v.(*caller)
		if !ok {
			return nil, sdkauth.ErrInvalidToken
		}
		return &sdkauth.TokenInfo{UserID: c.who, Expiration: time.Now().Add(time.Hour)}, nil
	}, nil)
	forOlder, forNewer := owned(older), owned(newer)
	d.sessions.init(o, d.server, d.now)
	pages := o.Pages
	if pages == nil {
		pages, _ = auth.NewPages(o.Hosts, nil) // only an origin can be wrong
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		auth.NoPage(w.Header())
		if status, why := refuses(pages, r); status != 0 {
			o.noted(r, status, nil)
			problem(w, status, why)
			return
		}
		who, err := o.Auth.Authenticate(r)
		if err != nil && !errors.Is(err, auth.ErrCredential) && !errors.Is(err, auth.ErrNoCredential) {
			w.Header().Set("Retry-After", "1")
			problem(w, http.StatusServiceUnavailable, "the hub cannot check the credential now: try again")
			return
		}
		if err != nil || who.Tenant == "" {
			o.noted(r, http.StatusUnauthorized, err)
			w.Header().Set("WWW-Authenticate", "Bearer")
			problem(w, http.StatusUnauthorized, "the request has no credential, or one that does not hold")
			return
		}
		if o.Refuses != nil {
			if p := o.Refuses(who, r); p != nil {
				o.tooMany(w, r, who, p)
				return
			}
		}
		if r.Method == http.MethodPost {
			if r = read(w, r); r == nil {
				return
			}
		}
		h, err := o.Hub(r)
		if err != nil {
			problem(w, http.StatusServiceUnavailable, "there is no hub")
			return
		}
		c := d.visitor(r, who, h)
		name := rand.Text()
		d.visitors.Store(name, c)
		defer d.visitors.Delete(name)
		r.Header.Set(visitorHeader, name)
		if r.Header.Get("MCP-Protocol-Version") >= modern {
			forNewer.ServeHTTP(w, r)
		} else {
			d.serveOlder(w, r, o, who, c, forOlder)
		}
		if r.Context().Err() != nil {
			c.inVain()
		}
	})
}

// serveOlder serves a client with a session, within its quota.
func (d *Door) serveOlder(w http.ResponseWriter, r *http.Request, o *HTTPOptions, who *auth.Principal, c *caller, older http.Handler) {
	id := r.Header.Get(sessionHeader)
	if id != "" || r.Method != http.MethodPost {
		defer d.sessions.use(id)()
		older.ServeHTTP(w, r)
		return
	}
	elsewhere := 0
	if o.Elsewhere != nil {
		elsewhere = o.Elsewhere(who)
	}
	if q := d.sessions.begin(c.who, elsewhere); q != nil {
		p := q.Problem(who.Name())
		o.tooMany(w, r, who, &p)
		return
	}
	defer func() {
		d.sessions.begun(c.who, who, w.Header())
		if o.Began != nil {
			o.Began()
		}
	}()
	older.ServeHTTP(w, r)
}

// tooMany refuses a request that meets a quota.
func (o *HTTPOptions) tooMany(w http.ResponseWriter, r *http.Request, who *auth.Principal, p *api.Problem) {
	o.Security.Note(securitylog.Event{
		Name: securitylog.QuotaReached, Reason: p.Quota.Name, Route: mcpRoute, Address: securitylog.Address(r),
		Tenant: who.Tenant, Key: who.Key, Role: who.Role.String(),
	})
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Retry-After", strconv.Itoa(p.Quota.Retry))
	w.WriteHeader(p.Status)
	json.NewEncoder(w).Encode(p)
}

// visitor is the caller of a request.
func (d *Door) visitor(r *http.Request, who *auth.Principal, h hub.Asker) *caller {
	c := &caller{hub: h, who: who.Tenant + "\x00" + who.ID + "\x00" + who.Role.String(), origin: d.opts.Origin, http: true}
	name := r.Header.Get(conversationHeader)
	if name == "" {
		c.memory = &memory{} // of this one call: the next may be of another agent
		return c
	}
	c.origin.Conversation = cut(sayso.SafeLine(name), 60)
	c.memory = d.memories.of(c.who + "\x00" + c.origin.Conversation)
	return c
}

const conversationHeader = "Sayso-Conversation"

// memories are those of the conversations over HTTP.
type memories struct {
	mu  sync.Mutex
	all map[string]*memory
}

// maxMemories is how many conversations are remembered. One that was forgotten
// misses to be told of late answers; its handles still get them.
const maxMemories = 10_000

func (m *memories) of(name string) *memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	if one := m.all[name]; one != nil {
		return one
	}
	if m.all == nil || len(m.all) >= maxMemories {
		m.all = map[string]*memory{}
	}
	one := &memory{}
	m.all[name] = one
	return one
}

// read reads the body of a request and lets it through if every reader of JSON
// understands it the same way.
func read(w http.ResponseWriter, r *http.Request) *http.Request {
	if len(r.Header["Content-Type"]) != 1 || !isJSON(r.Header.Get("Content-Type")) {
		problem(w, http.StatusUnsupportedMediaType, "the body is not said to be application/json")
		return nil
	}
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(10 * time.Second))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil {
		problem(w, http.StatusRequestEntityTooLarge, "the body is too large, or did not come")
		return nil
	}
	http.NewResponseController(w).SetReadDeadline(time.Time{})
	if err := checkMessage(body); err != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		w.Write(complain(body, err))
		return nil
	}
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return r
}

func problem(w http.ResponseWriter, status int, why string) { http.Error(w, why, status) }
