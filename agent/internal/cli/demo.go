package cli

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/demo"
	"github.com/saysohq/sayso/app/surface/terminal"
	"github.com/saysohq/sayso/conversation"
)

// demo plays the scripted model on the durable host. It needs no settings.
func (p *program) demo(ctx context.Context) error {
	if !console.IsTerminal(p.In) || !console.IsTerminal(p.Out) {
		return console.Usage("the demo needs a terminal and this process has none").
			Next("Run it in a terminal window: sayso-agent --demo")
	}
	ctx, stop := console.Interruptible(ctx, p.signals)
	defer stop()
	quiet := *p
	quiet.signals, quiet.conversation = nil, "" // signals end the context
	p = &quiet
	tty, err := openLines()
	if err != nil {
		return err
	}
	defer tty.close()
	d, err := p.openDemo(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	here := terminal.New(&terminal.Options{TTY: tty.file, Plain: p.Plain(), Locale: p.Locale(), Dir: p.Dir})
	t := &talk{program: p, d: d, tty: tty, here: here, news: &news{bell: make(chan struct{}, 1)}}
	t.received = t.showReceived
	defer d.Subscribe(t.news.put)()
	finished, err := t.playDemo(ctx)
	if gone := t.forgetDemo(ctx); err == nil {
		err = gone
	}
	switch {
	case err != nil:
		return console.Interrupted(ctx, err)
	case !finished: // Ctrl+C in the dialog
		return console.ErrInterrupted
	}
	p.Tell("\nThat was the demo. To run the agent with a model of your own:\n\n  ANTHROPIC_API_KEY=… sayso-agent --provider anthropic --model claude-sonnet-4-5")
	return nil
}

// openDemo starts a host with the scripted model, in a folder of its own.
func (p *program) openDemo(ctx context.Context) (*desk, error) {
	c := &Config{Dialect: demo.Tool().Dialect.Spec().Dialect, Hub: p.hub, State: p.state}
	if c.State == "" {
		state, err := console.StateFolder(p.Getenv)
		if err != nil {
			return nil, err
		}
		c.State = filepath.Join(state, "agent", "demo")
	}
	o := c.options()
	o.Model, o.Program, o.Workspace = demoModel{}, demo.Host, demo.Workspace
	return p.openWith(ctx, c, &o)
}

// playDemo shows the conversation until it is over, and asks what it asks. It
// reports whether the agent came to its last words.
func (t *talk) playDemo(ctx context.Context) (finished bool, err error) {
	t.Tell("A scripted model asks three questions. It needs no API key and no network.")
	if t.d.hub == nil {
		t.Tell("Answer here, or in another window with: sayso inbox, or sayso web")
	}
	t.Tell("If you kill this process, run sayso-agent --demo again: it goes on from there.\n")
	if t.id, err = t.last(ctx, t.d); err != nil { // one that was killed
		return false, err
	}
	if t.id == "" {
		t.id = "demo-" + newID()
		if err := t.d.Send(ctx, t.id, newID(), demo.Task); err != nil {
			return false, err
		}
	}
	var heard []string
	for {
		c, err := t.watch(ctx, heard)
		if err != nil {
			return false, err
		}
		asks := c.Asks()
		if len(asks) == 0 {
			last := c.Transcript[len(c.Transcript)-1]
			return last.Role == conversation.RoleModel && len(last.Calls) == 0, nil
		}
		closed, err := t.ask(ctx, asks[0])
		if err != nil {
			return false, err
		}
		if !closed {
			t.Tell("The question stays open. Answer it in another window: sayso inbox, or sayso web.\nCtrl+C stops the demo.")
		}
		heard = append(heard, asks[0].ID)
	}
}

// showReceived shows the result of a question as the model receives it.
func (t *talk) showReceived(text string) {
	t.line("The model receives:")
	t.Show("  | " + strings.ReplaceAll(sayso.SafeText(text), "\n", "\n  | "))
	t.line("")
}

// forgetDemo withdraws what is open and removes the conversation.
func (t *talk) forgetDemo(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if t.id == "" {
		return nil
	}
	_, err := t.d.Purge(ctx, t.id, true)
	if errors.Is(err, agent.ErrNotFound) {
		return nil
	}
	return err
}
