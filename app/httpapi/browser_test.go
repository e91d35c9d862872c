package httpapi

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/app/auth"
)

// everybody is the worst case: a credential that the browser adds by itself, as
// it would a cookie, or a server that trusts whoever reaches its port.
type everybody struct{ who auth.Principal }

func (e everybody) Authenticate(*http.Request) (*auth.Principal, error) { return &e.who, nil }

// hit is a request that a browser made, and what it got.
type hit struct {
	line, host, origin, site string
	status                   int
}

// target is a hub in reach of a browser.
type target struct {
	*world
	port string
	ask  api.Ticket

	mu   sync.Mutex
	hits []hit
}

// newTarget serves a hub on a loopback port. Beside it, the port serves the page
// with which a rebound name begins, before it leads to the hub.
func newTarget(t *testing.T, opts *Options) *target {
	tg := &target{world: newWorld(t, opts)}
	a := &sayso.Ask{ID: "a1", Origin: sayso.Origin{Conversation: "c1"}, Questions: []sayso.Question{{ID: "q", Text: "Which database?", Options: []sayso.Option{{ID: "o", Label: "PostgreSQL"}}}}}
	tk, err := tg.hub.Submit(t.Context(), "acme", a)
	if err != nil {
		t.Fatal(err)
	}
	tg.ask = wire(tg.hub, tk, whole)
	url := tg.listen(t, func(s *http.Server) {
		api := s.Handler
		s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/evil" {
				tg.page(t, w, "rebound.html", "")
				return
			}
			if r.URL.Path == "/favicon.ico" {
				http.NotFound(w, r)
				return
			}
			rec := &writer{ResponseWriter: w, limit: soon}
			api.ServeHTTP(rec, r)
			tg.mu.Lock()
			defer tg.mu.Unlock()
			tg.hits = append(tg.hits, hit{r.Method + " " + r.URL.Path, r.Host, r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site"), rec.status})
		})
	})
	_, tg.port, _ = net.SplitHostPort(strings.TrimPrefix(url, "http://"))
	return tg
}

func (tg *target) page(t *testing.T, w http.ResponseWriter, name, hub string) {
	text, err := os.ReadFile(filepath.Join("testdata", "evil", name))
	if err != nil {
		t.Error(err)
	}
	w.Header().Set("Content-Type", "text/html")
	strings.NewReplacer("HUB", "http://"+hub, "ASK", tg.ask.ID, "DIGEST", tg.ask.Digest).WriteString(w, string(text))
}

// attack has a browser open pages that attack the hub under each of its names,
// until all of them are done or there is enough, and returns what the hub let
// through.
func (tg *target) attack(t *testing.T, chromium string, enough func() bool, names ...string) (tried int, accepted []hit) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	frames := []string{"http://evil.test:" + tg.port + "/evil"} // rebinding
	for _, name := range names {
		for _, from := range []string{"evil.test", "localhost", "sibling." + name} { // cross-site, another port, a sibling
			frames = append(frames, fmt.Sprintf("http://%s:%s/?hub=%s:%s", from, port, name, tg.port))
		}
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			tg.page(t, w, "foreign.html", r.URL.Query().Get("hub"))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		for _, src := range frames {
			fmt.Fprintf(w, "<iframe src=%q></iframe>\n", src)
		}
	})}
	go server.Serve(l)
	defer server.Close()

	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer cancel()
	watch.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for !enough() {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
		cancel()
	})
	out, err := exec.CommandContext(ctx, chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-popup-blocking",
		"--user-data-dir="+t.TempDir(), "--host-resolver-rules=MAP *.test 127.0.0.1", "--virtual-time-budget=3000",
		"--dump-dom", "http://evil.test:"+port+"/all").CombinedOutput()
	if err != nil && ctx.Err() == nil {
		t.Errorf("%v\n%.500s", err, out)
	}
	return tg.result()
}

// result returns how many requests were made, and those that were accepted.
func (tg *target) result() (tried int, accepted []hit) {
	tg.mu.Lock()
	defer tg.mu.Unlock()
	for _, h := range tg.hits {
		if h.status >= 200 && h.status < 400 {
			accepted = append(accepted, h)
		}
	}
	return len(tg.hits), accepted
}

// Web pages in a real browser get nothing from a hub, although it takes whoever
// reaches it for the person: S11, S12, S13. With a token they do not even get
// there, and without the guards they get everything.
func TestBrowser(t *testing.T) {
	if os.Getenv("SAYSO_BROWSER") == "" {
		t.Skip("needs Chromium: run .ci/run chromium, which installs it")
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal(err)
	}
	who := auth.Principal{Tenant: "acme", ID: "ada", Role: auth.Everything}
	boot, _ := auth.NewBoot(who)
	for _, c := range []struct {
		name  string
		auth  auth.Authenticator
		names []string
	}{
		{"token of the boot", boot, []string{"127.0.0.1", "localhost", "hub.test"}},
		// Under other names, over plain HTTP, browsers do not say that an image
		// is foreign: such a server must not take credentials that browsers add.
		{"ambient credential", everybody{who}, []string{"127.0.0.1", "localhost"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tg := newTarget(t, &Options{Auth: c.auth, Hosts: []string{"hub.test"}})
			tried, accepted := tg.attack(t, chromium, func() bool { return false }, c.names...)
			for _, h := range accepted {
				t.Errorf("accepted: %+v", h)
			}
			if now, err := tg.hub.Get(t.Context(), tg.ask.Address); err != nil || now.Revision != tg.ask.Revision {
				t.Errorf("the ask changed: %v", err)
			}
			kinds := map[string]int{}
			for _, h := range tg.hits {
				kinds[strings.TrimSpace(fmt.Sprintf("%d %s", h.status, h.site))]++
			}
			t.Logf("%d requests, %d accepted: %v", tried, len(accepted), kinds)
			if tried < 100 {
				t.Errorf("only %d requests were tried", tried)
			}
		})
	}
	t.Run("without the guards", func(t *testing.T) {
		tg := newTarget(t, &Options{Auth: everybody{who}, Hosts: []string{"evil.test"}})
		tg.unguarded = true
		answered := func() bool {
			now, err := tg.hub.Get(t.Context(), tg.ask.Address)
			return err == nil && !now.Open()
		}
		// A stream that is accepted never ends, and then neither does the page.
		tried, accepted := tg.attack(t, chromium, func() bool {
			_, accepted := tg.result()
			return len(accepted) >= 10 && answered()
		}, "localhost")
		t.Logf("%d requests, %d accepted", tried, len(accepted))
		if len(accepted) < 10 {
			t.Errorf("only %d requests got through: the attacks are none", len(accepted))
		}
		if !answered() {
			t.Error("nobody answered for the person")
		}
	})
}
