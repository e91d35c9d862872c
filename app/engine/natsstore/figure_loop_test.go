package natsstore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/saysohq/sayso/app/engine/enginetest"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/hub"
)

// TestFigure_P1 measures ask → a surface sees it → answer → the asker has it, through the hub, against a loop that does the
// same writes of the same bytes to the same streams, and hears of them in the same way, on the engine alone. The two take
// turns, in short slices, so that whatever else the machine does meets both. P2 is how much longer one ask takes when
// nothing else is going on.
func TestFigure_P1(t *testing.T) {
	measure(t)
	srv, nc := serve(t)
	o := natsstore.Options{Mark: srv, NoAudit: true}
	compare(t, "P1", loopBare(t, nc, o), loopHub(t, nc, "hub", o), nil)
}

// TestFigure_P1Nodes is TestFigure_P1 with three server processes and each record on all of them.
func TestFigure_P1Nodes(t *testing.T) {
	measure(t)
	c := enginetest.StartCluster(t, t.TempDir(), nil, enginetest.Spec{})
	nc := c.Nodes[0].Connect()
	o := natsstore.Options{Mark: noMark{}, NoAudit: true, Replicas: 3}
	bare, through := loopBare(t, nc, o), loopHub(t, nc, "hub", o)
	leadAll(t, nc, c.Nodes[0].Spec.Name)
	compare(t, "P1-nodes", bare, through, func() (used time.Duration) {
		for _, n := range c.Nodes {
			used += processTime(t, n.PID())
		}
		return used
	})
}

// leadAll makes a node the leader of every stream: who asks the leader itself saves a step.
func leadAll(t *testing.T, nc *nats.Conn, node string) {
	t.Helper()
	js, err := jetstream.New(nc)
	must(t, err)
	prefer, err := json.Marshal(map[string]any{"placement": map[string]string{"preferred": node}})
	must(t, err)
	for led := false; !led; {
		led = true
		all := js.ListStreams(t.Context())
		for info := range all.Info() {
			if info.Cluster.Leader == node {
				continue
			}
			led = false
			_, err := nc.RequestWithContext(t.Context(), "$JS.API.STREAM.LEADER.STEPDOWN."+info.Config.Name, prefer)
			must(t, err)
		}
		must(t, all.Err())
	}
}

type noMark struct{}

func (noMark) Note(string, uint64) error { return nil }

// compare lets two loops take turns, in slices of a moment, and says how the second one does. Both are taken at their best
// tenth of the slices: that is what they do when nobody else is given the processors and the disk. servers tells what other
// processes have used.
func compare(t *testing.T, id string, bare, through func(n uint64), servers func() time.Duration) {
	for _, c := range []int{1, 16, 256} {
		d, slices := 100*time.Millisecond, 41
		if c == 256 {
			d, slices = 700*time.Millisecond, 13 // the last asks of a slice are alone
		}
		if long() {
			slices *= 5
		}
		sides := [2]*side{{ask: bare}, {ask: through}}
		for i := range slices {
			for k := range sides {
				sides[(i+k)%2].slice(t, c, d, servers)
			}
			if t.Failed() {
				return
			}
		}
		b, h := sides[0], sides[1]
		t.Logf("%d at a time: bare %v; hub %v; all slices: %.2f", c, &b.all, &h.all, h.all.rate()/b.all.rate())
		say := func(what string, value float64, unit string) {
			figure(t, fmt.Sprintf("%s-%d%s", id, c, what), strconv.FormatFloat(value, 'f', 2, 64), unit)
		}
		say("", quantile(h.rates, 0.9)/quantile(b.rates, 0.9), "ratio")
		say("-hub", math.Round(quantile(h.rates, 0.9)), "asks/s")
		say("-bare", math.Round(quantile(b.rates, 0.9)), "asks/s")
		say("-cpu", quantile(h.cpu, 0.1)/quantile(b.cpu, 0.1), "x")
		say("-time", quantile(h.cpu, 0.1), "µs")
		if servers != nil {
			say("-servers", micro(h.all.used)/float64(len(h.all.took)), "µs")
		}
		if c == 1 {
			figure(t, strings.Replace(id, "P1", "P2", 1), math.Round(quantile(h.p50, 0.1)-quantile(b.p50, 0.1)), "µs")
		}
	}
}

