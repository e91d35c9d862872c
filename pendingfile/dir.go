package pendingfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/saysohq/sayso"
)

// The names of the files of a workspace.
const (
	DefaultFolder = ".sayso"
	DefaultFile   = "pending-questions.json"

	ownPrefix = "pending-questions-" // of the file of an ask that came when DefaultFile was taken
	suffix    = ".json"
)

var (
	// ErrUnsafe is wrapped by the errors about files that are not plainly the
	// user's own: links, devices, other owners, open modes.
	ErrUnsafe = errors.New("pendingfile: not a safe file")

	// ErrTaken says that the file of an ask holds other questions.
	ErrTaken = errors.New("pendingfile: the name is taken")
)

// ClosedError says that an ask has an outcome already.
type ClosedError struct {
	File   string
	Winner *sayso.Outcome
}

func (e *ClosedError) Error() string {
	return fmt.Sprintf("pendingfile: %s was closed before (%s)", e.File, e.Winner.Status)
}

// Options shape a Dir. Nil means the defaults.
type Options struct {
	Folder string           // the folder in the workspace, a plain name; default DefaultFolder
	Now    func() time.Time // default time.Now
}

// Dir is the folder of a workspace in which asks wait in files. It may be used
// from several goroutines, and by several processes at once.
type Dir struct {
	workspace *os.Root
	folder    string
	now       func() time.Time
	turn      chan struct{}    // holds one token: whose turn it is in this process
	trace     func(step) error // for tests: sees each step before it is taken, and may fail it
}

var _ sayso.Resolver = (*Dir)(nil)

// New returns the Dir of the workspace, which stays the caller's to close. It
// touches nothing; the folder is made by the first Write.
func New(workspace *os.Root, o *Options) *Dir {
	d := &Dir{workspace: workspace, folder: DefaultFolder, now: time.Now, turn: make(chan struct{}, 1)}
	if o != nil && o.Folder != "" {
		d.folder = o.Folder
	}
	if o != nil && o.Now != nil {
		d.now = o.Now
	}
	return d
}

// Write leaves the ask in a file, unless it is in one already: then that is what
// it returns, with whatever answers it has by now. An ask without an id is named
// after its conversation and questions. The folder gets a .gitignore that keeps it
// out of commits, unless it has one.
func (d *Dir) Write(ctx context.Context, a *sayso.Ask) (*Pending, error) {
	a, err := d.admit(a)
	if err != nil {
		return nil, err
	}
	var p *Pending
	err = d.inFolder(ctx, "write", func(f *folder) error {
		var name string
		if p, name, err = d.find(f, a); p != nil || err != nil {
			return err
		}
		p = &Pending{File: d.path(name), Ask: a}
		f.ignore()
		return d.store(f, p)
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// find looks for the ask in the two files that may hold it, and returns where to
// write it if neither does. What is in DefaultFile may be anything, for that name
// is everybody's; the ask's own file holds the ask or is in the way.
func (d *Dir) find(f *folder, a *sayso.Ask) (p *Pending, free string, err error) {
	for _, name := range []string{ownFile(a.ID), DefaultFile} {
		p, err = d.load(f, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			free = name
		case err == nil && p.holds(a):
			return p, "", nil
		case name == DefaultFile:
		case err == nil:
			return nil, "", fmt.Errorf("%w: %s", ErrTaken, d.path(name))
		default:
			return nil, "", fmt.Errorf("%s: %w", d.path(name), err)
		}
	}
	return nil, free, nil
}

// Read returns the ask in the file: a name in the folder, or a Pending's File;
// empty means DefaultFile. It fails with fs.ErrNotExist where there is none.
func (d *Dir) Read(file string) (*Pending, error) {
	name, err := d.nameOf(file)
	if err != nil {
		return nil, err
	}
	f, err := d.open(false)
	if err == nil {
		defer f.close()
		var p *Pending
		if p, err = d.load(f, name); err == nil {
			return p, nil
		}
	}
	return nil, fmt.Errorf("pendingfile: read %s: %w", d.path(name), err)
}

// List returns every ask that waits, oldest first. The error tells of files that
// could not be read; the others are returned with it.
func (d *Dir) List() ([]*Pending, error) {
	f, err := d.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("pendingfile: list %s: %w", d.folder, err)
	}
	defer f.close()
	names, err := f.names()
	if err != nil {
		return nil, fmt.Errorf("pendingfile: list %s: %w", d.folder, err)
	}
	var all []*Pending
	var broken []error
	for _, name := range names {
		if !ours(name) {
			continue
		}
		p, err := d.load(f, name)
		switch {
		case err == nil:
			all = append(all, p)
		case !errors.Is(err, fs.ErrNotExist): // answered and cleared just now
			broken = append(broken, fmt.Errorf("pendingfile: read %s: %w", d.path(name), err))
		}
	}
	slices.SortStableFunc(all, func(a, b *Pending) int { return a.Ask.AskedAt.Compare(b.Ask.AskedAt) })
	return all, errors.Join(broken...)
}

// inFolder calls fn with the folder, made if need be, when it is its turn.
func (d *Dir) inFolder(ctx context.Context, what string, fn func(*folder) error) error {
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	f, err := d.open(true)
	if err == nil {
		defer f.close()
		err = f.lock(ctx)
	}
	if err == nil {
		err = fn(f)
	}
	if err != nil {
		return fmt.Errorf("pendingfile: %s: %w", what, err)
	}
	return nil
}

func (d *Dir) load(f *folder, name string) (*Pending, error) {
	data, modified, err := f.read(name)
	if err != nil {
		return nil, err
	}
	p, err := decode(data)
	if err != nil {
		return nil, err
	}
	p.File, p.modified, p.readAt = d.path(name), modified, d.now()
	return p, nil
}

// store writes p and completes it. It reads its own bytes back first: a file that
// nobody can read must not come into being.
func (d *Dir) store(f *folder, p *Pending) error {
	data := encode(p)
	again, err := decode(data)
	if err != nil {
		return fmt.Errorf("the ask cannot be written so that it reads back: %w", err)
	}
	name, err := d.nameOf(p.File)
	if err != nil {
		return err
	}
	if err := f.replace(name, data); err != nil {
		return err
	}
	p.given, p.readAt = again.given, d.now()
	p.modified = p.readAt
	return nil
}

// path returns the file as a person in the workspace would name it.
func (d *Dir) path(name string) string { return d.folder + "/" + name }

// nameOf is the inverse of path. It knows only our own files.
func (d *Dir) nameOf(file string) (string, error) {
	name := strings.TrimPrefix(file, d.folder+"/")
	if name == "" {
		name = DefaultFile
	}
	if !ours(name) {
		return "", fmt.Errorf("pendingfile: %q is not a file of questions", file)
	}
	return name, nil
}
