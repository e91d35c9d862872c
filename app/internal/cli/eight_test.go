package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/internal/cli/localhub"
	"github.com/saysohq/sayso/client"
	"github.com/saysohq/sayso/hub"
)

// machine is a person's machine: a home, and processes that run as sayso.
type machine struct {
	t       *testing.T
	dir     string
	env     []string
	starter *localhub.Starter
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	dir, err := os.MkdirTemp("", "sayso") // a socket needs a short path
	if err != nil {
		t.Fatal(err)
	}
	vars := map[string]string{
		"HOME": dir, "XDG_RUNTIME_DIR": filepath.Join(dir, "run"), "PATH": os.Getenv("PATH"), "TERM": "xterm-256color", "LANG": "C",
		"SAYSO_MUTANT": os.Getenv("SAYSO_MUTANT"), // of app/mutanttest
	}
	m := &machine{t: t, dir: dir}
	for k, v := range vars {
		m.env = append(m.env, k+"="+v)
	}
	places, err := localhub.PlacesOf(func(k string) string { return vars[k] })
	if err != nil {
		t.Fatal(err)
	}
	m.starter = &localhub.Starter{Places: places}
	t.Cleanup(func() {
		killHub(places.Socket())
		os.RemoveAll(dir)
	})
	return m
}

// command is sayso, to be run on the machine.
func (m *machine) command(args ...string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		m.t.Fatal(err)
	}
	cmd := exec.CommandContext(m.t.Context(), exe, args...)
	cmd.Args[0] = "sayso"
	cmd.Env, cmd.Dir = m.env, m.dir
	return cmd
}

// run runs sayso to its end and returns standard output.
func (m *machine) run(args ...string) string {
	m.t.Helper()
	var stderr bytes.Buffer
	cmd := m.command(args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		m.t.Fatalf("sayso %s: %v\n%s%s", strings.Join(args, " "), err, out, &stderr)
	}
	return string(out)
}

// client returns a client of the hub, which it does not start.
func (m *machine) client() *client.Client {
	m.t.Helper()
	opts := &client.Options{Dial: func(ctx context.Context) (net.Conn, error) { return m.starter.Attach(ctx) }}
	opts.Pause.Max = 50 * time.Millisecond
	c, err := client.New(m.starter.Places.Socket(), opts)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(c.Close)
	return c
}

// tickets waits until there are so many asks.
func (m *machine) tickets(c *client.Client, n int) map[string]*hub.Ticket {
	m.t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; {
		all := map[string]*hub.Ticket{}
		page, err := c.List(m.t.Context(), &hub.Filter{Status: hub.AnyStatus})
		if err == nil {
			for _, t := range page.Tickets {
				all[t.Ask.Questions[0].Text] = t
			}
			if len(page.Tickets) == n && len(all) == n {
				return all
			}
		}
		if time.Now().After(end) {
			m.t.Fatalf("there are %d asks, want %d; %v", len(all), n, err)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// running is an asking process.
type running struct {
	*exec.Cmd
	out, err bytes.Buffer
	once     sync.Once
	waits    chan struct{} // closed when the hub has its ask
}

func (m *machine) ask(i int) *running {
	args := []string{"ask", fmt.Sprintf("Question %d?", i)}
	if i%2 == 0 { // the others are known by what they ask
		args = append(args, "--id", fmt.Sprintf("id-%d", i))
	}
	r := &running{Cmd: m.command(args...), waits: make(chan struct{})}
	r.Stdout, r.Stderr = &r.out, r
	if err := r.Start(); err != nil {
		m.t.Fatal(err)
	}
	return r
}

// Write takes what the process writes to standard error.
func (r *running) Write(p []byte) (int, error) {
	r.err.Write(p)
	if strings.Contains(r.err.String(), "waiting for an answer") {
		r.once.Do(func() { close(r.waits) })
	}
	return len(p), nil
}

// TestEightAsks has eight processes ask while the hub is killed ten times. Three
// of them are killed as well and started again. Each gets its own answer, nothing
// is asked or answered twice.
func TestEightAsks(t *testing.T) {
	m := newMachine(t)
	asks := make([]*running, 8)
	for i := range asks {
		asks[i] = m.ask(i)
	}
	person := m.client()
	all := m.tickets(person, 8)
	for kill := range 10 {
		// What waits starts the hub again; nobody else does.
		for end := time.Now().Add(2 * time.Minute); !killHub(m.starter.Places.Socket()); {
			if time.Now().After(end) {
				t.Fatalf("the hub did not come back after kill %d", kill)
			}
		}
		if kill < 3 {
			asks[kill].Process.Kill()
			asks[kill].Wait()
			asks[kill] = m.ask(kill)
			// It gives up on a hub that it cannot reach to begin with.
			select {
			case <-asks[kill].waits:
			case <-time.After(2 * time.Minute):
				asks[kill].Process.Kill()
				asks[kill].Wait()
				t.Fatalf("ask %d does not reach the hub: %q", kill, &asks[kill].err)
			}
		}
		if i := kill - 2; i >= 0 {
			text := fmt.Sprintf("Question %d?", i)
			o := &sayso.Outcome{Status: sayso.StatusAnswered, Answers: []sayso.Answer{{QuestionID: "q1", Other: fmt.Sprintf("answer %d", i)}}}
			if _, err := person.Answer(t.Context(), all[text], o); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, r := range asks {
		if err := r.Wait(); err != nil || r.out.String() != fmt.Sprintf("answer %d\n", i) {
			t.Errorf("ask %d: %v, %q, %s", i, err, &r.out, &r.err)
		}
	}
	m.run("list") // starts the hub, if nobody else needed it any more
	for text, ticket := range m.tickets(person, 8) {
		if ticket.Status() != sayso.StatusAnswered || len(ticket.History) > 0 || ticket.Consumed.IsZero() {
			t.Errorf("%s: %+v", text, ticket)
		}
	}
}