// side is one of two that take turns.
type side struct {
	ask             func(n uint64)
	rates, cpu, p50 []float64 // of its slices: asks a second, µs
	all             turn
}

func (s *side) slice(t *testing.T, c int, d time.Duration, servers func() time.Duration) {
	one := turn{others: servers}
	one.slice(t, c, d, s.ask)
	s.rates = append(s.rates, one.rate())
	s.cpu = append(s.cpu, micro(one.cpuPerAsk()))
	s.p50 = append(s.p50, micro(one.p(0.5)))
	s.all.add(&one)
}

func micro(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// TestFigure_P1Listeners measures what an ask costs a hub that has nothing to do with it, in another process of a team
// say: every hub hears of every ask of its store.
func TestFigure_P1Listeners(t *testing.T) {
	measure(t)
	srv, nc := serve(t)
	o := natsstore.Options{Mark: srv, NoAudit: true}
	ask := loopHub(t, nc, "hub", o)
	o.Prefix = "hub"
	const listeners = 8
	var added []float64
	for range 9 {
		var alone, heard turn
		alone.slice(t, 16, 500*time.Millisecond, ask)
		t.Run("listen", func(t *testing.T) {
			for range listeners {
				nc, err := srv.Conn(t.Context(), "")
				must(t, err)
				t.Cleanup(nc.Close)
				room(t, open(t, nc, &o))
			}
			heard.slice(t, 16, 500*time.Millisecond, ask)
		})
		added = append(added, micro(heard.cpuPerAsk()-alone.cpuPerAsk())/listeners)
	}
	figure(t, "P1-listener", fmt.Sprintf("%.1f", quantile(added, 0.5)), "µs")
}

// turn is what one side did in its turns.
type turn struct {
	took []time.Duration
	time time.Duration
	cpu  time.Duration

	others func() time.Duration // may be nil
	used   time.Duration        // by them
}

func (u *turn) slice(t *testing.T, c int, d time.Duration, ask func(n uint64)) {
	t.Helper()
	others := u.others
	if others == nil {
		others = func() time.Duration { return 0 }
	}
	cpu, used, began := cpuTime(), others(), time.Now()
	took := load(t, c, d, ask)
	u.add(&turn{took: took, time: time.Since(began), cpu: cpuTime() - cpu, used: others() - used})
}

func (u *turn) add(v *turn) {
	u.took = append(u.took, v.took...)
	u.time += v.time
	u.cpu += v.cpu
	u.used += v.used
	slices.Sort(u.took)
}

func (u *turn) rate() float64             { return float64(len(u.took)) / u.time.Seconds() }
func (u *turn) p(p float64) time.Duration { return percentile(u.took, p) }
func (u *turn) cpuPerAsk() time.Duration  { return u.cpu / time.Duration(max(len(u.took), 1)) }
func (u *turn) String() string {
	return fmt.Sprintf("%.0f/s, p50 %v, p99 %v, cpu %v", u.rate(), u.p(0.5), u.p(0.99), u.cpuPerAsk())
}

// number makes every ask of a process another one.
var number atomic.Uint64

// loopHub asks through a hub.
func loopHub(t *testing.T, nc *nats.Conn, prefix string, o natsstore.Options) func(n uint64) {
	o.Prefix = prefix
	return loopOver(t, open(t, nc, &o), true)
}

// loopOver asks through a hub over a store, with ids of its own or with those that the hub draws.
func loopOver(t *testing.T, s *natsstore.Store, named bool) func(n uint64) {
	h := room(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	var surface sync.WaitGroup
	t.Cleanup(func() { cancel(); surface.Wait() })
	ready := make(chan struct{})
	seen := sync.OnceFunc(func() { close(ready) })
	surface.Go(func() {
		_ = h.Watch(ctx, "acme", nil, func(ch hub.Change) {
			seen()
			if ch.Ticket == nil || !ch.Ticket.Open() {
				return
			}
			surface.Go(func() {
				if _, err := h.Close(ctx, ch.Ticket, reply("ann"), nil); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			})
		})
	})
	<-ready
	form := question("ask_", "ann", "conv") // making it is the agent's work
	return func(n uint64) {
		a := *form
		a.ID, a.Origin.Conversation = "", "conv"+strconv.FormatUint(n/5, 10)
		if named {
			a.ID = "ask_" + strconv.FormatUint(n, 10)
		}
		tk, err := h.Ask(ctx, "acme", &a)
		if err != nil || tk.Open() {
			t.Errorf("%v, %v", tk, err)
		}
	}
}

// bareRecord returns what the hub stores for an ask, open and closed.
var bareRecord = sync.OnceValues(func() (open, closed []byte) {
	m := hub.NewMemory(nil)
	h, err := hub.Open(context.Background(), m, nil)
	if err != nil {
		panic(err)
	}
	defer h.Stop()
	tk, err := h.Submit(context.Background(), "acme", question("ask_0_0", "ann", "conv0"))
	if err != nil {
		panic(err)
	}
	r, _ := m.Get(context.Background(), hub.KindTicket, tk.Address)
	open = r.Data
	if _, err = h.Close(context.Background(), tk, reply("ann"), nil); err != nil {
		panic(err)
	}
	r, _ = m.Get(context.Background(), hub.KindTicket, tk.Address)
	return open, r.Data
})

// loopBare does without the hub and the store: publish, hear, publish, hear.
func loopBare(t *testing.T, nc *nats.Conn, o natsstore.Options) func(n uint64) {
	o.Prefix = "bare"
	must(t, open(t, nc, &o).Close()) // for the streams
	asked, answered := bareRecord()
	ctx, cancel := context.WithCancel(t.Context())
	var nonce atomic.Uint64
	publish := func(subject, expect, state string, data []byte) error {
		h := nats.Header{
			"Nats-Expected-Last-Subject-Sequence": {expect},
			"Sayso-Nonce":                         {"AAAAAAAAAAAA" + strconv.FormatUint(nonce.Add(1), 36)},
			"Sayso-State":                         {state},
		}
		if state == "c" {
			h["Nats-TTL"] = []string{"604800"}
		}
		// What the client's own Publish does: a deadline, a request, the answer decoded.
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		for {
			m, err := nc.RequestMsgWithContext(ctx, &nats.Msg{Subject: subject, Header: h, Data: data})
			if err != nil {
				return err
			}
			var ack struct {
				Seq   uint64
				Error struct {
					Code int `json:"err_code"`
				}
			}
			if err := json.Unmarshal(m.Data, &ack); err != nil || ack.Error.Code != 0 && ack.Error.Code != 10164 {
				return fmt.Errorf("%s %v", m.Data, err)
			}
			if ack.Error.Code == 0 {
				return o.Mark.Note("bare-ASK2-00", ack.Seq)
			}
			select { // the ask's own write is still in process at the other nodes
			case <-time.After(500 * time.Microsecond):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	var waiting sync.Map
	var surface sync.WaitGroup
	t.Cleanup(func() { cancel(); surface.Wait() })
	sub, err := nc.Subscribe("bare.evt.>", func(m *nats.Msg) {
		subject := "bare." + strings.TrimPrefix(m.Subject, "bare.evt.")
		if m.Header.Get("Sayso-State") == "o" {
			surface.Go(func() {
				if err := publish(subject, m.Header.Get("Nats-Sequence"), "c", answered); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			})
			return
		}
		if ch, ok := waiting.LoadAndDelete(subject); ok {
			close(ch.(chan struct{}))
		}
	})
	must(t, err)
	must(t, sub.SetPendingLimits(-1, -1))
	must(t, nc.Flush())
	return func(n uint64) {
		subject := fmt.Sprintf("bare.ask.00.acme.ann.conv%d.ask_%d", n/5, n)
		ch := make(chan struct{})
		waiting.Store(subject, ch)
		if err := publish(subject, "0", "o", asked); err != nil {
			t.Error(err)
			return
		}
		select {
		case <-ch:
		case <-time.After(20 * time.Second):
			t.Error("no answer after 20 s")
		}
	}
}
