package natsstore_test

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/app/engine/natsstore"
)

// A hub that is older than the others of its cluster is refused, whichever stream a newer
// one has changed, and changes nothing.
func TestNewerLayout(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ASK2-00", "HIS2-01"} {
		t.Run(name, func(t *testing.T) {
			_, nc := serve(t)
			opts := &natsstore.Options{Shards: 2}
			open(t, nc, opts).Close()
			js, err := jetstream.New(nc)
			must(t, err)
			s, err := js.Stream(t.Context(), name)
			must(t, err)
			cfg := s.CachedInfo().Config
			cfg.Metadata["sayso_layout"] = "3"
			_, err = js.UpdateStream(t.Context(), cfg)
			must(t, err)
			_, err = natsstore.Open(t.Context(), nc, opts)
			if err == nil || !strings.Contains(err.Error(), "a newer sayso wrote it (layout version 3, this program reads 2)") {
				t.Errorf("it opens: %v", err)
			}
			s, err = js.Stream(t.Context(), name)
			must(t, err)
			if got := s.CachedInfo().Config.Metadata["sayso_layout"]; got != "3" {
				t.Errorf("the layout is %s afterwards", got)
			}
		})
	}
}
