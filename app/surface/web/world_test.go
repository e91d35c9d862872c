package web_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/surface/web"
	"github.com/saysohq/sayso/hub"
)

// world is a site over a hub in memory, and a person who is logged in to it.
type world struct {
	t        *testing.T
	hub      *hub.Hub
	sessions *auth.Sessions
	site     *web.Site
	http     *httptest.Server
	c        *http.Client
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldWith(t, nil)
}

func newWorldWith(t *testing.T, opts *web.Options) *world {
	t.Helper()
	return newWorldOf(t, opts, nil)
}

// newWorldOf is a world whose hub knows these people.
func newWorldOf(t *testing.T, opts *web.Options, people []string) *world {
	t.Helper()
	if opts == nil {
		opts = &web.Options{}
	}
	if opts.Grace == 0 { // an answer counts at once, where a test does not say otherwise
		opts.Grace = -1
	}
	store := hub.NewMemory(nil)
	h, err := hub.Open(t.Context(), store, &hub.Options{People: func(context.Context, string) ([]string, error) { return people, nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Stop)
	w := &world{t: t, hub: h, sessions: auth.NewSessions(store, nil)}
	t.Cleanup(w.sessions.Close)
	w.site = web.New(h, w.sessions, opts)
	w.http = httptest.NewServer(w.site)
	t.Cleanup(w.http.Close)
	w.c = w.login("ann")
	return w
}

// connections are those of all clients here. The default ones are closed at the end of
// any httptest.Server, also while a test beside it is about to use one.
var connections = &http.Transport{}

// client follows no redirects. Its jar may be nil.
func client(jar http.CookieJar) *http.Client {
	return &http.Client{Transport: connections, Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// login returns a client that follows no redirects and has the person's session.
func (w *world) login(person string) *http.Client {
	c := client(newJar())
	r := w.post(c, "/login", url.Values{"token": {w.token(person)}})
	if r.code != http.StatusSeeOther {
		w.t.Fatalf("login: %d %s", r.code, r.body)
	}
	return c
}

// browse returns a browser without JavaScript in which the person is signed in.
func (w *world) browse(person string) *browser {
	b := &browser{c: w.login(person), base: w.http.URL}
	b.c.CheckRedirect = nil
	return b
}

func (w *world) token(person string) string {
	link, err := w.site.LoginLink(w.t.Context(), w.http.URL, &auth.Principal{Tenant: "local", ID: person, Role: auth.Answerer})
	if err != nil {
		w.t.Fatal(err)
	}
	_, token, _ := strings.Cut(link, "#")
	return token
}

// jar keeps the cookies of the one site.
type jar struct{ cookies []*http.Cookie }

func newJar() *jar { return &jar{} }

func (j *jar) SetCookies(_ *url.URL, cs []*http.Cookie) {
	for _, c := range cs {
		j.cookies = slices.DeleteFunc(j.cookies, func(old *http.Cookie) bool { return old.Name == c.Name })
		if c.MaxAge >= 0 {
			j.cookies = append(j.cookies, c)
		}
	}
}
func (j *jar) Cookies(*url.URL) []*http.Cookie { return j.cookies }

type reply struct {
	code   int
	body   string
	header http.Header
}

func (w *world) get(c *http.Client, path string) reply {
	w.t.Helper()
	r, err := http.NewRequest("GET", w.http.URL+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.do(c, r)
}

func (w *world) post(c *http.Client, path string, form url.Values) reply {
	w.t.Helper()
	r, err := http.NewRequest("POST", w.http.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return w.do(c, r)
}

func (w *world) do(c *http.Client, r *http.Request) reply {
	w.t.Helper()
	resp, err := c.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return reply{resp.StatusCode, string(body), resp.Header}
}

// ask submits an ask and returns its ticket and page.
func (w *world) ask(a *sayso.Ask) (*hub.Ticket, string) {
	w.t.Helper()
	a.Normalize()
	t, err := w.hub.Submit(w.t.Context(), "local", a)
	if err != nil {
		w.t.Fatal(err)
	}
	return t, "/ask/" + w.hub.Handle(t.Address)
}

func threeQuestions() *sayso.Ask {
	return &sayso.Ask{
		Origin: sayso.Origin{Agents: []string{"planner", "researcher"}, Workspace: "payments-api", Branch: "main"},
		Questions: []sayso.Question{
			{Header: "Database", Text: "Which database?", Options: []sayso.Option{{Label: "PostgreSQL (Recommended)", Preview: "image: postgres"}, {Label: "SQLite"}}},
			{Header: "Features", Text: "Which features?", Multi: true, Options: []sayso.Option{{Label: "Auth"}, {Label: "Search"}}},
			{Header: "Name", Text: "What name?"},
		},
	}
}

func (w *world) outcome(t *hub.Ticket) *sayso.Outcome {
	w.t.Helper()
	got, err := w.hub.Get(w.t.Context(), t.Address)
	if err != nil {
		w.t.Fatal(err)
	}
	return got.Outcome
}
