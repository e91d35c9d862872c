package natsstore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

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
	compare(t, "P1", loopBare(t, nc, o), loopHub(t, nc, "hub", o))
}

// TestFigure_P1Nodes is TestFigure_P1 with three server processes and each record on all of them.
func TestFigure_P1Nodes(t *testing.T) {
	measure(t)
	c := enginetest.StartCluster(t, t.TempDir(), nil, enginetest.Spec{})
	o := natsstore.Options{Mark: noMark{}, NoAudit: true, Replicas: 3}
	compare(t, "P1-nodes", loopBare(t, c.Connect(), o), loopHub(t, c.Connect(), "hub", o))
}

type noMark struct{}

func (noMark) Note(string, uint64) error { return nil }

// compare lets two loops take turns and says how the second one does.
func compare(t *testing.T, id string, bare, through func(n uint64)) {
	pairs := 15
	if long() {
		pairs = 101
	}
	for _, c := range []int{1, 16, 256} {
		d := 200*time.Millisecond + time.Duration(c)*2*time.Millisecond // the last asks of a slice are alone
		var b, h turn
		b.slice(t, c, d, bare) // to warm up
		h.slice(t, c, d, through)
		b, h = turn{}, turn{}
		var ratio, added []float64
		for i := range pairs {
			var one, other turn
			if i%2 == 0 {
				one.slice(t, c, d, bare)
				other.slice(t, c, d, through)
			} else {
				other.slice(t, c, d, through)
				one.slice(t, c, d, bare)
			}
			ratio = append(ratio, other.rate()/one.rate())
			added = append(added, float64((other.p(0.5) - one.p(0.5)).Microseconds()))
			b.add(&one)
			h.add(&other)
		}
		if t.Failed() {
			return
		}
		t.Logf("%d at a time: bare %v; hub %v; quartiles of the ratio %.2f %.2f", c, &b, &h, quantile(ratio, 0.25), quantile(ratio, 0.75))
		figure(t, fmt.Sprintf("%s-%d", id, c), fmt.Sprintf("%.2f", quantile(ratio, 0.5)), "ratio")
		figure(t, fmt.Sprintf("%s-%d-hub", id, c), fmt.Sprintf("%.0f", h.rate()), "asks/s")
		figure(t, fmt.Sprintf("%s-%d-bare", id, c), fmt.Sprintf("%.0f", b.rate()), "asks/s")
		figure(t, fmt.Sprintf("%s-%d-cpu", id, c), fmt.Sprintf("%.2f", float64(h.cpuPerAsk())/float64(b.cpuPerAsk())), "x")
		if c == 1 {
			figure(t, strings.Replace(id, "P1", "P2", 1), quantile(added, 0.5), "µs")
		}
	}
}

// TestFigure_P1Audit measures what the audit stream costs: everything is written twice.
func TestFigure_P1Audit(t *testing.T) {
	measure(t)
	srv, nc := serve(t)
	with := loopHub(t, nc, "with", natsstore.Options{Mark: srv})
	without := loopHub(t, nc, "without", natsstore.Options{Mark: srv, NoAudit: true})
	for _, c := range []int{1, 256} {
		var ratio []float64
		for range 9 {
			var a, b turn
			a.slice(t, c, 500*time.Millisecond, with)
			b.slice(t, c, 500*time.Millisecond, without)
			ratio = append(ratio, a.rate()/b.rate())
		}
		figure(t, fmt.Sprintf("P1-%d-audit", c), fmt.Sprintf("%.2f", quantile(ratio, 0.5)), "ratio")
	}
}

// turn is what one side did in its turns.
type turn struct {
	took []time.Duration
	time time.Duration
	cpu  time.Duration
}

func (u *turn) slice(t *testing.T, c int, d time.Duration, ask func(n uint64)) {
	t.Helper()
	cpu, began := cpuTime(), time.Now()
	took := load(t, c, d, ask)
	u.add(&turn{took, time.Since(began), cpuTime() - cpu})
}

func (u *turn) add(v *turn) {
	u.took = append(u.took, v.took...)
	u.time += v.time
	u.cpu += v.cpu
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
	h := room(t, open(t, nc, &o))
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
		a.ID, a.Origin.Conversation = "ask_"+strconv.FormatUint(n, 10), "conv"+strconv.FormatUint(n/5, 10)
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
				return o.Mark.Note("bare-ASK-00", ack.Seq)
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
