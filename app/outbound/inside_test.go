package outbound

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// inside is a server of the hub's own network, which nobody may reach.
type inside struct {
	*httptest.Server
	port  string
	conns atomic.Int64
}

func newInside(t *testing.T, network, address string) *inside {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Skipf("this machine has no %s: %v", address, err)
	}
	in := new(inside)
	in.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("secret"))
	}))
	in.Listener.Close()
	in.Listener = l
	in.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			in.conns.Add(1)
		}
	}
	in.Start()
	t.Cleanup(in.Close)
	_, in.port, _ = net.SplitHostPort(l.Addr().String())
	return in
}

// errNetwork stands for all that is not this machine, which tests do not reach.
var errNetwork = errors.New("the address is elsewhere")

func noNetwork(address string) error {
	if ip := netip.MustParseAddrPort(address).Addr().Unmap(); !ip.IsLoopback() && !ip.IsUnspecified() {
		return errNetwork
	}
	return nil
}

// spellings are hosts that lead inside on one system or another.
var spellings = []string{
	"127.0.0.1", "127.0.0.2", "127.255.255.254", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0x7f.1",
	"017700000001", "0177.0.0.1", "0177.0.0.01", "127.0.0.01", "00127.0.0.1", "127.0.0.1.", "0", "0.0.0.0", "0x0", "00000000",
	"localhost", "LOCALHOST", "localhost.", "LocalHost.localdomain", "ip6-localhost",
	"[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[0000:0000:0000:0000:0000:0000:0000:0001]", "[::0.0.0.1]",
	"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::127.0.0.1]", "[::7f00:1]",
	"[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]",
	"[::1%25lo]", "[fe80::1%25lo]", "[fe80::1]", "[fec0::1]", "[fd00::1]", "[ff02::1]", "[::ffff:0:127.0.0.1]",
	"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "2852039166", "0xa9fea9fe", "[::ffff:169.254.169.254]",
	"100.64.0.1", "100.100.100.200", "192.0.0.8", "192.0.0.192", "198.18.0.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "0.1.2.3",
	"192.0.2.1", "198.51.100.1", "203.0.113.1", "[2001:db8::1]", "[3fff::1]", "192.88.99.1",
	"１２７.０.０.１", "127。0。0。1", "①②⑦.⓪.⓪.①", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "xn--127-0-0-1", "%31%32%37.0.0.1", "127%2e0.0.1", "loc%61lhost",
	"public.test@127.0.0.1", "public.test:443@127.0.0.1", "public.test%2f@127.0.0.1", "127.0.0.1%00.public.test", "127.0.0.1\\@public.test", "public.test#@127.0.0.1", "127.0.0.1%23.public.test",
	// These are looked up.
	"127.0.0.1.nip.test", "7f000001.nip.test", "loop6.test", "mapped.test", "nat64.test", "meta.test", "private.test", "shared.test", "zero.test", "both.test", "BOTH.test.", "tailnet.test",
}

var names = map[string][]string{
	"127.0.0.1.nip.test": {"127.0.0.1"}, "7f000001.nip.test": {"127.0.0.1"}, "loop6.test": {"::1"}, "mapped.test": {"::ffff:127.0.0.1"}, "nat64.test": {"64:ff9b::7f00:1"},
	"meta.test": {"169.254.169.254"}, "private.test": {"10.1.2.3", "192.168.0.1", "fd12::1"}, "shared.test": {"100.64.1.1"}, "zero.test": {"0.0.0.0", "::"},
	"both.test": {"1.1.1.1", "127.0.0.1", "::1"}, "tailnet.test": {"100.101.102.103"}, "public.test": {"1.1.1.1"},
}

// lookedUp says that every other name is this machine, as systems do that read numbers
// in their own ways.
func lookedUp(name string, _ int) []netip.Addr {
	if names[name] == nil {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1")}
	}
	var out []netip.Addr
	for _, s := range names[name] {
		out = append(out, netip.MustParseAddr(s))
	}
	return out
}

