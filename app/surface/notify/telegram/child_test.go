package telegram_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/engine/natsserver"
	"github.com/saysohq/sayso/app/engine/natsstore"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/notify/telegram"
	"github.com/saysohq/sayso/app/surface/notify/telegramtest"
	"github.com/saysohq/sayso/hub"
)

// asChild has the test program be a hub with a bot, which kills itself at a step.
const asChild = "SAYSO_TELEGRAM_CHILD"

// order is what a child is told.
type order struct {
	Dir, API string
	KillAt   int           // the number of the step at which it ends; 0: never
	Ahead    time.Duration // of the clock
}

// state is how things are in a child.
type state struct {
	Open  bool
	Story []string // what was stored, one after the other
	Where string   // of the message
	Steps int      // taken so far
}

func TestMain(m *testing.M) {
	if text := os.Getenv(asChild); text != "" {
		if err := child(text); err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// steps counts steps, and ends the process with kill -9 at one of them.
type steps struct {
	killAt int
	n      atomic.Int64
}

func (s *steps) step(format string, a ...any) {
	if n := s.n.Add(1); s.killAt > 0 && int(n) == s.killAt {
		fmt.Fprintf(os.Stderr, "kill -9 at step %d: %s\n", n, fmt.Sprintf(format, a...))
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

// steppedStore takes a step before and after every write.
type steppedStore struct {
	hub.Store
	*steps
}

func (s *steppedStore) Put(ctx context.Context, r hub.Record, expect uint64) (uint64, error) {
	if r.Kind == hub.KindNotify && r.Address.Conversation == "lead" {
		return s.Store.Put(ctx, r, expect) // who leads is written all the time
	}
	what := fmt.Sprintf("writing %v %s", r.Kind, r.Address.Conversation)
	s.step("before %s", what)
	revision, err := s.Store.Put(ctx, r, expect)
	s.step("after %s", what)
	return revision, err
}

// steppedWire takes a step before and after every call of the Bot API.
type steppedWire struct{ *steps }

func (w *steppedWire) RoundTrip(r *http.Request) (*http.Response, error) {
	method := r.URL.Path[len("/bot"+telegramtest.Token+"/"):]
	w.step("before %s", method)
	res, err := http.DefaultTransport.RoundTrip(r)
	w.step("after %s", method)
	return res, err
}

// child is the hub. It tells its state whenever a line comes, and ends when none can
// come any more.
func child(text string) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	ctx := context.Background()
	server, err := natsserver.Start(ctx, &natsserver.Options{Dir: o.Dir})
	if err != nil {
		return err
	}
	conn, err := server.Conn(ctx, "")
	if err != nil {
		return err
	}
	nats, err := natsstore.Open(ctx, conn, nil)
	if err != nil {
		return err
	}
	count := &steps{killAt: o.KillAt}
	store := &steppedStore{nats, count}
	h, err := hub.Open(ctx, store, &hub.Options{Key: []byte("a key for these tests")})
	if err != nil {
		return err
	}
	c := telegram.Unpaced(telegram.New(&telegram.Options{Token: telegramtest.Token, API: o.API, Client: &http.Client{Transport: &steppedWire{count}}}))
	n := notify.Start(h, store, &notify.Options{
		Node: "n1", Alone: true, Channels: map[notify.Kind]notify.Channel{notify.Telegram: c}, Wait: -1, URL: address,
		Now: func() time.Time { return time.Now().Add(o.Ahead) },
	})
	all, err := n.Contacts(ctx, "home", "ann")
	if err == nil && len(all) == 0 {
		to := contact(42)
		to.Tenant, to.Person, to.Assurance, to.Detail, to.After = "home", "ann", sayso.AssuranceKey, notify.DetailText, -1
		_, err = n.Add(ctx, to)
	}
	if err != nil {
		return err
	}
	a := &sayso.Ask{ID: "one", To: []string{"ann"}, AskedAt: time.Unix(1763341200, 0).UTC(), Origin: sayso.Origin{Conversation: "talk", Host: "some-agent"}, Questions: []sayso.Question{{
		Text: "Which database?", Options: []sayso.Option{{Label: "PostgreSQL"}, {Label: "SQLite"}},
	}}}
	a.Normalize()
	t, err := h.Submit(ctx, "home", a) // the same again is the same ask
	if err != nil {
		return err
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		now, err := h.Get(ctx, t.Address)
		if err != nil {
			return err
		}
		s := state{Open: now.Open(), Steps: int(count.n.Load())}
		for _, e := range now.History {
			s.Story = append(s.Story, fmt.Sprint(e.Why, " ", given(e.Outcome)))
		}
		if now.Outcome != nil {
			s.Story = append(s.Story, "now "+given(now.Outcome))
		}
		log, err := n.Log(ctx, "home", "ann", 10)
		if err != nil {
			return err
		}
		for _, told := range log {
			if s.Where == "" {
				s.Where = told.Where
			}
		}
		line, err := json.Marshal(s)
		if err != nil {
			return err
		}
		fmt.Println(string(line))
	}
	return nil
}

// given is an answer in one word.
func given(o *sayso.Outcome) string {
	if o == nil {
		return "nothing"
	}
	a, _ := o.Answer("q1")
	return fmt.Sprint(o.Status, " ", a.Selected, " ", strconv.Quote(a.Other))
}
