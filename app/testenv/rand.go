package testenv

import (
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Rand returns a source of random numbers for the test, which is the same in
// every run: seed 1, or the one that SAYSO_SEED gives. Where SAYSO_LONG asks for
// the long form of a test, the seed is drawn.
//
// It logs the seed, so that a failing test prints it. Call it once in a test, and
// [Split] the source for each goroutine.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(1)
	if text := os.Getenv("SAYSO_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("SAYSO_SEED=%s: %v", text, err)
		}
		seed = n
	} else if os.Getenv("SAYSO_LONG") != "" {
		seed = rand.Uint64N(1e9)
	}
	t.Logf("repeat it with SAYSO_SEED=%d", seed)
	name := fnv.New64a() // tests that share a seed do not share their numbers
	name.Write([]byte(t.Name()))
	return rand.New(rand.NewPCG(seed, name.Sum64()))
}

// Split returns another source, which depends on r only.
func Split(r *rand.Rand) *rand.Rand { return rand.New(rand.NewPCG(r.Uint64(), r.Uint64())) }
