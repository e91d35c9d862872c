package agent_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"charm.land/fantasy"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/agent/engine"
	"github.com/saysohq/sayso/hub"
)

// asker is a model in this process that asks once and then is done. It notes when
// it heard of the answer.
type asker struct {
	fantasy.LanguageModel
	heard func(conversation string)
}

func (*asker) Provider() string { return "test" }
func (*asker) Model() string    { return "test" }

func (m *asker) Stream(_ context.Context, c fantasy.Call) (fantasy.StreamResponse, error) {
	first, _ := fantasy.AsMessagePart[fantasy.TextPart](c.Prompt[0].Content[0])
	return func(yield func(fantasy.StreamPart) bool) {
		if c.Prompt[len(c.Prompt)-1].Role == fantasy.MessageRoleTool {
			m.heard(first.Text)
			_ = yield(fantasy.StreamPart{Type: fantasy.StreamPartTypeTextDelta, ID: "0", Delta: "done"}) &&
				yield(fantasy.StreamPart{Type: fantasy.StreamPartTypeFinish, FinishReason: fantasy.FinishReasonStop})
			return
		}
		_ = yield(fantasy.StreamPart{
			Type: fantasy.StreamPartTypeToolCall, ID: "t1", ToolCallName: "ask_user",
			ToolCallInput: `{"questions":[{"question":"Which database?","header":"DB","options":[{"label":"PostgreSQL","description":"Relational"},{"label":"SQLite","description":"A file"}]}]}`,
		}) && yield(fantasy.StreamPart{Type: fantasy.StreamPartTypeFinish, FinishReason: fantasy.FinishReasonToolCalls})
	}, nil
}

// crowd is many conversations that await their user in one process.
type crowd struct {
	t      *testing.T
	engine *engine.Engine
	host   *agent.Host

	mu    sync.Mutex
	heard map[string]time.Time
	bell  chan struct{}
}

func newCrowd(t *testing.T) *crowd {
	e, err := engine.Start(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close(context.Background()) })
	c := &crowd{t: t, engine: e, heard: map[string]time.Time{}, bell: make(chan struct{}, 1)}
	c.host, err = agent.Open(t.Context(), &agent.Options{Journal: e.Journal, Asks: e.Hub.Asker(e.Tenant, sayso.Responder{}), Model: &asker{heard: c.hear}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.host.Stop)
	return c
}

func (c *crowd) hear(conversation string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard[conversation] = time.Now()
	select {
	case c.bell <- struct{}{}:
	default:
	}
}

func name(i int) string { return fmt.Sprintf("conversation-%05d", i) }

// each calls f for all numbers below n, some at a time.
func each(n int, f func(int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range 64 {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

// sleep begins conversations and waits until all of them await their user.
func (c *crowd) sleep(n int) {
	each(n, func(i int) {
		if err := c.host.Send(c.t.Context(), name(i), "m1", name(i)); err != nil {
			c.t.Error(err)
		}
		if got, err := c.host.Wait(c.t.Context(), name(i)); err != nil || len(got.Asks()) != 1 {
			c.t.Errorf("%s: %v", name(i), err)
		}
	})
}

// tickets are the asks of all conversations.
func (c *crowd) tickets() []*hub.Ticket {
	var all []*hub.Ticket
	f := &hub.Filter{Limit: 1000}
	for {
		page, err := c.engine.Hub.List(c.t.Context(), c.engine.Tenant, f)
		if err != nil {
			c.t.Fatal(err)
		}
		all = append(all, page.Tickets...)
		if f.Cursor = page.Next; f.Cursor == "" {
			return all
		}
	}
}

// wake answers all asks and returns how long each conversation took, from the
// answer being stored to its model being told.
func (c *crowd) wake(tickets []*hub.Ticket) (latencies []time.Duration, took time.Duration) {
	var mu sync.Mutex
	stored := map[string]time.Time{}
	began := time.Now()
	each(len(tickets), func(i int) {
		o := &sayso.Outcome{
			Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Selected: []string{"o1"}}},
			By: sayso.Responder{Kind: sayso.ByPerson, ID: "ann"},
		}
		if _, err := c.engine.Hub.Close(c.t.Context(), tickets[i], o, nil); err != nil {
			c.t.Error(err)
			return
		}
		mu.Lock()
		stored[tickets[i].Address.Conversation] = time.Now()
		mu.Unlock()
	})
	c.await(tickets)
	took = time.Since(began)
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, at := range stored {
		latencies = append(latencies, max(0, c.heard[id].Sub(at)))
	}
	slices.Sort(latencies)
	return latencies, took
}

func (c *crowd) await(tickets []*hub.Ticket) {
	for {
		c.mu.Lock()
		missing := slices.IndexFunc(tickets, func(t *hub.Ticket) bool { return c.heard[t.Address.Conversation].IsZero() })
		c.mu.Unlock()
		if missing < 0 {
			return
		}
		select {
		case <-c.bell:
		case <-c.t.Context().Done():
			c.t.Fatal("not all were woken")
		}
	}
}

func heap() int64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc + s.StackInuse)
}

// A conversation that sleeps holds no goroutine, however many there are, and all
// of them wake.
func TestManySleep(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	const n = 100
	c.sleep(n)
	if got := c.host.Active(); got != 0 { // each that is active has one goroutine or more
		t.Errorf("%d of %d conversations are at work", got, n)
	}
	c.wake(c.tickets())
	for i := range n {
		if got, err := c.host.Wait(t.Context(), name(i)); err != nil || got.Transcript[len(got.Transcript)-1].Text != "done" {
			t.Errorf("%s: %v", name(i), err)
		}
	}
}

// 10,000 conversations await their user in one process, with the engine in it,
// and then all are answered at once.
func TestFigure_C10K(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	c := newCrowd(t)
	const n = 10_000
	c.sleep(64) // so that what is there once is there
	before, goBefore := heap(), runtime.NumGoroutine()
	began := time.Now()
	c.sleep(n)
	t.Logf("asleep after %v", time.Since(began))
	after := heap()
	fmt.Printf("FIGURE C10K-MEM %d B/conversation\n", (after-before)/(n-64))
	fmt.Printf("FIGURE C10K-GOROUTINES %d of %d conversations\n", max(0, runtime.NumGoroutine()-goBefore), n)

	tickets := c.tickets()
	if len(tickets) != n {
		t.Fatalf("%d asks", len(tickets))
	}
	alone := make([]time.Duration, 0, 200)
	for _, one := range tickets[:200] {
		l, _ := c.wake([]*hub.Ticket{one})
		alone = append(alone, l...)
		if _, err := c.host.Wait(t.Context(), one.Address.Conversation); err != nil {
			t.Fatal(err)
		}
	}
	slices.SortFunc(alone, cmp.Compare)
	say := func(id string, l []time.Duration) {
		for _, q := range []struct {
			name string
			at   int
		}{{"P50", len(l) / 2}, {"P99", len(l) * 99 / 100}} {
			fmt.Printf("FIGURE %s-%s %.1f ms\n", id, q.name, float64(l[q.at].Microseconds())/1000)
		}
	}
	say("C10K-ONE", alone)
	all, took := c.wake(tickets[200:])
	say("C10K-ALL", all)
	fmt.Printf("FIGURE C10K-RATE %.0f conversations/s\n", float64(len(all))/took.Seconds())
}
