package hubtest_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/hub"
	"github.com/saysohq/sayso/hub/hubtest"
)

// mutation is a store, or a hub, without one of its guards, and a case of a suite
// that must notice.
type mutation struct {
	name  string
	rules bool // the case is one of RunHub
	fails string
	store func(*hub.Memory) hub.Store
	hub   func(*hub.Options)
}

func healthy(m *hub.Memory) hub.Store { return m }

var mutations = []mutation{
	{name: "the last write wins", fails: "compare and set", store: func(m *hub.Memory) hub.Store { return lastWins{m} }},
	{name: "counts are lost", fails: "counter", store: func(m *hub.Memory) hub.Store { return lastWins{m} }},
	{name: "acknowledged before visible", fails: "put and get", store: func(m *hub.Memory) hub.Store { return &stale{Memory: m} }},
	{name: "the winner is hidden", fails: "one creator", store: func(m *hub.Memory) hub.Store { return &stale{Memory: m} }},
	{name: "a deadline is lost", fails: "put and get", store: func(m *hub.Memory) hub.Store { return dueless{m} }},
	{name: "addresses are folded", fails: "addresses", store: func(m *hub.Memory) hub.Store { return folding{m} }},
	{name: "a page skips", fails: "list pages", store: func(m *hub.Memory) hub.Store { return skipping{m, 1} }},
	{name: "a page repeats", fails: "list pages", store: func(m *hub.Memory) hub.Store { return skipping{m, -1} }},
	{name: "filters are ignored", fails: "list filters", store: func(m *hub.Memory) hub.Store { return unfiltered{m} }},
	{name: "bells are lost in silence", fails: "watch", store: func(m *hub.Memory) hub.Store {
		return &hubtest.Faulty{Store: m, Plan: func(s hubtest.Step) hubtest.Fault { return hubtest.Fault{Drop: s.N%10 == 0} }}
	}},
	{name: "positions are ignored", fails: "positions", store: func(m *hub.Memory) hub.Store { return unplaced{m} }},
	{name: "what a reader had elsewhere is ignored", fails: "positions", store: func(m *hub.Memory) hub.Store { return unheard{m} }},
	{name: "any position will do", fails: "no positions", store: func(m *hub.Memory) hub.Store { return anywhere{m} }},
	{name: "lists lag behind watches", fails: "list and watch", store: func(m *hub.Memory) hub.Store { return &lagging{Memory: m} }},
	{name: "nobody doubts", fails: "deaf", store: func(m *hub.Memory) hub.Store { return &deafStore{Memory: m, never: true} }},
	{name: "everybody doubts", fails: "deaf", store: func(m *hub.Memory) hub.Store { return &deafStore{Memory: m, everybody: true} }},
	{name: "askers are ignored", fails: "list filters", store: func(m *hub.Memory) hub.Store { return askerless{m} }},
	{name: "askers are ignored by watches", fails: "watch filters", store: func(m *hub.Memory) hub.Store { return askerless{m} }},
	{name: "bells ring early", fails: "watch", store: func(m *hub.Memory) hub.Store { return &early{stale{Memory: m}} }},
	{name: "nothing is forgotten", fails: "ttl", store: func(m *hub.Memory) hub.Store { return immortal{m} }},
	{name: "what is settled is not listed", fails: "settled", store: func(m *hub.Memory) hub.Store { return unlisted{m} }},
	{name: "what is settled is forgotten early", fails: "settled ttl", store: func(m *hub.Memory) hub.Store { return hasty{m} }},
	{name: "a full store takes no answers", fails: "full", store: func(m *hub.Memory) hub.Store { return stubborn{m} }},

	{name: "the last answer wins", rules: true, fails: "rivals", store: func(m *hub.Memory) hub.Store { return lastWins{m} }},
	{name: "the last answer wins, in sequence", rules: true, fails: "close again", store: func(m *hub.Memory) hub.Store { return lastWins{m} }},
	{name: "nobody reads again", rules: true, fails: "lost bells", hub: func(o *hub.Options) { o.RereadMin = 1e6 * time.Hour }},
	{name: "nobody reads again, between steps", rules: true, fails: "an answer between any two steps", hub: func(o *hub.Options) { o.RereadMin = 1e6 * time.Hour }},
	{name: "no surface lists again", rules: true, fails: "watch resets", hub: func(o *hub.Options) { o.Relist = 1e6 * time.Hour }},
	{name: "nobody follows what was missed", rules: true, fails: "follow misses nothing", hub: func(o *hub.Options) { o.Spread = 1e6 * time.Hour }},
	{name: "nobody confirms what is unsure", rules: true, fails: "follow unsure", hub: func(o *hub.Options) { o.Confirm = 1e6 * time.Hour }},
	{name: "positions are ahead", rules: true, fails: "follow", store: func(m *hub.Memory) hub.Store { return ahead{m} }},
	{name: "positions are behind", rules: true, fails: "follow resumes", store: func(m *hub.Memory) hub.Store { return behind{m} }},
	{name: "everything is heard", rules: true, fails: "interest", store: func(m *hub.Memory) hub.Store { return curious{m} }},
	{name: "nobody looks at the clock", rules: true, fails: "clock jumps", hub: func(o *hub.Options) { o.Tick = 1e6 * time.Hour }},
	{name: "nobody looks for deadlines", rules: true, fails: "deadline after restart", hub: func(o *hub.Options) { o.Tick = 1e6 * time.Hour }},
	{name: "a release does not compare", rules: true, fails: "hold races", store: func(m *hub.Memory) hub.Store { return lastWins{m} }},
	{name: "a hold is not due", rules: true, fails: "hold after restart", store: func(m *hub.Memory) hub.Store { return dueless{m} }},
	{name: "nobody looks at what is held", rules: true, fails: "hold", hub: func(o *hub.Options) { o.Tick = 1e6 * time.Hour }},
	{name: "doubt is an error", rules: true, fails: "random sequences", hub: func(o *hub.Options) { o.Patience = 1 }},
	{name: "damage is mended in silence", rules: true, fails: "damage", store: func(m *hub.Memory) hub.Store { return &mending{Memory: m} }},
}

