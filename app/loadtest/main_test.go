package loadtest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/internal/cli"
)

// What a process of this test program is told to be: the role, and its spec as
// JSON.
const (
	roleEnv = "SAYSO_LOAD_ROLE"
	specEnv = "SAYSO_LOAD_SPEC"
)

// TestMain makes this test program a node of the store, the sayso program, a
// gateway without a store, or what fills a store, if it was started as that. So an
// earlier version of it has all of them as they were.
func TestMain(m *testing.M) {
	enginetest.Main(nil)
	if os.Getenv(roleEnv) == "" {
		os.Exit(m.Run()) // which a signal ends
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	switch role := os.Getenv(roleEnv); role {
	case "sayso":
		os.Exit(cli.Main(context.Background(), cli.System(), os.Args[1:]))
	case "fill":
		os.Exit(play(ctx, fill))
	case "find":
		os.Exit(play(ctx, fillFind))
	case "gateway":
		os.Exit(play(ctx, gateway))
	default:
		fmt.Fprintf(os.Stderr, "%s=%s is no role\n", roleEnv, role)
		os.Exit(2)
	}
}

// play runs a role with its spec.
func play[S any](ctx context.Context, role func(context.Context, S) error) int {
	var spec S
	err := json.Unmarshal([]byte(os.Getenv(specEnv)), &spec)
	if err == nil {
		err = role(ctx, spec)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
