package docstest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Run runs the blocks of a page in order, with the program at the path sayso, and
// returns what is wrong. A page that goes wrong is not run further: the rest would
// only repeat it.
func (p *Page) Run(sayso string) (ran int, problems []Problem) { return p.RunIn(sayso, nil) }

// RunIn is Run with more variables in the environment, as NAME=value.
func (p *Page) RunIn(sayso string, env []string) (ran int, problems []Problem) {
	w, err := newWorld(sayso)
	if err != nil {
		return 0, []Problem{{p.Name, 0, err.Error()}}
	}
	defer w.close()
	w.env = append(w.env, env...)
	for _, b := range p.Blocks {
		if !b.runs() {
			continue
		}
		if line, err := w.block(b); err != nil {
			return ran, []Problem{{p.Name, line, err.Error()}}
		}
		ran++
	}
	return ran, nil
}

// options are how a block is run.
type options struct {
	stdin      string
	exit       int
	background bool
	terminal   bool
	meanwhile  []string // one command for each question that comes up
	reads      []string // what the agent reads afterwards
}

// prepare does what the comments before a block ask for.
func (w *world) prepare(b *Block) (*options, error) {
	o := &options{}
	for _, line := range b.Options {
		name, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)
		var err error
		switch name {
		case "stdin":
			o.stdin = strings.ReplaceAll(rest, `\n`, "\n") + "\n"
		case "exit":
			o.exit, err = strconv.Atoi(rest)
		case "env":
			_, _, err = w.run(call{command: "export " + rest})
		case "setup":
			var out string
			var code int
			if out, code, err = w.run(call{command: rest}); err == nil && code != 0 {
				err = fmt.Errorf("it exits %d: %s", code, out)
			}
		case "background":
			o.background = true
		case "terminal":
			o.terminal = true
		case "person":
			o.meanwhile = append(o.meanwhile, "sayso answer $ID "+rest)
		case "meanwhile":
			o.meanwhile = append(o.meanwhile, rest)
		case "fake-agent":
			err = w.fakeAgent(rest)
		case "agent-reads":
			o.reads = append(o.reads, rest)
		default:
			err = fmt.Errorf("there is no such option; see the comment of package docstest")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
	}
	return o, nil
}

// block runs one block, and returns the line at which it went wrong.
func (w *world) block(b *Block) (line int, err error) {
	steps, err := b.steps()
	if err == nil && len(steps) == 0 {
		err = fmt.Errorf("the block has no commands")
	}
	if err != nil {
		return b.Line, err
	}
	o, err := w.prepare(b)
	if err != nil {
		return b.Line - 1, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	people, err := w.people(ctx, o.meanwhile)
	if err != nil {
		return b.Line - 1, err
	}
	for i, s := range steps {
		last := i == len(steps)-1
		if err := w.step(s, o, last, !last && strings.Contains(steps[i+1].command, "$?")); err != nil {
			cancel()
			if err2 := people(); err2 != nil && !errors.Is(err2, context.Canceled) {
				err = fmt.Errorf("%w\n%w", err, err2)
			}
			return s.line, err
		}
	}
	if err := people(); err != nil {
		return b.Line - 1, err
	}
	for _, text := range o.reads {
		if err := w.agentReads(text); err != nil {
			return b.Line - 1, err
		}
	}
	return 0, nil
}

// step runs one command. Its exit code is not looked at where the next one shows it.
func (w *world) step(s step, o *options, last, shown bool) error {
	if o.background && last {
		return w.background(s, o)
	}
	out, code, err := w.run(call{command: s.command, stdin: o.stdin, terminal: o.terminal})
	if err != nil {
		return fmt.Errorf("$ %s\n%w\nit printed:\n%s", s.command, err, out)
	}
	w.last = code
	want := 0
	if last {
		want = o.exit
	}
	if code != want && !shown {
		return fmt.Errorf("$ %s\nexpected exit code %d\n     got %d\nit printed:\n%s", s.command, want, code, out)
	}
	if !s.checked {
		return nil
	}
	if err := w.compare(s.want, out); err != nil {
		return fmt.Errorf("$ %s\n%w", s.command, err)
	}
	return nil
}

// compare compares what a page shows with what was printed.
func (w *world) compare(want []string, out string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return compare(trim(want), trim(strings.Split(out, "\n")), w.known)
}

// background starts a command that goes on, and waits until it has printed what
// the page shows.
func (w *world) background(s step, o *options) error {
	p, err := w.start(call{command: s.command, stdin: o.stdin, terminal: o.terminal, unseen: true})
	if err != nil {
		return err
	}
	w.behind = append(w.behind, p)
	var wrong error
	err = until(context.Background(), "what it should print", func() (bool, error) {
		select {
		case <-p.done:
			wrong = nil
			return true, fmt.Errorf("it has ended; it printed:\n%s", w.printed(p))
		default:
		}
		wrong = w.compare(append(slices.Clone(trim(s.want)), "…"), w.printed(p))
		return wrong == nil, nil
	})
	if err = cmp.Or(wrong, err); err != nil {
		err = fmt.Errorf("$ %s\n%w", s.command, err)
	}
	return err
}

// people has somebody react to every question that comes up, one command for each.
// The function that it returns waits until they have, or until ctx ends.
func (w *world) people(ctx context.Context, commands []string) (func() error, error) {
	if len(commands) == 0 {
		return func() error { return nil }, nil
	}
	seen, err := w.open()
	if err != nil {
		return nil, err
	}
	done := make(chan error, 1)
	go func() {
		for _, c := range commands {
			id, err := w.newQuestion(ctx, seen)
			if err != nil {
				done <- err
				return
			}
			seen = append(seen, id)
			if out, code, err := w.run(call{command: "ID=" + id + "\n" + c, unseen: true}); err != nil || code != 0 {
				done <- fmt.Errorf("somebody ran %q, which exits %d: %v\n%s", c, code, err, out)
				return
			}
		}
		done <- nil
	}()
	return func() error { return <-done }, nil
}

// newQuestion waits for a question that is not among the seen ones.
func (w *world) newQuestion(ctx context.Context, seen []string) (id string, err error) {
	err = until(ctx, "a question", func() (bool, error) {
		all, err := w.open()
		for _, one := range all {
			if !slices.Contains(seen, one) {
				id = one
			}
		}
		return id != "", err
	})
	return id, err
}

// open returns the ids of the open questions.
func (w *world) open() ([]string, error) {
	out, code, err := w.run(call{command: "sayso list --json 2>/dev/null", unseen: true})
	if err == nil && code != 0 {
		err = fmt.Errorf("sayso list exits %d: %s", code, out)
	}
	if err != nil {
		return nil, err
	}
	var list struct{ Asks []struct{ ID string } }
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		return nil, fmt.Errorf("sayso list --json: %w", err)
	}
	var ids []string
	for _, a := range list.Asks {
		ids = append(ids, a.ID)
	}
	return ids, nil
}

// trim returns the lines without blank ones at the end.
func trim(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
