package client_test

import (
	"errors"
	"testing"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/client"
)

// TestTryAsk: sayso.Try over HTTP is one request that does not wait.
func TestTryAsk(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := f.client(nil)
	o, handle, err := sayso.Try(t.Context(), c, ask("a1"))
	if err != nil || o.Status != sayso.StatusPending || handle == "" {
		t.Fatalf("%+v, %q, %v", o, handle, err)
	}
	f.say("a1", "SQLite")
	o, again, err := sayso.Try(t.Context(), c, ask("a1"))
	if err != nil || o.Status != sayso.StatusAnswered || again != handle {
		t.Errorf("%+v, %q, %v; the handle was %q", o, again, err, handle)
	}
	f.srv.Close()
	if _, _, err := sayso.Try(t.Context(), f.client(&client.Options{Patience: -1}), ask("a1")); !errors.Is(err, sayso.ErrUnreachable) {
		t.Errorf("without a hub: %v", err)
	}
}
