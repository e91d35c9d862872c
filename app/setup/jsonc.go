package setup

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// A JSONEdit is one change to JSON with comments and trailing commas.
type JSONEdit func(*document) error

// EditJSON makes changes to JSON with comments and trailing commas. Every other byte
// stays. What is added is indented as the rest is, or put on the same line if the
// rest is. Text that is nil or blank counts as {}. If nothing is to change, the text
// is returned as it is.
func EditJSON(text []byte, edits ...JSONEdit) ([]byte, error) {
	d, err := readJSON(text)
	if err != nil {
		return nil, err
	}
	for _, edit := range edits {
		if err := edit(d); err != nil {
			return nil, err
		}
	}
	if !d.changed {
		return text, nil
	}
	return d.pack()
}

// SetJSON sets the value at a path, and makes the objects on the way to it. A value
// that means the same stays as it is written.
func SetJSON(value any, path ...string) JSONEdit {
	return func(d *document) error {
		parent, err := d.object(path[:len(path)-1], true)
		if err != nil {
			return err
		}
		m, err := parent.member(path[len(path)-1])
		if err != nil {
			return err
		}
		raw, err := encode(value)
		if err != nil {
			return err
		}
		if m != nil {
			if sameJSON(m.Value, raw) {
				return nil
			}
			d.changed = true
			m.Value.Value = parse(indent(raw, parent.style.inside(parent.many())))
			return nil
		}
		d.changed = true
		parent.add(path[len(path)-1], raw)
		return nil
	}
}

// AppendJSON adds values to the end of the list at a path, each unless the list has
// it already, and makes the list.
func AppendJSON(path []string, values ...any) JSONEdit {
	return func(d *document) error {
		for _, value := range values {
			raw, err := encode(value)
			if err != nil {
				return err
			}
			list, err := d.list(path, true)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(list.elements(), func(v hujson.Value) bool { return sameJSON(v, raw) }) {
				continue
			}
			d.changed = true
			list.addElement(raw)
		}
		return nil
	}
}

// RemoveJSON removes what is at a path, and the objects on the way to it that are
// empty then, as far as the first keep names of the path. If nothing is there, it
// does nothing.
func RemoveJSON(keep int, path ...string) JSONEdit {
	return func(d *document) error {
		for n := len(path); n > 0; n-- {
			parent, err := d.object(path[:n-1], false)
			if err != nil || parent == nil {
				return err
			}
			m, err := parent.member(path[n-1])
			if err != nil || m == nil {
				return err
			}
			if n < len(path) && (n <= keep || !empty(m.Value)) {
				return nil
			}
			d.changed = true
			parent.remove(path[n-1])
		}
		return nil
	}
}

// RemoveJSONItems removes the elements of the list at a path for which ours returns
// true, and the list and the objects around it if they are empty then, as far as the
// first keep names of the path.
func RemoveJSONItems(keep int, path []string, ours func(json.RawMessage) bool) JSONEdit {
	return func(d *document) error {
		list, err := d.list(path, false)
		if err != nil || list == nil {
			return err
		}
		if !list.removeElements(func(v hujson.Value) bool { return ours(standard(v)) }) {
			return nil
		}
		d.changed = true
		if len(list.elements()) > 0 || len(path) <= keep {
			return nil
		}
		return RemoveJSON(keep, path...)(d)
	}
}

// GetJSON decodes the value at a path of JSON with comments, and reports whether
// there is one.
func GetJSON(text []byte, into any, path ...string) (bool, error) {
	d, err := readJSON(text)
	if err != nil {
		return false, err
	}
	v := d.root
	if len(path) > 0 {
		parent, err := d.object(path[:len(path)-1], false)
		if err != nil || parent == nil {
			return false, err
		}
		m, err := parent.member(path[len(path)-1])
		if err != nil || m == nil {
			return false, err
		}
		v = m.Value
	}
	if err := json.Unmarshal(standard(v), into); err != nil {
		return false, fmt.Errorf("%s is not what was expected", name(path))
	}
	return true, nil
}
