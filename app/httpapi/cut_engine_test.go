package httpapi_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/hub"
)

// TestStreamCutEngine is R16 over the product's storage, each of three gateways with
// a connection of its own.
func TestStreamCutEngine(t *testing.T) {
	httpapi.CutStreams(t, 2000, engine(t))
}

// TestFigure_R16 is the same with 100,000 changes.
func TestFigure_R16(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	const changes = 100_000
	missed, twice, cuts := httpapi.CutStreams(t, changes, engine(t))
	t.Logf("FIGURE R16 %d missed+duplicated/%d", missed+twice, changes)
	t.Logf("%d cuts, each followed by one of three gateways", cuts)
}

// engine starts a server and returns what opens its storage.
func engine(t *testing.T) func() hub.Store {
	t.Helper()
	server, err := natsserver.Start(t.Context(), &natsserver.Options{Dir: filepath.Join(t.TempDir(), "store")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close(context.Background()) })
	return func() hub.Store {
		nc, err := server.Conn(t.Context(), "test")
		if err != nil {
			t.Fatal(err)
		}
		store, err := natsstore.Open(t.Context(), nc, &natsstore.Options{Shards: 4, NoAudit: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		return store
	}
}