// TestInside: however an address of the own network is spelled, no connection reaches
// it, over http and https, with the operator's list empty and with one of other hosts.
func TestInside(t *testing.T) {
	four := newInside(t, "tcp4", "0.0.0.0:0") // every address of this machine
	servers := []*inside{four}
	if six, err := net.Listen("tcp6", "[::1]:"+four.port); err == nil {
		six.Close()
		servers = append(servers, newInside(t, "tcp6", "[::1]:"+four.port))
	}
	z := newZone(t, lookedUp)
	allow := map[string][]string{"no list": nil, "other hosts": {"other.test", "10.9.9.9", "10.200.0.0/16", "127.9.9.9:1"}}
	tried := 0
	for what, list := range allow {
		t.Run(what, func(t *testing.T) {
			c := Client(&Options{Allow: list, Resolver: z.resolver(), dialed: noNetwork})
			defer c.CloseIdleConnections()
			for _, scheme := range []string{"http", "https"} {
				for _, host := range spellings {
					tried += get(t, c, scheme+"://"+host+":"+four.port+"/")
				}
			}
		})
	}
	for _, in := range servers {
		if n := in.conns.Load(); n != 0 {
			t.Errorf("%d connections reached %s", n, in.URL)
		}
	}
	if len(spellings) < 40 {
		t.Error("fewer than 40 spellings")
	}
	t.Logf("%d spellings, %d requests, 0 connections", len(spellings), tried)
}

// get makes requests that must not succeed, and says how many.
func get(t *testing.T, c *http.Client, address string) int {
	t.Helper()
	// As a program would that takes the address apart itself, and as one that does not.
	reqs := []*http.Request{}
	if req, err := http.NewRequestWithContext(t.Context(), "GET", address, nil); err == nil {
		reqs = append(reqs, req)
	}
	_, rest, _ := strings.Cut(address, "://")
	req := (&http.Request{Method: "GET", URL: &url.URL{Scheme: address[:strings.Index(address, ":")], Host: strings.TrimSuffix(rest, "/"), Path: "/"}, Header: http.Header{}}).WithContext(t.Context())
	reqs = append(reqs, req)
	for _, req := range reqs {
		res, err := c.Do(req)
		if err == nil {
			res.Body.Close()
			t.Errorf("%s: status %d", address, res.StatusCode)
		}
	}
	return len(reqs)
}

// The spellings are worth something only if the server is there, and is reached
// without the guard.
func TestInsideIsReal(t *testing.T) {
	in := newInside(t, "tcp4", "127.0.0.1:0")
	z := newZone(t, lookedUp)
	for _, host := range []string{"127.0.0.1", "127.0.0.1.nip.test", "both.test"} {
		c := Client(&Options{Allow: []string{"127.0.0.0/8"}, Resolver: z.resolver(), dialed: noNetwork})
		res, err := c.Get("http://" + host + ":" + in.port + "/")
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
	if in.conns.Load() != 3 {
		t.Errorf("%d connections, want 3", in.conns.Load())
	}
}

// A name that is public when it is checked and inside when it is used.
func TestRebinding(t *testing.T) {
	in := newInside(t, "tcp4", "127.0.0.1:0")
	z := newZone(t, func(name string, n int) []netip.Addr {
		if strings.HasPrefix(name, "first") && n == 0 || strings.HasPrefix(name, "turn") && n%2 == 0 {
			return []netip.Addr{netip.MustParseAddr("1.1.1.1")}
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}
	})
	c := Client(&Options{Resolver: z.resolver(), dialed: noNetwork})
	public, refused := 0, 0
	for range 6 {
		for _, host := range []string{"first.test", "turn.test", "late.test"} {
			res, err := c.Get("https://" + host + ":" + in.port + "/")
			switch {
			case err == nil:
				res.Body.Close()
				t.Errorf("%s: status %d", host, res.StatusCode)
			case errors.Is(err, errNetwork):
				public++
			case errors.Is(err, ErrRefused):
				refused++
			default:
				t.Error(err)
			}
		}
	}
	if public != 1+3 || refused != 5+3+6 {
		t.Errorf("%d were public and %d refused, want 4 and 14", public, refused)
	}
	if n := in.conns.Load(); n != 0 {
		t.Errorf("%d connections reached it", n)
	}
}
