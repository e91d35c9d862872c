package outbound

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Redirects of every kind, to a server that is not allowed and to one that is.
func TestRedirects(t *testing.T) {
	in := newInside(t, "tcp4", "127.0.0.2:0")
	var seen atomic.Int64
	mux := http.NewServeMux()
	hop := httptest.NewServer(mux)
	defer hop.Close()
	mux.HandleFunc("/next", func(http.ResponseWriter, *http.Request) { seen.Add(1) })
	targets := []string{in.URL, "http://127.0.0.2:" + in.port, "//127.0.0.2:" + in.port, hop.URL + "/next", "/next", "file:///etc/passwd", "gopher://127.0.0.2:" + in.port}
	for i, to := range targets {
		for _, code := range []int{300, 301, 302, 303, 307, 308} {
			mux.HandleFunc(fmt.Sprintf("/%d/%d", code, i), func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", to)
				w.Header().Set("Refresh", "0; url="+to)
				w.Header().Set("Alt-Svc", `h2="127.0.0.2:`+in.port+`"`)
				w.WriteHeader(code)
			})
		}
		mux.HandleFunc(fmt.Sprintf("/200/%d", i), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Refresh", "0; url="+to)
			w.Header().Set("Content-Location", to)
			fmt.Fprintf(w, `<meta http-equiv="refresh" content="0; url=%s"><img src="%s">`, to, to)
		})
	}
	for _, allow := range [][]string{{"127.0.0.1"}, {"127.0.0.0/8"}} {
		c := Client(&Options{Allow: allow})
		for i := range targets {
			for _, code := range []int{200, 300, 301, 302, 303, 307, 308} {
				for _, method := range []string{"GET", "POST"} {
					req, _ := http.NewRequestWithContext(t.Context(), method, fmt.Sprintf("%s/%d/%d", hop.URL, code, i), strings.NewReader("{}"))
					res, err := c.Do(req)
					if err != nil {
						t.Fatal(err)
					}
					io.Copy(io.Discard, res.Body)
					res.Body.Close()
					if res.StatusCode != code {
						t.Errorf("%d to %s: status %d", code, targets[i], res.StatusCode)
					}
				}
			}
		}
		c.CloseIdleConnections()
	}
	if n := in.conns.Load() + seen.Load(); n != 0 {
		t.Errorf("%d redirects were followed", n)
	}
}

// A proxy of the environment would be dialled in place of what is judged.
func TestProxyOfTheEnvironment(t *testing.T) {
	in := newInside(t, "tcp4", "127.0.0.1:0")
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"} {
		t.Setenv(name, in.URL)
	}
	c := Client(&Options{Allow: []string{"named.test", "127.0.0.1"}, Resolver: newZone(t, lookedUp).resolver(), dialed: noNetwork})
	for _, scheme := range []string{"http", "https"} {
		if _, err := c.Get(scheme + "://public.test/"); err == nil {
			t.Error("an answer")
		}
	}
	if n := in.conns.Load(); n != 0 {
		t.Errorf("%d connections reached the proxy", n)
	}
}

