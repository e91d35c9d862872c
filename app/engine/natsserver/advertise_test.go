package natsserver_test

import (
	"testing"

	"github.com/saysohq/sayso/app/engine/natsserver"
)

// TestAdvertised shows that a node is reached by the name in its certificate, if a route has its name. Suite deploy shows
// the same with three containers and mutual TLS: otherwise they log failed handshakes.
func TestAdvertised(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		node   string
		routes []string
		want   string
	}{
		{"node-1", []string{"node-10:6222", "node-1:6222", "node-2:6222"}, "node-1:6222"},
		{"sayso-2", []string{"sayso-1.nodes:6222", "sayso-2.nodes:6222"}, "sayso-2.nodes:6222"},
		{"a", []string{"10.0.0.1:6222", "10.0.0.2:6222"}, ""},
		{"a", []string{"alpha.example:6222", "b.example:6222"}, ""},
	} {
		if got := natsserver.Advertised(&natsserver.ClusterOptions{ServerName: tc.node, Routes: tc.routes}); got != tc.want {
			t.Errorf("%s of %v: got %q, want %q", tc.node, tc.routes, got, tc.want)
		}
	}
}
