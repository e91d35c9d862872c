package localhub

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/saysohq/sayso/app/console"
)

// Format is the version of what the state folder holds: the records of the hub, the keys,
// the key of the handles. It grows when an older program would misread the folder.
//
// In format 2 the records of asks have the asker in their addresses. A folder of format 1 is moved to it as it is opened.
const Format = 2

// CheckFormat refuses a folder that a newer program has written, before anything in it is
// touched. A folder without a format is new, or as old as format 1.
func (p Places) CheckFormat() error {
	b, err := os.ReadFile(p.format())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the format of the data folder: %w", err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	switch {
	case err != nil || n < 1:
		return broken("%s holds %q and not a format", p.format(), b).Next("If nothing else is damaged, remove it and try again: rm %s", p.format())
	case n > Format:
		return broken("the data folder %s was written by a newer sayso (format %d, this program reads %d)", p.State, n, Format).
			Next("Install the newer version again. To start with an empty folder instead: mv %s %[1]s.newer", p.State)
	}
	return nil
}

func broken(format string, args ...any) *console.ExitError {
	return &console.ExitError{Code: console.ExitUnreachable, Err: fmt.Errorf(format, args...)}
}

// markFormat writes the format into a folder that this program can read.
func markFormat(p Places) error {
	want := []byte(strconv.Itoa(Format) + "\n")
	if b, err := os.ReadFile(p.format()); err == nil && string(b) == string(want) {
		return nil
	}
	tmp := p.format() + ".new"
	err := os.WriteFile(tmp, want, 0o600)
	if err == nil {
		err = os.Rename(tmp, p.format())
	}
	if err != nil {
		return fmt.Errorf("writing the format of the data folder: %w", err)
	}
	return nil
}
