package web_test

import (
	"net"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/surface/web"
	"github.com/saysohq/sayso/app/testenv"
)

// TestListenLocal: both loopback addresses have the same port, and a port of which
// somebody else has the half is not taken.
func TestListenLocal(t *testing.T) {
	t.Parallel()
	six, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		testenv.Missing(t, "a loopback address of IPv6")
	}
	defer six.Close()
	_, port, _ := net.SplitHostPort(six.Addr().String())
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]"} {
		if all, err := web.ListenLocal(host + ":" + port); err == nil {
			t.Errorf("%s: somebody else has %s, and still it listens on %s", host, six.Addr(), all[0].Addr())
		}
		all, err := web.ListenLocal(host + ":0")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, ln := range all {
			got = append(got, ln.Addr().String())
			ln.Close()
		}
		_, port, _ := net.SplitHostPort(got[0])
		if text := strings.Join(got, " "); text != "127.0.0.1:"+port+" [::1]:"+port {
			t.Errorf("%s: it listens on %s", host, text)
		}
	}
	for _, address := range []string{"0.0.0.0:0", "127.0.0.2:0", ":0", "[::]:0", "example.org:0", "127.0.0.1"} {
		if all, err := web.ListenLocal(address); err == nil {
			t.Errorf("%s: it listens on %s", address, all[0].Addr())
		}
	}
}
