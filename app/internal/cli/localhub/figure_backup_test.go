package localhub

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/hub"
)

// load asks at a rate, over the socket, and knows what was acknowledged.
type load struct {
	mu    sync.Mutex
	acked map[string]bool // by id: it was answered, too
}

// asking asks as many times a second until ctx ends, and answers every other question.
func (l *load) asking(ctx context.Context, t *testing.T, r *running, rate int) {
	ticks := make(chan int)
	var workers sync.WaitGroup
	for range 32 {
		c := r.client()
		workers.Go(func() {
			for i := range ticks {
				ticket, err := c.Submit(ctx, ask(fmt.Sprint("q", i), "Which database?"))
				answered := false
				if err == nil {
					l.note(ticket.Ask.ID, false)
					if i%2 == 0 {
						_, err = c.Answer(ctx, ticket, answer("SQLite"))
						answered = err == nil
					}
				}
				if answered {
					l.note(ticket.Ask.ID, true)
				}
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	began := time.Now()
	for i := 0; ctx.Err() == nil; {
		if due := int(time.Since(began).Seconds() * float64(rate)); i < due {
			select {
			case ticks <- i:
				i++
			case <-ctx.Done():
			}
			continue
		}
		<-time.After(time.Millisecond)
	}
	close(ticks)
	workers.Wait()
}

func (l *load) note(id string, answered bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acked[id] = answered
}

// soFar returns a copy of what was acknowledged.
func (l *load) soFar() map[string]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	got := make(map[string]bool, len(l.acked))
	for id, a := range l.acked {
		got[id] = a
	}
	return got
}

// backUnderLoad takes a backup while questions come in, restores it into another hub, and returns how many are lost of those
// that were acknowledged before it began, and how many came in a second meanwhile.
func backUnderLoad(t *testing.T, before time.Duration, rate int, to func() *running) (lost, of int, perSecond float64) {
	t.Helper()
	from := runWith(t, &ServeOptions{Engine: EngineOptions{NewShards: 4}, Quota: httpapi.Quota{Open: 1 << 30, Rate: 1 << 20, Burst: 1 << 20, Stored: 1 << 40}}).served()
	l := &load{acked: map[string]bool{}}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	began := time.Now()
	go func() { defer close(done); l.asking(ctx, t, from, rate) }()
	defer func() { stop(); <-done }()
	timer := time.NewTimer(before)
	defer timer.Stop()
	<-timer.C
	must := l.soFar()
	at, count := time.Now(), len(must)
	dir := filepath.Join(t.TempDir(), "backup")
	backup, err := from.Backup(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(at)
	during := len(l.soFar()) - count
	perSecond = float64(count+during) / time.Since(began).Seconds()
	stop()
	<-done
	t.Logf("backup of %d tickets, %d bytes in %s; %d questions were asked meanwhile", backup.Tickets, backup.Bytes, took.Round(time.Millisecond), during)
	if during == 0 && took > time.Second {
		t.Error("nothing was asked while the backup was taken")
	}
	r := to().served()
	if _, err := r.Restore(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	if err := hub.Each(t.Context(), r.client(), &hub.Filter{Status: hub.AnyStatus}, func(ticket *hub.Ticket) bool {
		got[ticket.Ask.ID] = !ticket.Open()
		return true
	}); err != nil {
		t.Fatal(err)
	}
	for id, answered := range must {
		if is, there := got[id]; !there || answered && !is {
			t.Logf("lost %s: there %t; acknowledged as answered %t, closed %t", id, there, answered, is)
			lost++
		}
	}
	return lost, len(must), perSecond
}

// TestBackupUnderLoad is the short form of TestFigure_BACKUP.
func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	lost, of, _ := backUnderLoad(t, 2*time.Second, 300, func() *running { return runWith(t, &ServeOptions{}) })
	if lost > 0 || of == 0 {
		t.Errorf("%d lost of %d", lost, of)
	}
}

// TestFigure_BACKUP takes a backup of one node at 1,000 questions a second, if the machine reaches that, and restores it
// into three.
func TestFigure_BACKUP(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("measures: set SAYSO_FIGURES=1, or run make figures ONLY=BACKUP")
	}
	lost, of, rate := backUnderLoad(t, 20*time.Second, 1000, func() *running { return runThree(t)[0] })
	t.Logf("FIGURE BACKUP %d lost/%d", lost, of)
	t.Logf("FIGURE BACKUP-RATE %.0f asks/s", rate)
	if lost > 0 {
		t.Errorf("%d lost", lost)
	}
}
