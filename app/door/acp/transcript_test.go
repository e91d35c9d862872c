package acp_test

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
	"github.com/saysohq/sayso/app/door/acp"
	"github.com/saysohq/sayso/app/door/hubfake"
	"github.com/saysohq/sayso/hub"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestTranscripts plays every script of testdata/transcript and compares what the
// editor and the agent were told. A line of a script is
//
//	editor> MESSAGE, agent> MESSAGE    what they send
//	answer WORDS | Q                   a person answers the question on the web: an
//	                                   option's label, own words, declined or cancelled
//	hub Q                              notes what the hub has about the question
//	sleep TIME                         time passes
//	hub stop, start                    the hub goes away, cutting every connection, and
//	                                   comes back
//	agent dies, editor leaves, connect one goes away; both come anew, with a new proxy
//	no editor                          the editor is left out
func TestTranscripts(t *testing.T) {
	hubfake.Transcripts(t, *update, play)
}

// player plays a script.
type player struct {
	*hubfake.World
	wire          strings.Builder
	opts          acp.Options
	editor, agent *program
	done          chan error
}

func play(t *testing.T, script string) string {
	p := &player{World: hubfake.New(t)}
	p.opts.Origin = sayso.Origin{Conversation: "folder", Host: "test"}
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line == "no editor" {
			p.opts.NoEditor = true
			continue
		}
		if p.editor == nil {
			p.connect()
		}
		p.step(line)
		synctest.Wait()
		p.hear()
	}
	return p.wire.String()
}

func (p *player) step(line string) {
	fmt.Fprintln(&p.wire, line)
	verb, rest, _ := strings.Cut(line, " ")
	switch {
	case verb == "editor>":
		p.editor.send(p.T, rest)
	case verb == "agent>":
		p.agent.send(p.T, rest)
	case verb == "answer":
		words, question, _ := strings.Cut(rest, " | ")
		p.Say(question, words)
	case verb == "sleep":
		d, err := time.ParseDuration(rest)
		if err != nil {
			p.T.Fatal(err)
		}
		time.Sleep(d)
	case line == "hub stop":
		p.Stop()
	case line == "hub start":
		p.Start()
	case verb == "hub":
		p.show(p.Find(rest))
	case line == "agent dies":
		p.agent.out.Close()
		if err := <-p.done; err != nil {
			p.T.Error(err)
		}
		p.done <- nil
	case line == "editor leaves":
		p.editor.out.Close()
	case line == "connect":
		p.connect()
	default:
		p.T.Fatalf("a script does not know %q", line)
	}
}

// show notes what the hub has.
func (p *player) show(t *hub.Ticket) {
	fmt.Fprintf(&p.wire, "  from %s, session %s, call %s\n", t.Ask.Origin.Host, t.Ask.Origin.Conversation, t.Ask.Origin.ToolCall)
	fmt.Fprintln(&p.wire, "  "+strings.ReplaceAll(strings.TrimSpace(sayso.RenderCall(t.Ask)), "\n", "\n  "))
	if t.Open() {
		if t.Ask.Approval != nil {
			p.showApproval(t.Ask.Approval)
		}
		fmt.Fprintln(&p.wire, "  open")
		return
	}
	for _, e := range t.History {
		fmt.Fprintf(&p.wire, "  %s: %s\n", e.Why, strings.TrimSpace(sayso.RenderResult(t.Ask, e.Outcome)))
	}
	fmt.Fprintf(&p.wire, "  %s by %s on %q, consumed %t\n", t.Status(), t.Outcome.By.Kind, t.Outcome.By.Surface, !t.Consumed.IsZero())
	fmt.Fprintln(&p.wire, "  "+strings.ReplaceAll(strings.TrimSpace(sayso.RenderResult(t.Ask, t.Outcome)), "\n", "\n  "))
}

// showApproval notes what would run, as the surfaces get it.
func (p *player) showApproval(a *sayso.Approval) {
	fmt.Fprintf(&p.wire, "  %s with %s in %q, mode %q, reason %q, missing %q\n", a.Kind, a.Tool, a.Cwd, a.Mode, a.Reason, a.Missing)
	for i := range a.Shown {
		fmt.Fprintf(&p.wire, "    %s %s: %q\n", a.Shown[i].Format, a.Shown[i].Name, a.Shown[i].Text)
	}
	for _, f := range a.Files {
		fmt.Fprintf(&p.wire, "    %s %s\n", f.Op, f.Path)
	}
}

// hear notes what the programs have received.
func (p *player) hear() {
	for _, l := range p.editor.received() {
		fmt.Fprintln(&p.wire, "editor<", l)
	}
	for _, l := range p.agent.received() {
		fmt.Fprintln(&p.wire, "agent<", l)
	}
}

func (p *player) connect() {
	p.editor, p.agent, p.done = between(p.T, p.Client("editor"), &p.opts)
}

// program is an editor or an agent.
type program struct {
	out *io.PipeWriter // what it says

	mu     sync.Mutex
	lines  []string
	onLine func(string) // takes a line instead
}

// between puts a proxy between an editor and an agent, which end with the test.
func between(t *testing.T, h hub.Asker, opts *acp.Options) (editor, agent *program, done chan error) {
	var work sync.WaitGroup
	newProgram := func() (*program, acp.Stream) {
		in, out := io.Pipe()
		from, to := io.Pipe()
		p := &program{out: out}
		work.Go(func() {
			scan := bufio.NewScanner(from)
			scan.Buffer(nil, 4<<20)
			for scan.Scan() {
				p.mu.Lock()
				take := p.onLine
				if take == nil {
					p.lines = append(p.lines, scan.Text())
				}
				p.mu.Unlock()
				if take != nil {
					take(scan.Text())
				}
			}
		})
		return p, acp.Stream{In: in, Out: to}
	}
	editor, e := newProgram()
	agent, a := newProgram()
	done = make(chan error, 1)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	work.Go(func() { done <- acp.Proxy(ctx, h, e, a, opts) })
	t.Cleanup(func() {
		editor.out.Close()
		agent.out.Close()
		work.Wait()
		cancel()
	})
	return editor, agent, done
}

func (p *program) send(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(p.out, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

// takes has fn take every line from now on.
func (p *program) takes(fn func(line string)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.onLine = fn
}

// received returns what came since the last time; what came at once is sorted.
func (p *program) received() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	lines := p.lines
	p.lines = nil
	slices.Sort(lines)
	return lines
}
