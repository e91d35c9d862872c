package localhub

import (
	"net"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/console"
)

// A hub that cannot listen says so before it opens its store.
func TestAddressesAreFree(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer ln.Close()
	taken := ln.Addr().String()
	_, port, _ := net.SplitHostPort(taken)
	for _, tt := range []struct {
		o          ServeOptions
		says, hint string
	}{
		{ServeOptions{Listen: "127.0.0.1:0", Web: "127.0.0.1:0"}, "", ""},
		{ServeOptions{Listen: taken}, "cannot listen on " + taken + ": another process uses this port", "'sport = :" + port + "'. Stop it, or choose another port with --listen"},
		{ServeOptions{Web: taken}, "cannot listen on " + taken, "with --web"},
		{ServeOptions{Listen: "192.0.2.1:7777"}, "this machine does not have this address", "0.0.0.0:7777"},
	} {
		err := tt.o.addressesAreFree()
		switch {
		case tt.says == "":
			must(t, err)
		case err == nil || !strings.Contains(err.Error(), tt.says) || !strings.Contains(console.Hint(err), tt.hint):
			t.Errorf("%+v: %v (%s)", tt.o, err, console.Hint(err))
		}
	}
}
