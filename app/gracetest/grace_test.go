package gracetest

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso/hub"
)

const hold = 2 * time.Second

var (
	schedules = flag.Int("schedules", 15, "how many schedules TestGrace plays")
	patience  = flag.Duration("patience", 2*time.Minute, "how long an answer may take")
)

var (
	victims = []string{"hub", "browser", "agent"}
	steps   = []string{"hold", "cancel", "release", "deliver", "consume"}
)

// schedule is one answer, and who is killed at which step of it.
type schedule struct {
	n            int
	victim, step string
	cancels      bool          // the person takes the answer back and gives another one
	after        time.Duration // the step began
	undoAfter    time.Duration // the hub said that the answer is held
}

// plan returns the schedule of a number. Fifteen in a row have each victim at each step.
func plan(n int) schedule {
	r := rand.New(rand.NewPCG(19, uint64(n)))
	s := schedule{n: n, victim: victims[n%len(victims)], step: steps[n/len(victims)%len(steps)]}
	s.cancels = s.step == "cancel" || r.IntN(2) == 0
	s.undoAfter = time.Duration(r.IntN(1200)) * time.Millisecond
	switch s.step {
	case "hold", "cancel":
		s.after = time.Duration(r.IntN(150)) * time.Millisecond
	case "release":
		s.after = time.Duration(r.IntN(1100)) * time.Millisecond
	default:
		s.after = time.Duration(r.IntN(30)) * time.Millisecond
	}
	return s
}

// TestGrace plays a schedule for each victim at each step.
func TestGrace(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a hundred processes; run without -short")
	}
	play(t, *schedules)
}

// TestFigure_GRACE plays two hundred.
func TestFigure_GRACE(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("measures: set SAYSO_FIGURES=1, or run make figures ONLY=GRACE")
	}
	wrong, kills := play(t, 200)
	t.Logf("FIGURE GRACE %d wrong answers/200 schedules", wrong)
	for _, v := range victims {
		t.Logf("FIGURE GRACE-%s %d kills", v, kills[v])
	}
}

func play(t *testing.T, most int) (wrong int, kills map[string]int) {
	kills = map[string]int{}
	next := make(chan schedule)
	var mu sync.Mutex
	var work sync.WaitGroup
	for range min(4, most) {
		l := newLane(t)
		work.Go(func() {
			for s := range next {
				err := l.play(s)
				mu.Lock()
				if err != nil {
					wrong++
					t.Errorf("schedule %d, the %s is killed %v after the step %s: %v", s.n, s.victim, s.after, s.step, err)
				}
				mu.Unlock()
			}
			mu.Lock()
			defer mu.Unlock()
			for v, n := range l.kills {
				kills[v] += n
			}
		})
	}
	for n := range most {
		next <- plan(n)
	}
	close(next)
	work.Wait()
	t.Logf("%d schedules, %d wrong, killed: %v", most, wrong, kills)
	return wrong, kills
}

// play plays one schedule and returns what is wrong with it.
func (l *lane) play(s schedule) error {
	ctx, cancel := context.WithTimeout(l.Context(), *patience)
	defer cancel()
	id := fmt.Sprintf("grace_%03d", s.n)
	l.mu.Lock()
	l.agent, l.browser = nil, nil
	l.mu.Unlock()

	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	var once sync.Once
	struck := make(chan struct{})
	strike := func(step string) {
		if step == s.step {
			once.Do(func() {
				work.Go(func() {
					defer close(struck)
					sleep(ctx, s.after)
					l.kill(s.victim)
					if s.victim == "hub" {
						l.startHub()
					}
				})
			})
		}
	}
	watched := &watched{strike: strike}
	work.Go(func() { l.watch(ctx, id, func(t *hub.Ticket) { watched.see(ctx, &work, t) }) })

	got := make(chan delivered, 1)
	work.Go(func() {
		o, err := l.asks(ctx, id)
		got <- delivered{o, err, time.Now()}
	})
	if _, err := find(ctx, l.client, id); err != nil {
		return fmt.Errorf("the question is not there: %w", err)
	}

	want := "o1"
	first, err := l.browses(ctx, func() { strike("hold") }, "answer", id, "o1")
	if err != nil {
		return err
	}
	last := first
	if s.cancels {
		sleep(ctx, s.undoAfter)
		undo, err := l.browses(ctx, func() { strike("cancel") }, "undo", id, "-")
		if err != nil {
			return err
		}
		if undo.What == "undone" {
			want = "o2"
			if last, err = l.browses(ctx, func() {}, "answer", id, "o2"); err != nil {
				return err
			}
		}
	}
	d := <-got
	if d.err != nil {
		return fmt.Errorf("lost: the person was told %q, and %w", last.What, d.err)
	}
	if s.step == "consume" || s.step == "deliver" || s.step == "release" {
		select { // the victim may be killed when all is over
		case <-struck:
		case <-time.After(3 * time.Second):
		}
	}
	return l.check(ctx, id, want, last, d, watched)
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
