package loadtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/hub"
)

// gatewaySpec says what a gateway stands in front of.
type gatewaySpec struct {
	Reach  enginetest.Reach
	Keys   string // file of the keys
	Shards int    // if the store is new
}

// gateway is the hub and its API in a process without a store and without what else
// sayso serve does: for what belongs to the gateway alone.
func gateway(ctx context.Context, spec gatewaySpec) error {
	nc, err := dial(ctx, spec.Reach)
	if err != nil {
		return err
	}
	defer nc.Close()
	store, err := natsstore.Open(ctx, nc, &natsstore.Options{Shards: spec.Shards, Replicas: len(spec.Reach.URLs)})
	if err != nil {
		return err
	}
	defer store.Close()
	h, err := hub.Open(ctx, store, nil)
	if err != nil {
		return err
	}
	defer h.Stop()
	keys, err := openKeys(ctx, spec.Keys)
	if err != nil {
		return err
	}
	defer keys.Close()
	api, err := httpapi.New(h, &httpapi.Options{
		Auth:  keys,
		Quota: httpapi.Quota{Open: -1, Rate: -1, Burst: -1, Stored: -1, Reads: -1, Reading: -1, Streams: -1, Waits: -1},
	})
	if err != nil {
		return err
	}
	defer api.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := api.HTTPServer()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	fmt.Fprintf(os.Stderr, "serving on http://%s\n", l.Addr())
	<-ctx.Done()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	server.Shutdown(last)
	server.Close()
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// openKeys reads a file of keys that several gateways share, which a store would take
// over once.
func openKeys(ctx context.Context, name string) (*auth.Keys, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "keys")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file, store := &auth.KeyFile{Path: filepath.Join(dir, "keys.json")}, hub.NewMemory(nil)
	if err := os.WriteFile(file.Path, b, 0o600); err != nil {
		return nil, err
	}
	if _, err := file.Import(ctx, store); err != nil {
		return nil, err
	}
	return auth.OpenKeys(ctx, store, nil)
}
