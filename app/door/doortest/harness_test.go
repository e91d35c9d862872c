package doortest

import (
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/saysohq/sayso/client"
)

// TestBox holds the box to its word: no way out, nothing of the machine's
// environment, and processes of its own.
func TestBox(t *testing.T) {
	Sayso(t)
	if conn, err := net.DialTimeout("udp", "192.0.2.1:53", time.Second); err == nil {
		conn.Close()
		t.Error("there is a route out of the box")
	}
	if os.Getppid() != 1 {
		t.Errorf("a child of process %d, not of the first of the box", os.Getppid())
	}
	w := New(t)
	got := strings.Fields(w.Run(w.Env(), "/usr/bin/env").Out())
	if len(got) != 4 {
		t.Errorf("the environment is %q", got)
	}
}

// TestHarness asks without any agent, so that a fault of the harness is not
// taken for one of a program: the hub is killed in between.
func TestHarness(t *testing.T) {
	t.Parallel()
	w := New(t)
	p := w.Start(w.Env(), w.Sayso, "ask", "Which database?", "-o", "PostgreSQL", "-o", "SQLite")
	asked := w.Asked()
	w.KillHub()
	w.Answer(asked, "SQLite")
	if code := p.Wait(); code != 0 || p.Out() != "SQLite\n" {
		t.Errorf("ended with %d and %q", code, p.Out())
	}
	if o := w.Closed(asked); o.By.Surface != "test" {
		t.Errorf("answered by %+v", o.By)
	}
}

// TestTerminal types into a shell in a terminal.
func TestTerminal(t *testing.T) {
	t.Parallel()
	w := New(t)
	tm := w.Terminal(w.Env("PS1=ready$ "), "/bin/sh")
	tm.Await("ready$")
	tm.Prompt(`echo "a 'quoted'" word`)
	tm.Await("a 'quoted' word")
	tm.Keys("x", "C-u")
	tm.Prompt("echo again")
	tm.Await("\nagain")
}

// TestServe reaches the hub's port with the token, before and after a kill.
func TestServe(t *testing.T) {
	t.Parallel()
	w := New(t)
	s := w.Serve()
	before := s.URL
	s.Kill()
	s.Start()
	if s.URL != before {
		t.Errorf("serves on %s, then on %s", before, s.URL)
	}
	c, err := client.New(s.URL, &client.Options{Key: s.Token})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.List(t.Context(), nil); err != nil {
		t.Error(err)
	}
}