func TestAllow(t *testing.T) {
	in := newInside(t, "tcp4", "127.0.0.1:0")
	z := newZone(t, func(string, int) []netip.Addr { return []netip.Addr{netip.MustParseAddr("127.0.0.1")} })
	tests := []struct {
		allow, host string
		want        bool
	}{
		{"gotify.test", "gotify.test", true},
		{"gotify.test", "GOTIFY.test.", true},
		{"Gotify.test.", "gotify.test", true},
		{"gotify.test:PORT", "gotify.test", true},
		{"gotify.test:1", "gotify.test", false},
		{"gotify.test", "x.gotify.test", false},
		{"gotify.test", "gotify.test.x.test", false},
		{"test", "gotify.test", false},
		{"127.0.0.1", "gotify.test", true},
		{"127.0.0.1", "127.0.0.1", true},
		{"127.0.0.1:PORT", "127.0.0.1", true},
		{"127.0.0.1:PORT", "[::ffff:127.0.0.1]", true},
		{"127.0.0.1:1", "127.0.0.1", false},
		{"::ffff:127.0.0.1", "127.0.0.1", true},
		{"127.0.0.0/8", "gotify.test", true},
		{"10.0.0.0/8", "gotify.test", false},
		{"::1", "127.0.0.1", false},
		{"127.0.0.2", "127.0.0.1", false},
	}
	for _, tt := range tests {
		t.Run(tt.allow+" "+tt.host, func(t *testing.T) {
			allow := []string{strings.ReplaceAll(tt.allow, "PORT", in.port)}
			if err := CheckAllow(allow); err != nil {
				t.Fatal(err)
			}
			c := Client(&Options{Allow: allow, Resolver: z.resolver()})
			defer c.CloseIdleConnections()
			before := in.conns.Load()
			res, err := c.Get("http://" + tt.host + ":" + in.port + "/")
			if err == nil {
				res.Body.Close()
			}
			if (err == nil) != tt.want || (in.conns.Load() > before) != tt.want || (err != nil && !errors.Is(err, ErrRefused)) {
				t.Errorf("error %v, %d connections", err, in.conns.Load()-before)
			}
		})
	}
	for _, bad := range []string{"", ".", "*", "*.test", "http://gotify.test", "gotify.test/x", "a b", "10.0.0.0/33", "fe80::1%lo", "gotify.test:", "u@gotify.test"} {
		if err := CheckAllow([]string{bad}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// Without the operator's word nothing is sent in clear, also not to a public address.
func TestClear(t *testing.T) {
	z := newZone(t, lookedUp)
	for _, allow := range [][]string{nil, {"10.0.0.0/8"}, {"other.test"}} {
		c := Client(&Options{Allow: allow, Resolver: z.resolver(), dialed: noNetwork})
		for _, host := range []string{"public.test", "1.1.1.1"} {
			if _, err := c.Get("http://" + host + "/"); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "https") {
				t.Errorf("%v, %s: %v", allow, host, err)
			}
			if _, err := c.Get("https://" + host + "/"); !errors.Is(err, errNetwork) {
				t.Errorf("%v, %s: %v", allow, host, err)
			}
		}
	}
	c := Client(&Options{Allow: []string{"public.test"}, Resolver: z.resolver(), dialed: noNetwork})
	if _, err := c.Get("http://public.test/"); !errors.Is(err, errNetwork) {
		t.Error(err)
	}
}

func TestBounds(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/long", func(w http.ResponseWriter, _ *http.Request) {
		for range 3 * maxBody / 1024 {
			w.Write(make([]byte, 1024))
		}
	})
	mux.HandleFunc("/whole", func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, maxBody)) })
	mux.HandleFunc("/header", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 2*maxHeader)) })
	s := httptest.NewTLSServer(mux)
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	o := &Options{Allow: []string{"127.0.0.1"}, Roots: roots}
	c := Client(o)
	defer c.CloseIdleConnections()
	read := func(c *http.Client, path string) (int, error) {
		res, err := c.Get(s.URL + path)
		if err != nil {
			return 0, err
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		return len(b), err
	}
	if n, err := read(c, "/long"); n != maxBody || !errors.Is(err, errTooLong) {
		t.Errorf("a long answer: %d bytes, %v", n, err)
	}
	if n, err := read(c, "/whole"); n != maxBody || err != nil {
		t.Errorf("an answer of the limit: %d bytes, %v", n, err)
	}
	if _, err := read(c, "/header"); err == nil {
		t.Error("long headers are taken")
	}
	if c.Timeout != 15*time.Second {
		t.Error("no time limit")
	}
	o.Stream = true
	stream := Client(o)
	defer stream.CloseIdleConnections()
	if n, err := read(stream, "/long"); n != 3*maxBody || err != nil {
		t.Errorf("a stream: %d bytes, %v", n, err)
	}
}

func TestCheckURL(t *testing.T) {
	for _, good := range []string{"https://example.org/hook", "https://example.org:8443/x?y=z", "https://1.1.1.1/"} {
		if err := CheckURL(good, nil); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"", "example.org", "http://example.org/", "ftp://example.org/", "file:///etc/passwd", "https://u:p@example.org/", "https:///x", "https://127.0.0.1/", "https://[::1]/", "://", "https://[::1%25lo]/", "javascript:alert(1)"} {
		err := CheckURL(bad, nil)
		if err == nil {
			t.Errorf("%q is taken", bad)
		} else if strings.Contains(err.Error(), ":p@") {
			t.Errorf("the password is in the error: %v", err)
		}
	}
	if err := CheckURL("http://gotify.test:8080/", &Options{Allow: []string{"gotify.test"}}); err != nil {
		t.Error(err)
	}
}

func TestPublic(t *testing.T) {
	for _, good := range []string{"1.1.1.1", "8.8.8.8", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "198.17.0.1", "198.20.0.1", "223.1.1.1", "2606:4700::1111", "2a00::1", "::ffff:1.1.1.1"} {
		if !Public(netip.MustParseAddr(good)) {
			t.Errorf("%s is not public", good)
		}
	}
	for _, bad := range []string{"2001::1", "2001:1ff::1", "2002::1", "64:ff9b::101:101", "::1.1.1.1", "fe80::1%1", "2606:4700::1111%1", "4000::1", "3fff:fff::"} {
		if Public(netip.MustParseAddr(bad)) {
			t.Errorf("%s is public", bad)
		}
	}
	if Public(netip.Addr{}) {
		t.Error("no address is public")
	}
}

// FuzzPublic: no address is public that the standard library places elsewhere.
func FuzzPublic(f *testing.F) {
	f.Add([]byte{127, 0, 0, 1})
	f.Add(netip.MustParseAddr("::ffff:10.0.0.1").AsSlice())
	f.Fuzz(func(t *testing.T, b []byte) {
		a, ok := netip.AddrFromSlice(b)
		if !ok {
			return
		}
		ip := net.IP(b)
		if Public(a) && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified()) {
			t.Errorf("%s is public", a)
		}
		if Public(a) != Public(a.Unmap()) {
			t.Errorf("%s depends on its form", a)
		}
	})
}
