package claudecall

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/saysohq/sayso"
)

// maxFile is the most bytes of a file whose change is shown as a diff.
const maxFile = 4 << 20

// ReadFile returns the content of a file on this machine, nil if there is none. Only
// ordinary files with text are read.
func ReadFile(path string) (*string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not an ordinary file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > maxFile:
		return nil, fmt.Errorf("%s has more than %d bytes", path, maxFile)
	case !utf8.Valid(data):
		return nil, fmt.Errorf("%s is not a text", path)
	}
	s := string(data)
	return &s, nil
}

// edit is a replacement of one text in a file.
type edit struct {
	old, new string
	all      bool
}

var editMembers = []string{"old_string", "new_string", "replace_all"}

// edits returns the edits of the input; false if there is something else.
func (c *Call) edits(in object) (list []edit, ok bool) {
	objects := []object{in}
	if c.Tool == "MultiEdit" {
		objects = nil // a map that is there would be added to
		if json.Unmarshal(in["edits"], &objects) != nil {
			return nil, false
		}
	}
	for _, o := range objects {
		for name := range o {
			if c.Tool == "MultiEdit" && !slices.Contains(editMembers, name) {
				return nil, false // a diff would not show it
			}
		}
		from, to := o.text("old_string"), o.text("new_string")
		if from == nil || to == nil {
			return nil, false
		}
		list = append(list, edit{*from, *to, o.is("replace_all")})
	}
	return list, true
}

// change adds the change of the file to the options, and returns what is not known.
// What cannot be shown as a diff is shown as the members of the input.
func (c *Call) change(o *sayso.ApprovalOptions) (missing []string) {
	const old = "the old content of the file"
	in := objectOf(c.Input)
	name := in.text("file_path")
	if name == nil || c.Read == nil {
		return []string{old}
	}
	path := *name
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.Cwd, path)
	}
	before, err := c.Read(path)
	if err != nil {
		return []string{old}
	}
	if c.Tool == "Write" {
		content := in.text("content")
		if content == nil {
			return []string{old}
		}
		o.Files, o.Covered = []sayso.FileChange{sayso.NewFileChange(*name, before, content)}, []string{"file_path", "content"}
		return nil
	}
	edits, ok := c.edits(in)
	if !ok {
		return []string{old}
	}
	covered := append([]string{"file_path"}, editMembers...)
	if c.Tool == "MultiEdit" {
		covered = []string{"file_path", "edits"}
	}
	after, exact, ok := apply(before, edits)
	if !ok {
		return []string{"the new content of the file: the text to replace is not in it exactly once, as it is spelled here"}
	}
	o.Files = []sayso.FileChange{sayso.NewFileChange(*name, before, &after)}
	if exact {
		o.Covered = covered
	}
	return nil
}

// apply makes the edits as Claude Code does. exact is false where its result may
// differ from this one, so that the edits are shown beside it.
func apply(before *string, edits []edit) (after string, exact, ok bool) {
	exact = true
	if before != nil {
		after = *before
	}
	windows := strings.Contains(after, "\r\n") // Claude Code works on line feeds, and writes what it found
	if windows {
		after = strings.ReplaceAll(after, "\r\n", "\n")
		exact = false
	}
	for i, e := range edits {
		n := strings.Count(after, e.old)
		switch {
		case e.old == "" && i == 0 && (before == nil || sayso.Blank(after)):
			after = e.new // a new file
		case e.old == "" || n == 0 || n > 1 && !e.all:
			return "", false, false
		case e.all:
			after = strings.ReplaceAll(after, e.old, e.new)
		default:
			after = strings.Replace(after, e.old, e.new, 1)
		}
		if e.new == "" {
			exact = false // an empty line may be left, or go
		}
	}
	if windows {
		after = strings.ReplaceAll(after, "\n", "\r\n")
	}
	return after, exact, len(edits) > 0
}