// TestMutations runs the suites on what is broken, each in a process of its own,
// and wants them to fail in the right place.
func TestMutations(t *testing.T) {
	if os.Getenv("SAYSO_MUTATION") != "" {
		t.Skip("this is the process of one")
	}
	run := func(t *testing.T, name, only string) (string, error) {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.timeout=5m", "-test.run=^TestMutation$/^"+strings.ReplaceAll(regexp.QuoteMeta(only), " ", "_")+"$")
		cmd.Env = append(os.Environ(), "SAYSO_MUTATION="+name)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			out, err := run(t, m.name, m.fails)
			place := "TestMutation/" + strings.ReplaceAll(m.fails, " ", "_")
			switch {
			case err == nil:
				t.Errorf("%s passes:\n%s", m.fails, out)
			case !strings.Contains(out, "--- FAIL: "+place) && !strings.Contains(out, "deadlock: main bubble goroutine has exited"):
				t.Errorf("the process fails, but not in %s:\n%s", m.fails, out)
			}
		})
	}
	t.Run("nothing", func(t *testing.T) {
		for _, only := range []string{"put and get", "positions", "no positions", "list and watch", "deaf", "watch", "rivals", "lost bells"} {
			if out, err := run(t, "nothing", only); err != nil || !strings.Contains(out, "--- PASS: TestMutation/") {
				t.Errorf("nothing is broken, and %s: %v\n%s", only, err, out)
			}
		}
	})
}

// TestMutation is what TestMutations runs.
func TestMutation(t *testing.T) {
	name := os.Getenv("SAYSO_MUTATION")
	if name == "" {
		t.Skip("run by TestMutations")
	}
	m := mutation{store: healthy}
	for _, one := range mutations {
		if one.name == name {
			m = one
		}
	}
	if m.store == nil {
		m.store = healthy
	}
	opts := &hubtest.Options{
		Virtual: true, Races: 5, Seed: 1, Hub: m.hub, Deaf: deafen,
		Limited: func(t *testing.T, n int) hub.Store {
			return m.store(hub.NewMemory(&hub.MemoryOptions{MaxRecords: n}))
		},
	}
	fresh := func(*testing.T) hub.Store { return m.store(hub.NewMemory(nil)) }
	if name == "nothing" {
		fresh = func(*testing.T) hub.Store { return &deafStore{Memory: hub.NewMemory(nil)} }
	}
	if m.rules || m.name == "" {
		hubtest.RunHub(t, fresh, opts)
	}
	if !m.rules {
		hubtest.Run(t, fresh, opts)
	}
}
