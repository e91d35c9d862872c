package telegram_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/saysohq/sayso/app/surface/notify/telegramtest"
)

// scene is a person and a hub that is killed once, at some step.
type scene struct {
	*testing.T
	s       *telegramtest.Server
	u       *telegramtest.User
	order   order
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	errs    said
	restart int
}

// TestKill kills the hub with kill -9 at every step: before and after every write to
// its store and every call of the Bot API. A person answers, takes it back, and answers
// in own words meanwhile, each once. Nothing of that is lost, and nothing is applied
// twice. The long form does it five times, as steps do not always come in one order.
func TestKill(t *testing.T) {
	rounds := 1
	if os.Getenv("SAYSO_LONG") != "" {
		rounds = 5
	}
	for range rounds {
		killEverywhere(t)
	}
}

func killEverywhere(t *testing.T) {
	points := map[string]int{}
	total := 0
	for at := 1; ; at++ {
		var steps int
		var where string
		ok := t.Run(fmt.Sprint("step ", at), func(t *testing.T) { steps, where = play(t, at) })
		if !ok {
			return
		}
		if where == "" {
			t.Logf("killed at each of %d steps (a whole play had %d): %v", total, steps, points)
			break
		}
		total++
		points[where]++
	}
	if total < 30 {
		t.Errorf("the hub was killed at %d steps only", total)
	}
}

// play plays the whole story with one kill. It returns how many steps the last hub took,
// and where the first was killed.
func play(t *testing.T, at int) (steps int, where string) {
	c := &scene{T: t, s: telegramtest.New(t)}
	c.s.Relax()
	c.u = c.s.User(42, "ann")
	c.u.Start("") // opens the chat
	c.order = order{Dir: t.TempDir(), API: c.s.URL(), KillAt: at}
	c.start()
	t.Cleanup(c.stop)

	first := c.until("the question is there", func(s *state) bool { return c.has(s, "2. SQLite") })
	presses := []string{c.u.Press(c.message(first).ID, "2. SQLite")}
	done := c.until("the answer is stored and can be taken back", func(s *state) bool { return !s.Open && c.has(s, "Undo") })
	presses = append(presses, c.u.Press(c.message(done).ID, "Undo"))
	again := c.until("it is open again", func(s *state) bool { return s.Open && c.has(s, "Own words…") })
	presses = append(presses, c.u.Press(c.message(again).ID, "Own words…"))
	c.until("own words are asked for", func(*state) bool { return c.u.Last().ForceReply })
	c.u.Reply(c.u.Last().ID, "DuckDB")
	last := c.until("own words are stored", func(s *state) bool { return !s.Open && c.has(s, "Undo") })

	if want := []string{`undone answered [o2] ""`, `now answered [] "DuckDB"`}; !slices.Equal(last.Story, want) {
		t.Errorf("stored %q, want %q", last.Story, want)
	}
	for i, p := range presses {
		if !c.s.Answered(p) {
			t.Errorf("the app was never told what became of press %d", i+1)
		}
	}
	if r := slices.DeleteFunc(c.s.Refusals(), func(r string) bool {
		return strings.Contains(r, "message is not modified") || strings.Contains(r, "terminated by other getUpdates")
	}); len(r) > 0 {
		t.Errorf("Telegram refused %q", r)
	}
	if c.restart > 1 {
		t.Errorf("the hub ended %d times: %s", c.restart, c.errs.String())
	}
	if m := regexp.MustCompile(`kill -9 at step \d+: (.*)`).FindStringSubmatch(c.errs.String()); m != nil {
		return last.Steps, m[1]
	}
	return last.Steps, ""
}

// said is what hubs say, one after the other, while somebody reads it.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func (c *scene) start() {
	c.Helper()
	text, err := json.Marshal(c.order)
	must(c, err)
	c.cmd = exec.Command(os.Args[0])
	c.cmd.Env = append(os.Environ(), asChild+"="+string(text))
	c.cmd.Stderr = &c.errs
	c.in, err = c.cmd.StdinPipe()
	must(c, err)
	out, err := c.cmd.StdoutPipe()
	must(c, err)
	c.out = bufio.NewReader(out)
	must(c, c.cmd.Start())
}

func (c *scene) stop() {
	c.in.Close()
	c.cmd.Process.Kill()
	c.cmd.Wait()
}

// ask asks the hub how things are. If it is dead, another one is started, two minutes
// later by its clock.
func (c *scene) ask() *state {
	c.Helper()
	fmt.Fprintln(c.in)
	if line, err := c.out.ReadBytes('\n'); err == nil {
		s := &state{}
		must(c, json.Unmarshal(line, s))
		return s
	}
	c.stop()
	if c.restart++; c.restart > 3 {
		c.Fatalf("the hub does not stay: %s", c.errs.String())
	}
	c.order.KillAt, c.order.Ahead = 0, c.order.Ahead+2*time.Minute
	c.start()
	return nil
}

// until waits for a condition, with nothing that Telegram still holds for the hub.
func (c *scene) until(what string, is func(*state) bool) *state {
	c.Helper()
	patience, err := time.ParseDuration(os.Getenv("SAYSO_PATIENCE")) // mutants wait in vain
	if err != nil {
		patience = time.Minute
	}
	for end := time.Now().Add(patience); ; <-time.After(10 * time.Millisecond) {
		s := c.ask()
		if s != nil && is(s) && c.s.Pending() == 0 {
			return s
		}
		if time.Now().After(end) {
			c.Fatalf("never: %s: %+v, %d pending\n%s\n%+v", what, s, c.s.Pending(), c.errs.String(), c.u.Messages())
		}
	}
}

// message is the one that the hub knows of.
func (c *scene) message(s *state) telegramtest.Message {
	for _, m := range c.u.FromBot() {
		if s.Where == fmt.Sprintf("42.%d", m.ID) {
			return m
		}
	}
	return telegramtest.Message{}
}

// has reports whether that message has the button.
func (c *scene) has(s *state, label string) bool {
	m := c.message(s)
	return slices.Contains(m.Labels(), label)
}
