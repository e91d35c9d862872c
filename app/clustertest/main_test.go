package clustertest

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/internal/cli"
)

// roleEnv says what a process of this test program is to be: sayso, or nats-server.
const roleEnv = "SAYSO_CLUSTER_ROLE"

// TestMain makes this test program sayso, or the server of an external NATS, if it was started as that.
func TestMain(m *testing.M) {
	switch role := os.Getenv(roleEnv); role {
	case "":
		os.Exit(m.Run())
	case "sayso":
		os.Exit(cli.Main(context.Background(), cli.System(), os.Args[1:]))
	case "nats-server":
		os.Exit(natsServer(os.Args[1:]))
	default:
		fmt.Fprintf(os.Stderr, "%s=%s is no role\n", roleEnv, role)
		os.Exit(2)
	}
}

// patience is how long a test waits for something that must happen.
const patience = 3 * time.Minute

// clusters skips a test that takes long, unless it is asked for.
func clusters(t testing.TB) {
	t.Helper()
	if os.Getenv("SAYSO_FAULTS") == "" && os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("takes minutes, and root: set SAYSO_FAULTS=1, or run .ci/run cluster")
	}
}

// long reports whether the form of a test that is put on record is wanted.
func long() bool { return os.Getenv("SAYSO_LONG") != "" }

// either returns the size of a test.
func either[T any](short, onRecord T) T {
	if long() {
		return onRecord
	}
	return short
}

func figure(t testing.TB, id string, value any, unit string) {
	t.Helper()
	if id == "" { // of a test that is none
		t.Log(value, unit)
		return
	}
	t.Logf("FIGURE %s %v %s", id, value, unit)
}

// and is the id of another figure of the same test.
func and(id, what string) string {
	if id == "" {
		return ""
	}
	return id + "-" + what
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// within tries until there is no error.
func within(t testing.TB, what string, try func(context.Context) error) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; <-time.After(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		err := try(ctx)
		cancel()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %v", what, err)
		}
	}
}
