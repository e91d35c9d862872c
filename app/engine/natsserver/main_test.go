package natsserver_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/engine/natsserver"
)

func TestMain(m *testing.M) {
	enginetest.Main(&enginetest.Role{
		Programs: map[string]enginetest.Program{"writer": writer, "fixture": fixture, "loader": loader, "stubborn": stubborn},
		Tweaks:   map[string]func(*natsserver.Options){"no sync": natsserver.WithoutSync, "no check": natsserver.WithoutCheck},
	})
	goleak.VerifyTestMain(m,
		// A stream that copies another waits up to 30 s for the answer to a request it sent while the server shut down.
		goleak.IgnoreTopFunction("github.com/nats-io/nats-server/v2/server.(*stream).trySetupSourceConsumer.func3"),
	)
}

// faults skips a test that takes long, unless it is asked for: CI does, in a suite of its own.
func faults(t *testing.T) {
	t.Helper()
	if os.Getenv("SAYSO_FAULTS") == "" && os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("takes minutes, and root: set SAYSO_FAULTS=1, or run .ci/run disks")
	}
}
