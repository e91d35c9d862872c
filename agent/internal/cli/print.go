package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/conversation"
)

// request is what the person wants of a run without a command.
type request struct {
	print   bool
	goOn    bool
	answers string
	args    []string
}

// prints reports whether the request is one that needs no terminal.
func (r *request) prints() bool {
	return r.print || r.answers != "" || r.file() != ""
}

// file is the file of questions that the message is the answer to: @FILE.
func (r *request) file() string {
	if len(r.args) > 0 && strings.HasPrefix(r.args[0], "@") {
		return r.args[0][1:]
	}
	return ""
}

// message is what the person says.
func (r *request) message() string {
	args := r.args
	if r.file() != "" {
		args = args[1:]
	}
	return strings.Join(args, " ")
}

// printMode is -p: it works until there is a result or a question, prints it, and
// ends.
func (p *program) printMode(ctx context.Context, r *request) error {
	message := r.message()
	if message == "" && r.answers == "" && r.file() == "" && !r.goOn && !console.IsTerminal(p.In) {
		b, err := io.ReadAll(io.LimitReader(p.In, 1<<20))
		if err != nil {
			return fmt.Errorf("reading the message: %w", err)
		}
		message = strings.TrimSpace(string(b))
	}
	switch {
	case r.answers != "" && message != "":
		return console.Usage("--answers and the message %q exclude each other", message).Next("Use one of them: sayso-agent -p --answers LIST, or sayso-agent -p %q.", message)
	case r.file() != "" && message == "" && r.answers == "":
		return console.Usage("no answers given for %q", r.args[0]).Next("Example: sayso-agent -p %s \"your answers\", or use --answers.", r.args[0])
	case message == "" && r.answers == "" && !r.goOn:
		return console.Usage("no message given").Next("Example: sayso-agent -p \"Set up a service\".")
	}
	ctx, stop := console.Interruptible(ctx, p.signals)
	defer stop()
	d, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer d.close()
	return p.withFiles(func(f *files) error {
		id, heard, err := p.begin(ctx, d, f, r, message)
		if err != nil {
			return err
		}
		c, err := d.settle(ctx, id, append(heard, d.answeredElsewhere(ctx, id)...)...)
		if err != nil {
			return console.Interrupted(ctx, err)
		}
		return p.rested(ctx, d, f, c)
	})
}

// begin does what the person wants: it answers what waits, or says something. It
// returns the conversation, and the asks whose outcomes it is to hear.
func (p *program) begin(ctx context.Context, d *desk, f *files, r *request, message string) (id string, heard []string, err error) {
	switch {
	case r.answers != "" || r.file() != "":
		return f.answer(ctx, d, r.file(), r.answers, message)
	case message == "":
		if id, heard, err = f.answered(ctx, d); id != "" || err != nil {
			return id, heard, err
		}
		if id, err = p.last(ctx, d); err == nil && id == "" {
			err = noConversation()
		}
		return id, nil, err
	}
	id = p.conversation
	if r.goOn {
		if id, err = p.last(ctx, d); err != nil {
			return "", nil, err
		}
	}
	if id == "" {
		id = newID()
	}
	return id, nil, d.send(ctx, id, message)
}

// rested prints what a conversation has come to.
func (p *program) rested(ctx context.Context, d *desk, f *files, c *agent.Conversation) error {
	waiting, unwritten, err := f.write(ctx, c)
	if err != nil {
		return err
	}
	if p.json {
		err = p.PrintJSON(map[string]any{
			"conversation": c.ID, "state": conversation.Name(c.State), "text": text(c),
			"questions": append([]*sayso.Ask{}, c.Asks()...), "pendingFiles": append([]string{}, waiting...),
		})
		if err != nil {
			return err
		}
	}
	switch s := c.State.(type) {
	case conversation.Failed:
		return console.Fault("cannot reach the model: %s", s.Error).Next("Try again: sayso-agent -p -c.")
	case conversation.Ended:
		return console.Fault("conversation %q has ended", c.ID).Next("Start another: sayso-agent -p \"your message\".")
	}
	if len(c.Asks()) > 0 {
		if said := text(c); said != "" && !p.json {
			if err := p.Print(said); err != nil {
				return err
			}
		}
		for _, file := range waiting {
			p.Say("%s", instructions(file))
		}
		for _, a := range unwritten {
			p.Say("A question waits that is not left in a file, because it is to somebody by name, secret, or wants to be sure who answers: %s\nAnswer it in an inbox, and run: sayso-agent -p -c", sayso.Title(a))
		}
		return &console.ExitError{Code: console.ExitLater}
	}
	if p.json {
		return nil
	}
	return p.Print(text(c))
}
