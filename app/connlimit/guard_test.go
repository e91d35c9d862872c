package connlimit

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
)

// fake is a connection without a network.
type fake struct {
	net.Conn
	from   string
	name   string
	closed bool
}

func (f *fake) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(f.from), Port: 1} }
func (f *fake) Close() error         { f.closed = true; return nil }

// crowd is a guard with connections that have names: the part before the dot is
// the last part of the address.
type crowd struct {
	t     *testing.T
	g     *Guard
	conns map[string]net.Conn
	fakes []*fake
}

func newCrowd(t *testing.T, l Limits) *crowd {
	g := New(&Options{Limits: l})
	t.Cleanup(g.Close)
	return &crowd{t, g, map[string]net.Conn{}, nil}
}

// do makes connections do something: "+1.a" opens, "!1.a" shows a credential, ".1.a"
// ends a request, "-1.a" closes.
func (c *crowd) do(steps string) {
	for _, s := range strings.Fields(steps) {
		name := s[1:]
		switch s[0] {
		case '+':
			f := &fake{from: "192.0.2." + strings.Split(name, ".")[0], name: name}
			c.fakes = append(c.fakes, f)
			c.conns[name] = c.g.accept(f)
		case '!':
			Credential(c.g.ConnContext(context.Background(), c.conns[name]))
		case '.':
			c.g.ConnState(c.conns[name], http.StateIdle)
		case '-':
			c.conns[name].Close()
		default:
			c.t.Fatalf("no step: %s", s)
		}
	}
}

// closed returns who was closed, in the order of opening.
func (c *crowd) closed() string {
	var names []string
	for _, f := range c.fakes {
		if f.closed {
			names = append(names, f.name)
		}
	}
	return strings.Join(names, " ")
}

func TestWhoGivesWay(t *testing.T) {
	t.Parallel()
	wide := Limits{Credential: 3, PerAddress: 3, Anonymous: 3, AnonymousPerAddress: 3}
	narrow := Limits{Credential: 4, PerAddress: 2, Anonymous: 4, AnonymousPerAddress: 2}
	for _, c := range []struct {
		name   string
		limits Limits
		steps  string
		closed string
	}{
		{"within the limits nobody does", wide, "+1.a +1.b +1.c !1.a +1.d !1.b +1.e !1.c +1.f", ""},
		{"the one that sent no request yet for longest", wide, "+1.a +1.b +1.c +1.d", "1.a"},
		{"not one that made progress", wide, "+1.a +1.b +1.c .1.a +1.d", "1.b"},
		{"the one idle for longest", wide, "+1.a +1.b +1.c .1.c .1.a .1.b +1.d", "1.c"},
		{"a dribbled head is no progress", wide, "+1.a +1.b .1.b +1.c .1.c +1.d", "1.a"},
		{"of the address with the most", wide, "+1.a +2.a +2.b +3.a", "2.a"},
		{"the slowest where all have as many", wide, "+2.a +1.a +3.a +4.a", "2.a"},
		{"at most so many of one address", narrow, "+2.a +1.a +1.b +1.c", "1.a"},
		{"a place that was given back", wide, "+1.a +1.b +1.c -1.b +1.d", "1.b"},
		{"a credential has its own place", wide, "+1.a !1.a +1.b +1.c +1.d +1.e +1.f +1.g", "1.b 1.c 1.d"},
		{"with a credential, an idle one", wide, "+1.a !1.a +1.b !1.b .1.b +1.c !1.c +1.d !1.d", "1.b"},
		{"with a credential, an idle one of any address", wide, "+1.a !1.a +2.b !2.b .2.b +3.c !3.c +4.d !4.d", "2.b"},
		{"with a credential, a stream if there is nothing else", wide, "+1.a !1.a +2.b !2.b +3.c !3.c +4.d !4.d", "1.a"},
		{"with a credential, at most so many of one address", narrow, "+2.a !2.a .2.a +1.a !1.a +1.b !1.b .1.b +1.c !1.c", "1.b"},
		{"with a credential, of the address with the most", Limits{Credential: 3, Anonymous: 3}, "+1.a !1.a +2.a !2.a +2.b !2.b +3.a !3.a", "2.a"},
		{"a request without a credential gives the place up", wide, "+1.a !1.a .1.a .1.a +1.b +1.c +1.d", "1.a"},
		{"behind a proxy all are one address", narrow.AnyAddress(), "+1.a +1.b +1.c +1.d +1.e", "1.a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newCrowd(t, c.limits)
			w.do(c.steps)
			if got := w.closed(); got != c.closed {
				t.Errorf("%s\nclosed %q, want %q", c.steps, got, c.closed)
			}
		})
	}
}

// TestNothingIsForgotten: what was closed takes no place, in whatever order.
func TestNothingIsForgotten(t *testing.T) {
	t.Parallel()
	w := newCrowd(t, Limits{Credential: 5, PerAddress: 3, Anonymous: 5, AnonymousPerAddress: 3})
	for i := range 200 {
		name := fmt.Sprintf("%d.%d", i%7, i)
		w.do("+" + name)
		if i%3 == 0 {
			w.do("!" + name)
		}
		if i%2 == 0 {
			w.do("." + name)
		}
		if open := len(w.fakes) - len(strings.Fields(w.closed())); open > 10 {
			t.Fatalf("%d connections are open, 10 may be", open)
		}
	}
	for name := range w.conns {
		w.do("-" + name + " !" + name + " ." + name) // what comes late changes nothing
	}
	if len(w.g.holders) != 0 || w.g.count != [kinds]int{} {
		t.Errorf("%d addresses and %v connections are left", len(w.g.holders), w.g.count)
	}
}

func TestAddressOf(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7", "2001:db8::1:2:3:4": "2001:db8::", "2001:db8::9": "2001:db8::",
	} {
		if got := addressOf(&net.TCPAddr{IP: net.ParseIP(in)}); got.String() != want {
			t.Errorf("%s is of %s, want %s", in, got, want)
		}
	}
}

func TestDerive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		total, files int
		want         Limits
	}{
		{0, 400, Limits{180, 90, 60, 30}},
		{0, 1024, Limits{648, 324, 216, 108}},
		{0, 1 << 20, Limits{15872, 7936, 512, 256}},
		{100, 1024, Limits{75, 37, 25, 12}},
		{5000, 400, Limits{180, 90, 60, 30}},
		{1, 400, Limits{1, 1, 1, 1}},
		{0, 64, Limits{12, 6, 4, 2}},
	} {
		got := Derive(c.total, c.files)
		if got != c.want {
			t.Errorf("%d of %d files: %+v, want %+v", c.total, c.files, got, c.want)
		}
		if c.files >= 400 && got.Total() > c.files-forStore-forOwner {
			t.Errorf("%d of %d files leave no reserve", got.Total(), c.files)
		}
	}
}
