// Command demo serves the web inbox over a hub in memory with a few questions in
// it, for the browser tests and for pictures. It prints its address, and then one
// line for each line it reads:
//
//	login ann       prints a sign-in address
//	ask TEXT        adds a question
//	asks N          adds N questions
//	put ASK         adds an ask, in JSON, and prints the path of its page
//	approve NAME    adds something that an agent wants to do, and prints the path of its page
//	block TEXT      adds a question that holds two tools up
//	hostile [TEXT…] adds one with the texts, a JSON list, in every field
//	answer TEXT     answers the oldest open question on another surface
//	close PATH TEXT answers the ask of this page there
//	consume PATH    has the agent receive the answer
//	state PATH ann  prints the ask and ann's draft in JSON
//	streams         prints how many connections for changes are open
//	history         adds answered questions of the last weeks
//	devices ann     gives ann devices, with SAYSO_DEMO_NOTIFY=1
//	halt            has the hub's store fail from now on; people stay signed in
//	sleep           has the connections that are in use die, and neither end knows
//	kill            ends the hub and every connection; what it stored stays
//	revive          starts it again
//	restart         does both
//
// SAYSO_DEMO_EMPTY=1 leaves the questions out, SAYSO_DEMO_GRACE=5 holds answers for so
// many seconds.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/auth"
	"github.com/saysohq/sayso/app/surface/notify"
	"github.com/saysohq/sayso/app/surface/web"
	"github.com/saysohq/sayso/hub"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// demo is a hub that can be killed, and what outlives it.
type demo struct {
	store *hub.Memory
	gate  *gate
	base  string
	clock atomic.Int64 // how far the hub's clock is from ours

	faulty  *faulty      // what the hub has of the store
	streams atomic.Int64 // how many connections for changes are open

	hub      *hub.Hub
	sessions *auth.Sessions
	notifier *notify.Notifier // nil: there is none
	site     *web.Site
	srv      *http.Server
}

func run(ctx context.Context) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	d := &demo{store: hub.NewMemory(nil), gate: newGate(l), base: "http://" + l.Addr().String()}
	if err := d.revive(ctx); err != nil {
		return err
	}
	defer d.kill()
	for _, a := range samples(time.Now()) {
		if os.Getenv("SAYSO_DEMO_EMPTY") != "" {
			break
		}
		if _, err := d.submit(ctx, a); err != nil {
			return err
		}
	}
	fmt.Println(d.base)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		verb, rest, _ := strings.Cut(in.Text(), " ")
		reply, err := d.do(ctx, verb, rest)
		if err != nil {
			return fmt.Errorf("%s: %w", verb, err)
		}
		fmt.Println(reply)
	}
	return in.Err()
}

// revive opens the hub and serves it, with the same keys each time.
func (d *demo) revive(ctx context.Context) (err error) {
	d.faulty = &faulty{Memory: d.store}
	d.hub, err = hub.Open(ctx, d.faulty, &hub.Options{
		Key: []byte("the demo's key is no secret"),
		Now: func() time.Time { return time.Now().Add(time.Duration(d.clock.Load())) },
	})
	if err != nil {
		return err
	}
	d.sessions = auth.NewSessions(d.store, nil)
	d.site = web.New(d.hub, d.sessions, d.notified())
	d.srv = &http.Server{
		Handler: http.HandlerFunc(d.serve), ReadHeaderTimeout: 5 * time.Second,
		ConnState: func(c net.Conn, s http.ConnState) { c.(*wire).active.Store(s == http.StateActive) },
	}
	go d.srv.Serve(d.gate.open())
	return nil
}

// faulty is a store that can fail.
type faulty struct {
	*hub.Memory
	broken atomic.Bool
}

var errBroken = errors.New("the demo's store is told to fail")

func (f *faulty) Get(ctx context.Context, kind hub.Kind, addr hub.Address) (hub.Record, error) {
	if f.broken.Load() {
		return hub.Record{}, errBroken
	}
	return f.Memory.Get(ctx, kind, addr)
}

func (f *faulty) List(ctx context.Context, q hub.Query) (hub.Page, error) {
	if f.broken.Load() {
		return hub.Page{}, errBroken
	}
	return f.Memory.List(ctx, q)
}

