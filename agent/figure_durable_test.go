package agent_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/agent/engine"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/httpapi"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// TestFigure_DURABLE has conversations ask one question, wait durably and go on
// with the answer: here, and on Restate and Temporal, which run beside it for the
// while that they are measured. Each is on the same disk. What each has on it when
// it accepts an answer is in docs/records/performance.md.
func TestFigure_DURABLE(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("a measurement: set SAYSO_FIGURES=1, or run make figures")
	}
	fmt.Printf("FIGURE DURABLE-fsync %.0f us\n", float64(fsync(t).Nanoseconds())/1000)
	for _, s := range []struct {
		name string
		open func(*testing.T, *talks) *durable
	}{
		{"agent", openAgent},
		{"hub", openHub},
		{"restate", openRestate},
		{"temporal", func(t *testing.T, all *talks) *durable { return openTemporal(t, all) }},
		{"temporal-tuned", func(t *testing.T, all *talks) *durable { return openTemporal(t, all, "tuned") }},
	} {
		t.Run(s.name, func(t *testing.T) { // so that it ends before the next begins
			all := &talks{t: t}
			if side := s.open(t, all); side != nil {
				side.name, side.talks = s.name, all
				side.measure(t)
			}
		})
	}
}

// fsync is the median of small writes that are on the disk.
func fsync(t *testing.T) time.Duration {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	took := make([]time.Duration, 500)
	for i := range took {
		began := time.Now()
		if _, err := f.Write(make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	return took[len(took)/2]
}

// talks are the conversations of a side.
type talks struct {
	t    *testing.T
	all  sync.Map // of *talk by name
	pids []string // the processes of a peer
}

// talk is what is known of a conversation.
type talk struct {
	asked, heard chan struct{} // closed when it waits, and when it goes on
	id           string        // of its ask, as who answers needs it
	ticket       *hub.Ticket
	at           time.Time // when it went on

	onceAsked, onceHeard sync.Once
}

func (t *talks) get(name string) *talk {
	v, _ := t.all.LoadOrStore(name, &talk{asked: make(chan struct{}), heard: make(chan struct{})})
	return v.(*talk)
}

func (t *talks) asked(name, id string, ticket *hub.Ticket) {
	k := t.get(name)
	k.onceAsked.Do(func() { k.id, k.ticket = id, ticket; close(k.asked) })
}

func (t *talks) heard(name string) {
	k := t.get(name)
	k.onceHeard.Do(func() { k.at = time.Now(); close(k.heard) })
}

func (t *talks) await(c chan struct{}, what, name string) {
	select {
	case <-c:
	case <-time.After(time.Minute):
		t.t.Errorf("%s: not %s after a minute", name, what)
	}
}

// durable is one side of the comparison.
type durable struct {
	name   string
	talks  *talks
	begin  func(name string) error          // begins a conversation that asks
	answer func(name string, k *talk) error // returns once the answer is accepted
	sleep  func(n int) error                // returns once n conversations are in no memory but on the disk
	next   atomic.Int64
}

// ask begins a conversation and waits until it has asked.
func (d *durable) ask() (string, *talk) {
	name := fmt.Sprintf("talk-%d", d.next.Add(1))
	k := d.talks.get(name)
	if err := d.begin(name); err != nil {
		d.talks.t.Errorf("%s: %v", name, err)
	}
	d.talks.await(k.asked, "asked", name)
	return name, k
}

// tell answers a conversation and waits until it goes on. It returns how long that
// took since the answer was given, and since it was accepted.
func (d *durable) tell(name string, k *talk) (given, accepted time.Duration) {
	began := time.Now()
	if err := d.answer(name, k); err != nil {
		d.talks.t.Errorf("%s: %v", name, err)
	}
	ack := time.Now()
	d.talks.await(k.heard, "going on", name)
	d.talks.all.Delete(name)
	return k.at.Sub(began), max(0, k.at.Sub(ack))
}

func (d *durable) measure(t *testing.T) {
	for _, clients := range []int{1, 16, 256} {
		rate, cpu, given := d.rate(clients, 6*time.Second)
		fmt.Printf("FIGURE DURABLE-%d-%s %.0f asks/s\n", clients, d.name, rate)
		fmt.Printf("FIGURE DURABLE-%d-%s-cpu %.2f ms\n", clients, d.name, float64(cpu.Microseconds())/1000)
		if clients == 1 {
			d.quantiles("awake", given)
		}
		if t.Failed() {
			return
		}
	}
	const n, probes = 1000, 200
	type one struct {
		name string
		talk *talk
	}
	all := make([]one, n)
	each(n, func(i int) { all[i].name, all[i].talk = d.ask() })
	if err := d.sleep(n); err != nil || t.Failed() {
		t.Error(err)
		return
	}
	var given, accepted []time.Duration
	pause := time.NewTicker(100 * time.Millisecond) // so that what the last one left to do is done
	defer pause.Stop()
	for _, o := range all[:probes] {
		<-pause.C
		g, a := d.tell(o.name, o.talk)
		given, accepted = append(given, g), append(accepted, a)
	}
	d.quantiles("asleep", given)
	d.quantiles("accepted", accepted)
	each(n-probes, func(i int) { d.tell(all[probes+i].name, all[probes+i].talk) })
}

// rate is how many conversations a second ask and go on with the answer, after a
// second to warm up, how much processor time each took, and how long the answers.
func (d *durable) rate(clients int, length time.Duration) (rate float64, cpu time.Duration, took []time.Duration) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	var all atomic.Int64
	used := d.talks.cpu()
	from := time.Now().Add(time.Second)
	to := from.Add(length)
	for range clients {
		wg.Go(func() {
			for time.Now().Before(to) && !d.talks.t.Failed() {
				given, _ := d.tell(d.ask())
				all.Add(1)
				if now := time.Now(); now.After(from) && now.Before(to) {
					mu.Lock()
					took = append(took, given)
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return float64(len(took)) / length.Seconds(), (d.talks.cpu() - used) / time.Duration(max(1, all.Load())), took
}

// cpu is the processor time of this process and those of the peer until now, where
// there is a /proc.
func (t *talks) cpu() (sum time.Duration) {
	for _, pid := range append([]string{"self"}, t.pids...) {
		stat, _ := os.ReadFile("/proc/" + pid + "/stat")
		_, rest, _ := strings.Cut(string(stat), ") ") // behind the name of the program
		if field := strings.Fields(rest); len(field) > 12 {
			for _, f := range field[11:13] { // user and system, in hundredths of a second
				n, _ := strconv.Atoi(f)
				sum += time.Duration(n) * 10 * time.Millisecond
			}
		}
	}
	return sum
}

func (d *durable) quantiles(what string, took []time.Duration) {
	if len(took) == 0 {
		return
	}
	slices.Sort(took)
	for _, q := range []int{50, 99} {
		fmt.Printf("FIGURE DURABLE-%s-%s-p%d %.1f ms\n", d.name, what, q, float64(took[len(took)*q/100].Microseconds())/1000)
	}
}

var postgres = []sayso.Answer{{QuestionID: "q1", Selected: []string{"o1"}}}

// openAgent is the host with a model that asks, and the person at the hub in the
// same process. It goes on when the model is called with the answer.
func openAgent(t *testing.T, all *talks) *durable {
	e, err := engine.Start(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close(context.Background()) })
	host, err := agent.Open(t.Context(), &agent.Options{
		Journal: e.Journal, Asks: e.Hub.Asker(e.Tenant, sayso.Responder{}), Model: &asker{heard: all.heard},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(host.Stop)
	watch(t, func(ctx context.Context) error {
		return e.Hub.Watch(ctx, e.Tenant, &hub.Filter{}, func(c hub.Change) {
			if c.Ticket != nil && c.Ticket.Open() {
				all.asked(c.Ticket.Address.Conversation, "", c.Ticket)
			}
		})
	})
	return &durable{
		begin: func(name string) error { return host.Send(t.Context(), name, "m1", name) },
		answer: func(name string, k *talk) error {
			_, err := e.Hub.Close(t.Context(), k.ticket, &sayso.Outcome{
				Status: sayso.StatusAnswered, Answers: postgres, By: sayso.Responder{Kind: sayso.ByPerson, ID: "ann"},
			}, nil)
			return err
		},
		sleep: func(int) error { return until(func() (bool, error) { return host.Active() == 0, nil }) },
	}
}

// openHub is the API on a Unix socket, with askers that wait and a person who
// answers over HTTP. The server is in this process.
func openHub(t *testing.T, all *talks) *durable {
	e, err := engine.Start(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close(context.Background()) })
	peers := &auth.Peers{UID: os.Getuid(), Who: auth.Principal{Tenant: e.Tenant, ID: "ann", Role: auth.Everything}}
	api, err := httpapi.New(e.Hub, &httpapi.Options{Auth: peers, Quota: httpapi.Quota{Open: -1, Rate: -1, Waits: -1}})
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := api.HTTPServer()
	server.ConnContext = peers.ConnContext
	watch(t, func(context.Context) error { return server.Serve(l) })
	t.Cleanup(func() { api.Close(); _ = server.Close() })
	c, err := client.New(socket, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &durable{
		begin: func(name string) error {
			ticket, err := c.Submit(t.Context(), question(name))
			if err != nil {
				return err
			}
			go func() {
				if _, err := c.Await(t.Context(), ticket); err != nil && t.Context().Err() == nil {
					t.Errorf("%s: %v", name, err)
				}
				all.heard(name)
			}()
			all.asked(name, "", ticket)
			return nil
		},
		answer: func(_ string, k *talk) error {
			_, err := c.Answer(t.Context(), k.ticket, &sayso.Outcome{Status: sayso.StatusAnswered, Answers: postgres})
			return err
		},
		sleep: func(int) error { return nil }, // who waits holds a connection
	}
}

func question(name string) *sayso.Ask {
	a := &sayso.Ask{ID: "ask_" + name, Origin: sayso.Origin{Conversation: name}, Questions: []sayso.Question{{
		Header: "DB", Text: "Which database?",
		Options: []sayso.Option{{Label: "PostgreSQL", Description: "Relational"}, {Label: "SQLite", Description: "A file"}},
	}}}
	a.Normalize()
	return a
}

// watch runs f until the test ends.
func watch(t *testing.T, f func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = f(ctx) })
	t.Cleanup(func() { cancel(); wg.Wait() })
}

// until asks five times a second for at most two minutes.
func until(done func() (bool, error)) error {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for range 600 {
		if ok, err := done(); ok || err != nil {
			return err
		}
		<-tick.C
	}
	return errors.New("not after two minutes")
}
