package hubtest

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso/hub"
)

// Options are the options of the suites. Nil means the defaults.
type Options struct {
	// Virtual runs every case in a bubble of testing/synctest, where waiting
	// costs nothing. It is for stores that live within one process and have no
	// network. Default: real time.
	Virtual bool

	// Peer returns another way into what the store keeps, as another process
	// would have: what one side writes, the other reads at once. Default: the
	// store itself.
	Peer func(t *testing.T, s hub.Store) hub.Store

	// Limited returns an empty store that takes at most n tickets. Default: the
	// cases about full stores are skipped.
	Limited func(t *testing.T, n int) hub.Store

	// Settle makes the store put away what is settled, as it does by itself some
	// time later. Default: it has no such place.
	Settle func(t *testing.T, s hub.Store)

	// Deaf makes a store deaf: notifications of changes are lost before its
	// watches hear of them, and nothing says so. It should find out soon after.
	// Default: the case about that is skipped.
	Deaf func(s hub.Store, deaf bool)

	// Races is over how many asks 64 rivals race; default: $SAYSO_RACES, or 50.
	Races int

	// Sequences is how many random sequences of operations are played; default:
	// $SAYSO_SEQUENCES, or 50, or 10 in real time. Seed is of the first one; default: $SAYSO_SEED, or
	// 1, or the time if $SAYSO_LONG is set. A failing one prints its own.
	Sequences int
	Seed      int

	// Hub changes the options of every hub that the suite opens. Default: no
	// change.
	Hub func(*hub.Options)
}

// New returns an empty store, which ends with the test.
type New func(t *testing.T) hub.Store

// suite is one run of Run or RunHub.
type suite struct {
	Options
	new New
}

func newSuite(fresh New, opts *Options) *suite {
	s := &suite{new: fresh}
	if opts != nil {
		s.Options = *opts
	}
	s.Races = cmp.Or(s.Races, fromEnv("SAYSO_RACES"), 50)
	sequences := 10
	if s.Virtual {
		sequences = 50
	}
	s.Sequences = cmp.Or(s.Sequences, fromEnv("SAYSO_SEQUENCES"), sequences)
	seed := 1
	if os.Getenv("SAYSO_LONG") != "" {
		seed = int(time.Now().UnixNano() % 1e9)
	}
	s.Seed = cmp.Or(s.Seed, fromEnv("SAYSO_SEED"), seed)
	return s
}

func fromEnv(name string) int {
	n, _ := strconv.Atoi(os.Getenv(name))
	return n
}

// run runs one case, each on a store of its own.
func (s *suite) run(t *testing.T, name string, fn func(*testing.T)) {
	t.Run(name, func(t *testing.T) {
		if s.Virtual {
			synctest.Test(t, fn)
			return
		}
		fn(t)
	})
}

func (s *suite) peer(t *testing.T, store hub.Store) hub.Store {
	if s.Peer == nil {
		return store
	}
	return s.Peer(t, store)
}

// idle waits, in virtual time, until all that goes on waits for something: a read that
// began before a step of the test and ends after it could do what the step is to show.
func (s *suite) idle() {
	if s.Virtual {
		synctest.Wait()
	}
}

func (s *suite) settle(t *testing.T, store hub.Store) {
	if s.Settle != nil {
		s.Settle(t, store)
	}
}

// soon is how long the suites wait for what must happen. On a busy machine much
// takes long, and only what is broken takes all of it.
const soon = 5 * time.Minute

// within returns a context for what must happen soon.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	t.Cleanup(cancel)
	return ctx
}

// eventually calls ok until it is true, less and less often.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(soon)
	for pause := 5 * time.Millisecond; !ok(); pause = min(pause+pause/8, time.Second) {
		select {
		case <-deadline:
			t.Fatalf("%s: not within %v", what, soon)
		case <-time.After(pause):
		}
	}
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func wantErr(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Fatalf("error %v, want %v", got, want)
	}
}