func (d *demo) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/events" {
		d.streams.Add(1)
		defer d.streams.Add(-1)
	}
	d.site.ServeHTTP(w, r)
}

func (d *demo) kill() {
	d.srv.Close()
	d.sessions.Close()
	if d.notifier != nil {
		d.notifier.Close()
	}
	d.hub.Stop()
}

// do does what a line says.
func (d *demo) do(ctx context.Context, verb, rest string) (string, error) {
	var err error
	switch verb {
	case "login":
		return d.site.LoginLink(ctx, d.base, &auth.Principal{Tenant: "local", ID: rest, Role: auth.Answerer})
	case "ask":
		_, err = d.submit(ctx, &sayso.Ask{Questions: []sayso.Question{{Text: rest}}, Origin: sayso.Origin{Host: "codex"}})
	case "asks":
		n, _ := strconv.Atoi(rest)
		for i := range n {
			_, err = d.submit(ctx, &sayso.Ask{Questions: []sayso.Question{{Text: fmt.Sprintf("Question number %d?", i+1)}}, Origin: sayso.Origin{Host: "codex"}})
		}
	case "put":
		a := &sayso.Ask{}
		if err := json.Unmarshal([]byte(rest), a); err != nil {
			return "", err
		}
		t, err := d.submit(ctx, a)
		if err != nil {
			return "", err
		}
		return "/ask/" + d.hub.Handle(t.Address), nil
	case "approve":
		return d.approve(ctx, rest)
	case "block":
		_, err = d.submit(ctx, &sayso.Ask{Questions: []sayso.Question{{Text: rest}}, Metadata: map[string]any{"blocked": map[string]any{"tools": []any{"write", "deploy"}}}})
	case "hostile":
		err = d.hostile(ctx, rest)
	case "answer":
		var list *hub.Tickets
		if list, err = d.hub.List(ctx, "local", nil); err == nil && len(list.Tickets) > 0 {
			err = d.answer(ctx, list.Tickets[0], rest)
		}
	case "close":
		path, text, _ := strings.Cut(rest, " ")
		var t *hub.Ticket
		if t, err = d.ticket(ctx, path); err == nil {
			err = d.answer(ctx, t, text)
		}
	case "consume":
		var t *hub.Ticket
		if t, err = d.ticket(ctx, rest); err == nil {
			_, err = d.hub.Consume(ctx, t)
		}
	case "state":
		return d.state(ctx, rest)
	case "streams":
		return fmt.Sprint(d.streams.Load()), nil
	case "history":
		err = history(ctx, d.hub, &d.clock)
	case "devices":
		err = d.devices(ctx, rest)
	case "halt":
		d.faulty.broken.Store(true)
	case "sleep":
		d.gate.now.sleep()
	case "kill":
		d.kill()
	case "revive":
		err = d.revive(ctx)
	case "restart":
		d.kill()
		err = d.revive(ctx)
	}
	return "ok", err
}

func (d *demo) submit(ctx context.Context, a *sayso.Ask) (*hub.Ticket, error) {
	a.Normalize()
	return d.hub.Submit(ctx, "local", a)
}

// ticket returns the ask of a page.
func (d *demo) ticket(ctx context.Context, path string) (*hub.Ticket, error) {
	addr, err := d.hub.Address(strings.TrimPrefix(path, "/ask/"))
	if err != nil {
		return nil, err
	}
	return d.hub.Get(ctx, addr)
}

// answer answers the first question of an ask as somebody else.
func (d *demo) answer(ctx context.Context, t *hub.Ticket, words string) error {
	_, err := d.hub.Close(ctx, t, &sayso.Outcome{
		Status:  sayso.StatusAnswered,
		Answers: []sayso.Answer{{QuestionID: t.Ask.Questions[0].ID, Other: words}},
		By:      sayso.Responder{Kind: sayso.ByPerson, ID: "bob", Surface: "terminal"},
	}, nil)
	return err
}

func (d *demo) state(ctx context.Context, rest string) (string, error) {
	path, person, _ := strings.Cut(rest, " ")
	t, err := d.ticket(ctx, path)
	if err != nil {
		return "", err
	}
	draft, _ := d.hub.Draft(ctx, t.Address, person) // there may be none
	data, err := json.Marshal(map[string]any{"open": t.Open(), "outcome": t.Outcome, "history": t.History, "draft": draft})
	return string(data), err
}
