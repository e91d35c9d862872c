package localhub

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/client"
)

// TestMain is also the hub that the tests start, and a stranger who tries to use
// it.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 {
		switch os.Args[1] {
		case "hub":
			os.Exit(runHub(os.Args[2]))
		case "stranger":
			os.Exit(runStranger(os.Args[2]))
		}
	}
	os.Exit(m.Run())
}

// settings of a hub that is started in the background by a test.
type settings struct {
	Places Places
	Idle   time.Duration
	Listen string // for a stranger: the URL
}

func runHub(arg string) int {
	var s settings
	if err := json.Unmarshal([]byte(arg), &s); err != nil {
		panic(err)
	}
	ready := os.NewFile(3, "ready")
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	err := Serve(context.Background(), &ServeOptions{
		Places: s.Places, Idle: s.Idle, Listen: s.Listen, Log: log,
		Ready: func(at *Serving) {
			os.WriteFile(filepath.Join(s.Places.State, fmt.Sprintf("started-%d", os.Getpid())), []byte(at.URL), 0o600)
			ready.WriteString("\n")
			ready.Close()
		},
	})
	if err != nil {
		fmt.Fprintln(ready, err)
		return 1
	}
	return 0
}

// place is one person's sayso in a test.
type place struct {
	*Starter
	t *testing.T
}

func newPlace(t *testing.T, s settings) *place {
	t.Helper()
	dir, err := os.MkdirTemp("", "hub") // a socket needs a short path
	if err != nil {
		t.Fatal(err)
	}
	s.Places = Places{State: filepath.Join(dir, "state"), Runtime: filepath.Join(dir, "run")}
	arg, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	p := &place{&Starter{Places: s.Places, Command: []string{os.Args[0], "hub", string(arg)}}, t}
	t.Cleanup(func() {
		p.kill()
		os.RemoveAll(dir)
	})
	return p
}

// client returns a client that starts the hub where there is none.
func (p *place) client() *client.Client {
	p.t.Helper()
	opts := &client.Options{Dial: p.Dial}
	opts.Pause.Max = 100 * time.Millisecond
	c, err := client.New(p.Places.Socket(), opts)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(c.Close)
	return c
}

// pids returns the hubs that have ever listened.
func (p *place) pids() []int {
	names, err := filepath.Glob(filepath.Join(p.Places.State, "started-*"))
	if err != nil {
		p.t.Fatal(err)
	}
	var pids []int
	for _, n := range names {
		pid, err := strconv.Atoi(filepath.Base(n)[len("started-"):])
		if err != nil {
			p.t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// url returns the TCP address of the hub that was started.
func (p *place) url() string {
	p.t.Helper()
	pids := p.pids()
	if len(pids) != 1 {
		p.t.Fatalf("%d hubs were started", len(pids))
	}
	b, err := os.ReadFile(filepath.Join(p.Places.State, fmt.Sprintf("started-%d", pids[0])))
	if err != nil || len(b) == 0 {
		p.t.Fatalf("the hub listens at %q, %v", b, err)
	}
	return string(b)
}

// lives reports whether a hub, which is a child of this process, has not ended.
func lives(pid int) bool {
	var status syscall.WaitStatus
	got, err := syscall.Wait4(pid, &status, syscall.WNOHANG, nil)
	return err == nil && got == 0
}

// theOne returns the hub that serves. Others may have ended before anybody asked them
// something, or be about to end.
func (p *place) theOne() int {
	p.t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; <-time.After(10 * time.Millisecond) {
		pids := slices.DeleteFunc(p.pids(), func(pid int) bool { return !lives(pid) })
		if len(pids) == 1 {
			return pids[0]
		}
		if time.Now().After(end) {
			p.t.Fatalf("%d hubs live", len(pids))
		}
	}
}

// awaitEnd waits until a hub has ended by itself.
func (p *place) awaitEnd(pid int) {
	p.t.Helper()
	for end := time.Now().Add(2 * time.Minute); lives(pid); <-time.After(10 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatal("the hub did not end")
		}
	}
}

// kill ends every hub of this place as a power cut would.
func (p *place) kill() {
	for _, pid := range p.pids() {
		syscall.Kill(pid, syscall.SIGKILL)
		var status syscall.WaitStatus
		syscall.Wait4(pid, &status, 0, nil) // it is a child of this process, or gone
		os.Remove(filepath.Join(p.Places.State, fmt.Sprintf("started-%d", pid)))
	}
}

func ask(id, text string) *sayso.Ask {
	a := &sayso.Ask{ID: id, Questions: []sayso.Question{{Text: text}}}
	a.Normalize()
	return a
}

func answer(words string) *sayso.Outcome {
	return &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Other: words}}}
}

// runStranger tries everything that another user could, and says what worked.
func runStranger(arg string) int {
	var s settings
	if err := json.Unmarshal([]byte(arg), &s); err != nil {
		panic(err)
	}
	worked := []string{}
	for _, name := range []string{s.Places.Log(), s.Places.Keys(), s.Places.handleKey(), s.Places.engine(), s.Places.State, s.Places.Runtime} {
		if f, err := os.Open(name); err == nil {
			f.Close()
			worked = append(worked, "open "+filepath.Base(name))
		}
	}
	try := func(how, address string) {
		c, err := client.New(address, &client.Options{Patience: -1})
		if err != nil {
			panic(err)
		}
		ctx := context.Background()
		if _, err := c.List(ctx, nil); err == nil {
			worked = append(worked, "list by "+how)
		}
		if _, err := c.Submit(ctx, ask("forged", "?")); err == nil {
			worked = append(worked, "ask by "+how)
		}
	}
	try("socket", s.Places.Socket())
	if s.Listen != "" {
		try("port", s.Listen)
	}
	starter := &Starter{Places: s.Places}
	if _, err := starter.Info(context.Background()); err == nil {
		worked = append(worked, "ask what the hub does")
	}
	if _, err := starter.Stop(context.Background()); err == nil {
		worked = append(worked, "stop the hub")
	}
	json.NewEncoder(os.Stdout).Encode(worked)
	return 0
}
