package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/app/surface/terminal"
	"github.com/saysohq/sayso/conversation"
)

// talk is the program at a terminal.
type talk struct {
	*program
	d    *desk
	tty  *lines
	here *terminal.Terminal
	id   string // the conversation

	news  *news
	told  int  // entries of the transcript that are on the screen
	begun bool // the model is in the middle of a sentence
	quit  bool

	received func(text string) // shows what the model receives from a tool; nil: only errors are shown
}

const help = `/questions    what was asked, and what came of it
/questions clear removes the files of pending questions; the questions stay open
/branch N     go back to before question N, and be asked it anew
/answer       answer what waits
/sessions     all conversations; /open ID goes on with one
/new          begin a new conversation
/compact      summarise the conversation for the model
/quit         leave; the conversation stays (sayso-agent -c)
Ctrl+C stops what the agent does.`

// interactive talks to the person until they leave.
func (p *program) interactive(ctx context.Context, r *request) error {
	tty, err := openLines()
	if err != nil {
		return err
	}
	defer tty.close()
	d, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	here := terminal.New(&terminal.Options{TTY: tty.file, Plain: p.Plain(), Locale: p.Locale(), Dir: p.Dir})
	t := &talk{program: p, d: d, tty: tty, here: here, id: p.conversation, news: &news{bell: make(chan struct{}, 1)}}
	if r.goOn {
		if t.id, err = p.last(ctx, d); err != nil {
			return err
		}
	}
	if t.id == "" {
		t.id = newID()
	}
	defer d.Subscribe(t.news.put)()
	t.line("sayso-agent · %s · conversation %s · /help", d.config.Model.Config.Model, t.id)
	if m := r.message(); m != "" {
		if err := d.send(ctx, t.id, m); err != nil {
			return err
		}
	}
	return t.loop(ctx)
}

// loop shows what happens, asks what is asked, and listens.
func (t *talk) loop(ctx context.Context) error {
	for !t.quit {
		if err := t.follow(ctx); err != nil {
			return err
		}
		said, why, err := t.tty.read(ctx, "› ", t.signals, t.news.bell)
		switch {
		case err == io.EOF:
			t.line("")
			return nil
		case err != nil:
			return err
		case why == interruptedLine:
			t.line("")
			return nil
		case why == somethingHappened:
			continue
		}
		said = strings.TrimSpace(said)
		if strings.HasPrefix(said, "/") {
			err = t.command(ctx, said)
		} else if said != "" {
			err = t.d.send(ctx, t.id, said)
		}
		if err != nil {
			t.line("%v", err)
		}
	}
	return nil
}

// follow shows what the conversation does until it rests, and asks what it asks.
func (t *talk) follow(ctx context.Context) error {
	left := map[string]bool{} // what the person leaves for later
	var heard []string
	for {
		c, err := t.watch(ctx, heard)
		if errors.Is(err, agent.ErrNotFound) {
			return nil // nothing was said yet
		}
		if err != nil {
			return err
		}
		if s, ok := c.State.(conversation.Failed); ok {
			t.line("The model cannot be reached: %s", s.Error)
		}
		var open *sayso.Ask
		for _, a := range c.Asks() {
			if !left[a.ID] && open == nil {
				open = a
			}
		}
		if open == nil {
			if len(left) > 0 {
				t.line("%s", "It waits, here and in every inbox. /answer answers it; a message goes on without it.")
			}
			return nil
		}
		answered, err := t.ask(ctx, open)
		if err != nil {
			return err
		}
		if answered {
			heard = append(heard, open.ID)
		} else {
			left[open.ID] = true
		}
	}
}

// watch shows what happens until the conversation rests and has heard these
// outcomes. An interrupt cancels the turn.
func (t *talk) watch(ctx context.Context, heard []string) (*agent.Conversation, error) {
	type rested struct {
		c   *agent.Conversation
		err error
	}
	end := make(chan rested, 1)
	go func() {
		c, err := t.d.settle(ctx, t.id, heard...)
		end <- rested{c, err}
	}()
	for {
		select {
		case <-t.news.bell:
			t.show(t.news.take())
		case <-t.signals:
			t.begun = true // the terminal has written ^C
			if err := t.d.Cancel(ctx, t.id, "stopped by the person"); err != nil {
				t.line("%v", err)
			} else {
				t.line("(stopped)")
			}
		case r := <-end:
			t.show(t.news.take())
			if r.err == nil {
				t.catchUp(r.c)
			}
			return r.c, r.err
		}
	}
}

// command does what a line with a slash says.
func (t *talk) command(ctx context.Context, line string) error {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "/help":
		t.line("%s", help)
	case "/quit", "/exit":
		t.quit = true
	case "/new":
		t.turnTo(newID())
	case "/open":
		if _, err := t.d.Get(ctx, rest); err != nil {
			return fmt.Errorf("no conversation %q; /sessions lists them", rest)
		}
		t.turnTo(rest)
	case "/answer": // what is left for later is asked again
	case "/sessions":
		tree, err := t.d.tree(ctx)
		if err != nil {
			return err
		}
		t.line("%s", strings.TrimSuffix(tree, "\n"))
	case "/questions":
		if rest == "clear" {
			return t.clearFiles(ctx)
		}
		c, err := t.d.Get(ctx, t.id)
		if errors.Is(err, agent.ErrNotFound) {
			c, err = &agent.Conversation{}, nil
		}
		if err != nil {
			return err
		}
		t.line("%s", strings.TrimSuffix(t.d.questions(c), "\n"))
	case "/branch":
		n, err := strconv.Atoi(rest)
		if err != nil {
			return errors.New("/branch needs the number of a question; /questions lists them")
		}
		id, err := t.d.Branch(ctx, t.id, n, newID()[:4])
		if err != nil {
			return err
		}
		t.turnTo(id)
	case "/compact":
		if err := t.d.Compact(ctx, t.id); err != nil {
			return err
		}
		t.line("(summarised)")
	default:
		return fmt.Errorf("unknown command %s; /help lists them", word)
	}
	return nil
}

// clearFiles removes the files of pending questions. The questions wait in the hub,
// and whoever leaves with -p next writes those that are still open again.
func (t *talk) clearFiles(ctx context.Context) error {
	return t.withFiles(func(f *files) error {
		if err := f.dir.ClearAll(ctx); err != nil {
			return err
		}
		t.line("Removed the files of pending questions. The questions stay open: /answer")
		return nil
	})
}

// turnTo goes on with another conversation.
func (t *talk) turnTo(id string) {
	t.id, t.told = id, 0
	t.news.only("")
	t.line("conversation %s", id)
}

// line writes to the terminal, on a line of its own.
func (t *talk) line(format string, args ...any) {
	if t.begun {
		fmt.Fprintln(t.Out)
		t.begun = false
	}
	fmt.Fprintln(t.Out, sayso.SafeText(fmt.Sprintf(format, args...)))
}

var errNoTerminal = errors.New("sayso-agent needs a terminal here; without one, use -p")

// openTTY opens the terminal of the process.
func openTTY() (*os.File, error) {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoTerminal, err)
	}
	return f, nil
}
