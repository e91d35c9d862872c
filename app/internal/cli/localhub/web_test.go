package localhub

import (
	"context"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/auth"
)

// browser is a client that looks for names below .localhost on this machine, as
// browsers do.
func browser(t *testing.T) *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, _ := net.SplitHostPort(address)
			return new(net.Dialer).DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
		},
	}}
}

// TestWebLink: the address lets a browser in once, under a name that is new with
// every start, and the port of the API gives no address to anybody.
func TestWebLink(t *testing.T) {
	t.Parallel()
	p := newPlace(t, settings{Listen: anyPort})
	link, err := p.WebLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	base, token, _ := strings.Cut(link, "/login#")
	if !regexp.MustCompile(`^http://[a-z2-7]{26}\.localhost:\d+$`).MatchString(base) || token == "" {
		t.Fatalf("the address is %s", link)
	}
	b := browser(t)
	status := func(resp *http.Response, err error) int {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.Request.URL.Path == "/login" && resp.StatusCode == 200 {
			return http.StatusUnauthorized // it was led to the login
		}
		return resp.StatusCode
	}
	if got := status(b.Get(base + "/")); got != 401 {
		t.Errorf("without a login: %d", got)
	}
	for _, want := range []int{200, 410} {
		if got := status(b.PostForm(base+"/login", url.Values{"token": {token}})); got != want {
			t.Errorf("login: %d, want %d", got, want)
		}
	}
	once, err := p.WebLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, token, _ = strings.Cut(once, "/login#")
	form := strings.NewReader(url.Values{"token": {token}}.Encode())
	r, err := http.NewRequest("POST", base+"/login", form)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := b.Transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := resp.Header.Get("Set-Cookie"); !regexp.MustCompile(`^sayso=[^;]+; Path=/; Max-Age=\d+; HttpOnly; SameSite=Lax$`).MatchString(got) {
		t.Errorf("the cookie is %s", got) // WebKit keeps no Secure cookie on plain http
	}
	if got := status(http.Post(p.url()+webPath, "", nil)); got < 400 {
		t.Errorf("the port of the API: %d", got)
	}
	if got := status(b.Post(base+webPath, "", nil)); got < 400 {
		t.Errorf("the port of the inbox: %d", got)
	}
	if told, err := p.WebAddress(t.Context()); err != nil || told != "" {
		t.Errorf("agents are told the address %q (%v)", told, err)
	}
	p.kill()
	again, err := p.WebLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	old, name := hostname(t, base), hostname(t, again)
	if name == old {
		t.Errorf("the name %s is used again after a restart", name)
	}
	at := "http://" + net.JoinHostPort("127.0.0.1", port(t, again))
	for _, host := range []string{old, "127.0.0.1", "localhost", "[::1]", "other.localhost", "x." + name, name + ".", "", strings.TrimSuffix(name, ".localhost")} {
		r, err := http.NewRequest("GET", at+"/login", nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, suffix := range []string{"", ":" + port(t, again), ":80"} {
			if r.Host = host + suffix; r.Host == "" {
				continue // the address is taken then
			}
			if got := status(http.DefaultClient.Do(r)); got != http.StatusMisdirectedRequest {
				t.Errorf("under the name %q: %d", r.Host, got)
			}
		}
	}
	r, err = http.NewRequest("GET", at+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = name
	u, _ := url.Parse(base)
	for _, c := range b.Jar.Cookies(u) {
		r.AddCookie(c)
	}
	if got := status(http.DefaultTransport.RoundTrip(r)); got != http.StatusSeeOther || len(r.Cookies()) == 0 {
		t.Errorf("with a cookie of before the restart: %d", got)
	}
	if got := status(b.Get("http://" + strings.ToUpper(name) + ":" + port(t, again) + "/")); got != 401 {
		t.Errorf("in capitals: %d", got)
	}
}

func hostname(t *testing.T, link string) string {
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	return u.Hostname()
}

func port(t *testing.T, link string) string {
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

// TestLoginPage: every login has a page of its own, which nobody else can read, and
// what nobody needs any more is removed.
func TestLoginPage(t *testing.T) {
	t.Parallel()
	p := Places{Runtime: t.TempDir() + "/run"}
	first, err := p.LoginPage(`http://a.localhost:1/login#x"><script>`)
	if err != nil {
		t.Fatal(err)
	}
	second, err := p.LoginPage("http://a.localhost:1/login#y")
	if err != nil || first == second {
		t.Fatalf("%s and %s: %v", first, second, err)
	}
	text, err := os.ReadFile(first)
	if err != nil || !strings.Contains(string(text), `url=http://a.localhost:1/login#x&#34;&gt;&lt;script&gt;"`) {
		t.Errorf("the page is %s (%v)", text, err)
	}
	for name, want := range map[string]os.FileMode{p.Runtime: 0o700, first: 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
	long := time.Now().Add(-auth.LinkFor - time.Second)
	if err := os.Chtimes(first, long, long); err != nil {
		t.Fatal(err)
	}
	if _, err := p.LoginPage("http://a.localhost:1/login#z"); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(p.Runtime + "/*"); len(left) != 2 || slices.Contains(left, first) {
		t.Errorf("left are %v", left)
	}
	p.removeLoginPages(0)
	if left, _ := filepath.Glob(p.Runtime + "/*"); len(left) != 0 {
		t.Errorf("left are %v", left)
	}
}
