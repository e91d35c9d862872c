package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// TestFault: a hub that says why it can store nothing is asked once, and who waits
// for an ask that is stored goes on waiting.
func TestFault(t *testing.T) {
	t.Parallel()
	var tries atomic.Int32
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tries.Add(1) == 4 {
			cancel()
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusServiceUnavailable)
		io.WriteString(w, `{"type":"urn:sayso:problem:unavailable","title":"Not now","status":503,"detail":"the hub's disk is full: free some space","reason":"disk-full"}`)
	}))
	defer s.Close()
	opts := &client.Options{}
	opts.Pause.Min, opts.Pause.Max = 1, 1
	c, err := client.New(s.URL, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Ready(ctx); hub.FaultOf(err) != hub.FaultDiskFull || !errors.Is(err, sayso.ErrUnreachable) {
		t.Errorf("ready: %v", err)
	}
	tries.Store(0)
	_, err = c.Submit(ctx, &sayso.Ask{ID: "a"})
	var says *client.Error
	if !errors.As(err, &says) || says.Reason != hub.FaultDiskFull || !errors.Is(err, sayso.ErrUnreachable) || !errors.Is(err, hub.ErrUndecided) ||
		!strings.HasSuffix(err.Error(), "the hub says: the hub's disk is full: free some space") {
		t.Errorf("asking: %v", err)
	}
	if n := tries.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
	if _, err := c.Wait(ctx, "h"); !errors.Is(err, context.Canceled) || tries.Load() < 4 {
		t.Errorf("waiting ended after %d tries: %v", tries.Load(), err)
	}
}
