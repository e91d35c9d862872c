package localhub

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/engine/natsserver"
)

// TestNodeOfFolder starts servers on folders that belong to others.
func TestNodeOfFolder(t *testing.T) {
	node := func(name string) *natsserver.ClusterOptions { return &natsserver.ClusterOptions{ServerName: name} }
	for _, c := range []struct {
		name   string
		marked *natsserver.ClusterOptions // whose the folder is
		stored bool                       // and whether anything is in it
		start  *natsserver.ClusterOptions
		want   string // in the refusal; empty: it starts
	}{
		{"new and alone", nil, false, nil, ""},
		{"new node", nil, false, node("a"), ""},
		{"alone again", nil, true, nil, ""},
		{"the same node", node("a"), true, node("a"), ""},
		{"another node", node("a"), true, node("b"), `belongs to node "a", not to node "b"`},
		{"a node, alone", node("a"), true, nil, `belongs to node "a" of a cluster`},
		{"one that was alone, as a node", nil, true, node("a"), "ran alone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Places{State: t.TempDir()}
			if c.stored {
				if err := os.MkdirAll(filepath.Join(p.engine(), "jetstream/HUB/streams/ASK2-00"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.markNode(c.marked); err != nil {
				t.Fatal(err)
			}
			err := p.checkNode(c.start)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestPublicURL(t *testing.T) {
	if got := public([]string{"nats://user:secret@h:4222", "tls://h2"}); got != "nats://h:4222, tls://h2" {
		t.Error(got)
	}
}
