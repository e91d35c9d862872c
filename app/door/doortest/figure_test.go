package doortest

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/modeltest"
	"github.com/saysohq/sayso/app/tmuxtest"
)

// stamp is the command that is asked about: it writes down when it runs.
const stamp = "./stamp"

// timed is a Claude Code in a terminal that runs the command again and again, and is
// held up before each call until next is called.
type timed struct {
	w     *World
	tm    *tmuxtest.Terminal
	turn  chan struct{}
	mu    sync.Mutex
	asked []time.Time // when the model has made each call
}

func newTimed(t *testing.T, prepare func(w *World)) *timed {
	t.Helper()
	c := &timed{w: New(t), turn: make(chan struct{})}
	if err := os.WriteFile(filepath.Join(c.w.Project, "stamp"), []byte("#!/bin/sh\ndate +%s%N >> times\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	prepare(c.w)
	model := modeltest.New(t, func(ctx context.Context, r *modeltest.Request) modeltest.Reply {
		if len(r.Tools) == 0 {
			return modeltest.Say("ok")
		}
		select {
		case <-c.turn:
		case <-ctx.Done():
			return modeltest.Say("over")
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.asked = append(c.asked, time.Now())
		return modeltest.Use("Bash", object{"command": stamp, "description": "what time it is"})
	})
	c.tm = claudeDefault(c.w, claudeHome(c.w, model), "default")
	return c
}

// next makes the next call, lets decide do what it needs, and returns when the model
// had made it and when the tool ran.
func (c *timed) next(decide func()) (called, ran time.Time) {
	c.w.t.Helper()
	n := len(c.times())
	select {
	case c.turn <- struct{}{}:
	case <-time.After(Patience):
		c.w.t.Fatalf("Claude Code does not call its model after %d calls:\n%s", n, c.tm.Screen())
	}
	if decide != nil {
		decide()
	}
	soon(c.w.t, "the tool to run", func() bool { return len(c.times()) > n })
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked[len(c.asked)-1], c.times()[n]
}

// times reads when the tool ran.
func (c *timed) times() (all []time.Time) {
	for line := range strings.Lines(c.w.InProject("times")) {
		if ns, err := strconv.ParseInt(strings.TrimSuffix(line, "\n"), 10, 64); err == nil && strings.HasSuffix(line, "\n") {
			all = append(all, time.Unix(0, ns))
		}
	}
	return all
}

// soon is until, for what is measured: it looks often.
func soon(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(Patience); !cond(); <-time.After(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v for %s", Patience, what)
		}
	}
}

// TestFigure_APPROVE measures, with the real Claude Code in a terminal, the time from
// the hub's acknowledgement of an answer to the tool that runs, and what the hooks add
// to a call: one that a rule of ours allows, and one that Claude Code's own settings
// allow, compared with Claude Code without hooks, by turns.
func TestFigure_APPROVE(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("measures: set SAYSO_FIGURES=1, or run make figures ONLY=APPROVE")
	}
	const rounds = 60 // of four calls each
	own := `{"permissions":{"allow":["Bash(./stamp)"]}}`
	bare := newTimed(t, func(w *World) { w.Write(".claude/settings.json", own) })
	hooks := newTimed(t, func(w *World) { w.Write(".claude/settings.json", own); setup(w) })
	rule := newTimed(t, func(w *World) { setup(w) })
	inbox := newTimed(t, func(w *World) { setup(w) })
	// The first call of each warms it up, and the rule is made of one.
	bare.next(nil)
	hooks.next(nil)
	rule.next(func() {
		asked, _ := rule.w.Opened()
		rule.w.Decide(asked, "allow", "", "")
		rule.w.Run(rule.w.Env(), rule.w.Sayso, "rules", "add", "allow", asked.Ask.ID, "--for", "1h", "--yes")
	})
	rule.next(nil)
	var answered, bareTook, hooksTook, ruleTook []time.Duration
	since := func(c *timed) time.Duration {
		called, ran := c.next(nil)
		return ran.Sub(called)
	}
	for i := range rounds + 1 {
		var accepted time.Time
		_, ran := inbox.next(func() {
			asked, _ := inbox.w.Opened()
			inbox.tm.Await(permissionDialog)
			inbox.w.Decide(asked, "allow", "", "")
			accepted = time.Now()
		})
		b, h, r := since(bare), since(hooks), since(rule)
		if i == 0 {
			continue
		}
		answered = append(answered, ran.Sub(accepted))
		bareTook, hooksTook, ruleTook = append(bareTook, b), append(hooksTook, h), append(ruleTook, r)
	}
	if n := len(rule.w.All()); n != rounds+3 {
		t.Errorf("the rule decided %d calls of %d", n-1, rounds+2)
	}
	figure := func(id string, took []time.Duration) {
		t.Logf("FIGURE APPROVE-%s-p50 %.0f ms", id, ms(percentile(took, 0.5)))
		t.Logf("FIGURE APPROVE-%s-p99 %.0f ms", id, ms(percentile(took, 0.99)))
	}
	figure("answer", answered)
	figure("bare", bareTook)
	figure("hooks", hooksTook)
	figure("rule", ruleTook)
	t.Logf("FIGURE APPROVE-hooks-adds-p50 %.0f ms", ms(percentile(hooksTook, 0.5)-percentile(bareTook, 0.5)))
	t.Logf("FIGURE APPROVE-rule-adds-p50 %.0f ms", ms(percentile(ruleTook, 0.5)-percentile(bareTook, 0.5)))
	t.Logf("FIGURE APPROVE-count %d", rounds)
	load, _ := os.ReadFile(filepath.Join("/proc", "loadavg"))
	fmt.Printf("load %s", load)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// percentile returns the smallest value that so many of them do not exceed.
func percentile(all []time.Duration, p float64) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[max(0, min(len(sorted)-1, int(math.Ceil(p*float64(len(sorted))))-1))]
}
