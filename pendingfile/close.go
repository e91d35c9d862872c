package pendingfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/saysohq/sayso"
)

// Close records the outcome of the ask that was read as p, so that the asker finds
// it when it asks again. The first close wins: the same outcome again is a success,
// another one a [*ClosedError]. A pending outcome does not close an ask.
func (d *Dir) Close(ctx context.Context, p *Pending, o *sayso.Outcome) (*Pending, error) {
	o = o.Settled()
	if err := p.Ask.Check(o); err != nil {
		return nil, fmt.Errorf("pendingfile: close %s: %w", p.File, err)
	}
	if !o.Status.Final() {
		return nil, fmt.Errorf("pendingfile: close %s: %q does not close an ask", p.File, o.Status)
	}
	name, err := d.nameOf(p.File)
	if err != nil {
		return nil, err
	}
	var closed *Pending
	err = d.inFolder(ctx, "close", func(f *folder) error {
		now, err := d.load(f, name)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", p.File, err)
		case !now.holds(p.Ask):
			return fmt.Errorf("%w: %s", ErrTaken, p.File)
		case now.Outcome != nil && sameDecision(now.Outcome, o):
			closed = now
			return nil
		case now.Outcome != nil:
			return &ClosedError{File: p.File, Winner: now.Outcome}
		}
		closed = &Pending{File: p.File, Ask: now.Ask, Outcome: o}
		return d.store(f, closed)
	})
	if err != nil {
		return nil, err
	}
	return closed, nil
}

// Clear removes the file of an ask, named as for Read; no file is no error.
func (d *Dir) Clear(ctx context.Context, file string) error {
	name, err := d.nameOf(file)
	if err != nil {
		return err
	}
	return d.clear(ctx, func(n string) bool { return n == name })
}

// ClearAll removes every ask, and what an interrupted Write has left.
func (d *Dir) ClearAll(ctx context.Context) error {
	return d.clear(ctx, func(n string) bool { return ours(n) || isTemp(n) })
}

func (d *Dir) clear(ctx context.Context, doomed func(name string) bool) error {
	if _, err := d.workspace.Lstat(d.folder); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return d.inFolder(ctx, "clear", func(f *folder) error {
		names, err := f.names()
		for _, name := range names {
			if err == nil && doomed(name) {
				err = f.remove(name)
			}
		}
		if err != nil {
			return err
		}
		return f.sync()
	})
}

// sameDecision reports whether two outcomes say the same, whoever said it when.
func sameDecision(a, b *sayso.Outcome) bool {
	return a.Status == b.Status && a.Reply == b.Reply &&
		slices.EqualFunc(a.Answers, b.Answers, func(x, y sayso.Answer) bool {
			return x.QuestionID == y.QuestionID && x.Other == y.Other && x.Note == y.Note &&
				x.Unanswered == y.Unanswered && slices.Equal(x.Selected, y.Selected)
		})
}
