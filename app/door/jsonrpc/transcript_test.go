package jsonrpc_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/app/door/hubfake"
	"github.com/saysohq/sayso/app/door/jsonrpc"
	"github.com/saysohq/sayso/hub"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestTranscripts plays every script of testdata/transcript and compares what went
// over the wire, in both directions. A line of a script is
//
//	> MESSAGE           what the program at the other end sends
//	answer WORDS | Q    a person answers the question on the web: an option's label,
//	                    own words, declined or cancelled
//	sleep TIME          time passes
//	hub stop, start     the hub goes away, cutting every connection, and comes back
//	hang up, connect    the other end goes away; a new one comes, with a new process
//
// {id Q} is the API's name of the ask that begins with question Q. Messages that
// come at the same time are sorted.
func TestTranscripts(t *testing.T) {
	hubfake.Transcripts(t, *update, play)
}

// player plays a script.
type player struct {
	*hubfake.World
	wire strings.Builder
	opts jsonrpc.Options
	end  *otherEnd
	ids  map[string]string // of the asks that were seen, by question
}

func play(t *testing.T, script string) string {
	p := &player{World: hubfake.New(t), ids: map[string]string{}}
	p.opts.Origin = sayso.Origin{Conversation: "folder", Host: "test"}
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if strings.HasPrefix(line, "attach ") {
			p.opts.Attach = jsonrpc.Method(line[len("attach "):])
			continue
		}
		if p.end == nil {
			p.end = p.connect()
			p.hear()
		}
		p.step(line)
		synctest.Wait()
		p.hear()
	}
	return p.wire.String()
}

func (p *player) step(line string) {
	if !strings.HasPrefix(line, "> ") {
		fmt.Fprintf(&p.wire, "# %s\n", line)
	}
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case ">":
		fmt.Fprintln(&p.wire, line)
		p.end.send(p.T, p.expand(rest))
	case "answer":
		words, question, _ := strings.Cut(rest, " | ")
		p.Say(question, words)
	case "sleep":
		d, err := time.ParseDuration(rest)
		if err != nil {
			p.T.Fatal(err)
		}
		time.Sleep(d)
	case "hub":
		if rest == "stop" {
			p.Stop()
		} else {
			p.Start()
		}
	case "hang":
		p.end.hangUp(p.T)
	case "connect":
		p.end = p.connect()
	default:
		p.T.Fatalf("a script does not know %q", line)
	}
}

// hear notes what the other end has received.
func (p *player) hear() {
	synctest.Wait()
	lines := p.end.received()
	if p.On() {
		for _, t := range p.All() {
			p.ids[t.Ask.Questions[0].Text] = t.Handle
		}
	}
	for i := range lines {
		for question, id := range p.ids {
			lines[i] = strings.ReplaceAll(lines[i], id, "{id "+question+"}")
		}
	}
	slices.Sort(lines)
	for _, l := range lines {
		fmt.Fprintln(&p.wire, "<", l)
	}
}

func (p *player) expand(line string) string {
	for {
		before, rest, ok := strings.Cut(line, "{id ")
		if !ok {
			return line
		}
		question, after, _ := strings.Cut(rest, "}")
		line = before + p.ids[question] + after
	}
}

// connect starts a door.
func (p *player) connect() *otherEnd {
	c := p.Client("rpc")
	return dialDoor(p.T, c, &p.opts)
}

// otherEnd is the program at the other end of a door.
type otherEnd struct {
	in   *io.PipeWriter
	done chan error // of Serve

	mu    sync.Mutex
	lines []string
	work  sync.WaitGroup
	over  bool
}

func dialDoor(t *testing.T, h hub.Asker, opts *jsonrpc.Options) *otherEnd {
	fromUs, toDoor := io.Pipe()
	fromDoor, toUs := io.Pipe()
	e := &otherEnd{in: toDoor, done: make(chan error, 1)}
	e.work.Go(func() {
		e.done <- jsonrpc.Serve(context.WithoutCancel(t.Context()), h, fromUs, toUs, opts)
		toUs.Close()
	})
	e.work.Go(func() {
		scan := bufio.NewScanner(fromDoor)
		scan.Buffer(nil, 4<<20)
		for scan.Scan() {
			e.mu.Lock()
			e.lines = append(e.lines, scan.Text())
			e.mu.Unlock()
		}
	})
	t.Cleanup(func() { e.hangUp(t) })
	return e
}

func (e *otherEnd) send(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(e.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

func (e *otherEnd) received() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	lines := e.lines
	e.lines = nil
	return lines
}

// hangUp closes the connection; the door must end by itself.
func (e *otherEnd) hangUp(t *testing.T) {
	t.Helper()
	if e.over {
		return
	}
	e.over = true
	e.in.Close()
	e.work.Wait()
	if err := <-e.done; err != nil {
		t.Error(err)
	}
}
