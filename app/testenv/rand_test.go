package testenv_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/testenv"
)

func (n *noted) Logf(format string, a ...any) { n.logged = append(n.logged, fmt.Sprintf(format, a...)) }

func TestRand(t *testing.T) {
	draw := func(long, seed string) (first uint64, logged string) {
		t.Setenv("SAYSO_LONG", long)
		t.Setenv("SAYSO_SEED", seed)
		n := &noted{TB: t}
		r := testenv.Split(testenv.Rand(n))
		return r.Uint64(), strings.Join(n.logged, "\n")
	}
	fixed, said := draw("", "")
	if again, _ := draw("", ""); again != fixed {
		t.Errorf("without a seed it draws %d, then %d", fixed, again)
	}
	if one, _ := draw("1", "1"); one != fixed || !strings.HasSuffix(said, "SAYSO_SEED=1") {
		t.Errorf("it says %q; with that it draws %d, want %d", said, one, fixed)
	}
	long, said := draw("1", "")
	if long == fixed {
		t.Errorf("the long form draws %d, as the short one", long)
	}
	_, seed, _ := strings.Cut(said, "SAYSO_SEED=")
	if again, _ := draw("", seed); again != long {
		t.Errorf("it says %q; with that it draws %d, want %d", said, again, long)
	}
	t.Run("another", func(t *testing.T) {
		if testenv.Split(testenv.Rand(&noted{TB: t})).Uint64() == fixed {
			t.Error("two tests draw the same")
		}
	})
}
