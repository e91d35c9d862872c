package wake_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso/app/wake"
	"github.com/saysohq/sayso/hub"
)

// dying is a store that a hub loses: at the step with that number, and for good.
type dying struct {
	hub.Store
	left  atomic.Int64
	after bool // what is written at that step is written, and nobody is told so
}

var errDead = errors.New("the hub was killed")

func (d *dying) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	if r.Kind != hub.KindWake {
		return d.Store.Put(ctx, r, expect)
	}
	left := d.left.Add(-1)
	if left < 0 || left == 0 && !d.after {
		return 0, errDead
	}
	revision, err := d.Store.Put(ctx, r, expect)
	if left == 0 {
		return 0, errDead
	}
	return revision, err
}

func (d *dying) Get(ctx context.Context, kind hub.Kind, at hub.Address) (hub.Record, error) {
	if kind == hub.KindWake && d.left.Load() <= 0 {
		return hub.Record{}, errDead
	}
	return d.Store.Get(ctx, kind, at)
}

// A hub that is killed at any step of a run, before or behind its writing: another one
// goes on, and there is never a second run.
func TestKilled(t *testing.T) {
	t.Parallel()
	dead := ended(t)
	for step := range 4 {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprint(step, after), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, dead)
					w.stop()
					whole := w.store
					d := &dying{Store: whole, after: after}
					d.left.Store(int64(step + 1))
					w.store = d
					w.start()
					w.answers(w.asks(nil))
					pass(time.Minute)
					w.stop()
					w.store = whole
					w.start()
					defer func() { w.stop() }()
					pass(time.Minute)
					n := len(w.lines())
					if w.lines()[0] == "" {
						n = 0
					}
					runs, err := wake.Runs(t.Context(), whole, tenant)
					if err != nil || len(runs) != 1 || n > 1 {
						t.Fatalf("%d runs, recorded: %+v, %v", n, runs, err)
					}
					if step > 0 && n != 1 || step == 0 && n != map[bool]int{false: 1, true: 0}[after] {
						t.Errorf("%d runs after step %d", n, step)
					}
				})
			})
		}
	}
}

// A session that may be running again because of another answer is left alone.
func TestBusy(t *testing.T) {
	t.Parallel()
	dead := ended(t)
	for _, tc := range []struct {
		name    string
		session string
		process wake.Process
		ended   bool
		runs    int
	}{
		{"runs", "0a1b-2c", wake.ProcessOf(os.Getpid()), false, 0},
		{"perhaps", "0a1b-2c", "", false, 0},
		{"gone", "0a1b-2c", dead, false, 1},
		{"ended", "0a1b-2c", wake.ProcessOf(os.Getpid()), true, 1},
		{"another session", "other", wake.ProcessOf(os.Getpid()), false, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, dead)
				defer func() { w.stop() }()
				r := wake.Run{Ask: "ask_before", Agent: "claude", Session: tc.session, At: time.Now(), Process: tc.process}
				if tc.ended {
					r.Ended = time.Now()
				}
				data, _ := json.Marshal(r)
				if _, err := w.store.Put(t.Context(), hub.Record{Kind: hub.KindWake, Address: hub.Address{Tenant: tenant, ID: r.Ask}, Data: data}, 0); err != nil {
					t.Fatal(err)
				}
				w.answers(w.asks(nil))
				pass(time.Minute)
				n := len(w.lines())
				if w.lines()[0] == "" {
					n = 0
				}
				if n != tc.runs {
					t.Errorf("%d runs, want %d", n, tc.runs)
				}
			})
		})
	}
}

// The environment does not say that an agent started the command.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	got := wake.Environment([]string{"PATH=/bin", "CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_CONFIG_DIR=/c", "CODEX_HOME=/x", "CODEX_THREAD_ID=1"})
	if want := "[PATH=/bin CLAUDE_CONFIG_DIR=/c CODEX_HOME=/x]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// What is wrong with a command is said.
func TestCheck(t *testing.T) {
	t.Parallel()
	for want, command := range map[string][]string{
		"":                     {"claude", "-p", "--resume", "{session}", "go on"},
		"the command is empty": {},
		`the command begins with "-p", which is not a program`:       {"-p", "{session}"},
		"no word of the command is {session}, so it resumes nothing": {"claude", "-p"},
		`"--resume={session}": {session} must be a word of its own`:  {"claude", "--resume={session}", "{session}"},
	} {
		got := ""
		if err := wake.Check(command); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}

// The agent is the process above that is not a shell.
func TestAbove(t *testing.T) {
	t.Parallel()
	me := wake.ProcessOf(os.Getpid())
	if got := above(t, "cat"); got != me {
		t.Errorf("directly: %q, want %q", got, me)
	}
	if got := above(t, "sh", "-c", "sh -c 'cat; true'; true"); got != me {
		t.Errorf("through shells: %q, want %q", got, me)
	}
}
