package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/agent"
	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/pendingfile"
)

// files are the questions that wait in files of the workspace (seed 1). The asks
// themselves wait in the hub: a file is one more surface.
type files struct {
	p   *program
	dir *pendingfile.Dir
}

func (p *program) withFiles(do func(*files) error) error {
	root, err := os.OpenRoot(p.workspace())
	if err != nil {
		return fmt.Errorf("cannot open the folder: %w", err)
	}
	defer root.Close()
	return do(&files{p, pendingfile.New(root, nil)})
}

// instructions tell the person how to answer.
func instructions(file string) string {
	return fmt.Sprintf(`Questions pending. User input required.

To answer in words, run:
  sayso-agent -p @%[1]s "your answers"

Or give one answer to each question, in order:
  sayso-agent -p @%[1]s --answers '["...", "..."]'

Or edit the JSON file and run:
  sayso-agent -p -c

Questions saved to: %[1]s`, file)
}

// write leaves what the conversation waits for in files, and removes the files of
// what it waits for no longer. Some asks cannot be in files.
func (f *files) write(ctx context.Context, c *agent.Conversation) (names []string, unwritten []*sayso.Ask, err error) {
	all, err := f.dir.List()
	if err != nil {
		f.p.Say("%v", err)
	}
	for _, in := range all {
		open := slices.ContainsFunc(c.Asks(), func(a *sayso.Ask) bool { return a.ID == in.Ask.ID })
		if in.Ask.Origin.Conversation == c.ID && !open {
			if err := f.dir.Clear(ctx, in.File); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, a := range c.Asks() {
		in, err := f.dir.Write(ctx, a)
		switch {
		case errors.Is(err, sayso.ErrUnreachable):
			unwritten = append(unwritten, a)
		case err != nil:
			return nil, nil, err
		default:
			names = append(names, in.File)
		}
	}
	return names, unwritten, nil
}

// answer answers what is in a file: with a list, or in words.
func (f *files) answer(ctx context.Context, d *desk, file, list, words string) (id string, heard []string, err error) {
	in, err := f.dir.Read(file)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil, console.Usage("no questions in a file here: %w", err).Next("Open questions: sayso-agent questions.")
	}
	if err != nil {
		return "", nil, err
	}
	var o *sayso.Outcome
	if list != "" {
		if o, err = in.FromList([]byte(list)); err != nil {
			return "", nil, console.Usage("invalid value %q for --answers: %w", list, err).Next("Example: sayso-agent -p --answers '[\"first\", \"second\"]'.")
		}
	} else {
		o = in.FromWords(words)
	}
	if !o.HasAnswer() {
		return "", nil, console.Usage("the answer %q is empty", words).Next("Example: sayso-agent -p @%s \"your answers\".", in.File)
	}
	return f.close(ctx, d, in, o)
}

// answered takes the answers from the first file that has some. If files wait but
// none has an answer, the conversation of the first is returned.
func (f *files) answered(ctx context.Context, d *desk) (id string, heard []string, err error) {
	all, err := f.dir.List()
	if err != nil {
		f.p.Say("%v", err)
	}
	for _, in := range all {
		if f.p.conversation != "" && in.Ask.Origin.Conversation != f.p.conversation {
			continue
		}
		if id == "" {
			id = in.Ask.Origin.Conversation
		}
		o, err := in.FromFile()
		if err != nil {
			return "", nil, console.Usage("%s: %w", in.File, err)
		}
		if o.Status.Final() {
			return f.close(ctx, d, in, o)
		}
	}
	return id, nil, nil
}

func (f *files) close(ctx context.Context, d *desk, in *pendingfile.Pending, o *sayso.Outcome) (id string, heard []string, err error) {
	winner, err := d.answer(ctx, pendingfile.Surface, in.Ask, o)
	if err != nil {
		return "", nil, fmt.Errorf("answering %s: %w", in.File, err)
	}
	if winner != nil {
		f.p.Say("It was %s already, on %s.", winner.Status, winner.By.Surface)
	}
	return in.Ask.Origin.Conversation, []string{in.Ask.ID}, nil
}
