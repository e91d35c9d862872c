package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

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

var bom = []byte("\uFEFF")

// document is JSON with comments while it is changed.
type document struct {
	root    hujson.Value
	bom     bool
	style   style
	changed bool
}

var position = regexp.MustCompile(`line (\d+), column (\d+)`)

// readJSON reads text. Its errors repeat nothing of it: there may be secrets in it.
func readJSON(text []byte) (*document, error) {
	d := &document{bom: bytes.HasPrefix(text, bom)}
	text = bytes.TrimPrefix(text, bom)
	if len(bytes.TrimSpace(text)) == 0 {
		text = append(bytes.Clone([]byte("{}")), text...)
		if !bytes.HasSuffix(text, []byte("\n")) {
			text = append(text, '\n')
		}
	}
	v, err := hujson.Parse(text)
	if err != nil {
		if m := position.FindStringSubmatch(err.Error()); m != nil {
			return nil, fmt.Errorf("it cannot be read as JSON: line %s, column %s", m[1], m[2])
		}
		return nil, errors.New("it cannot be read as JSON")
	}
	if _, ok := v.Value.(*hujson.Object); !ok {
		return nil, errors.New("it is not a JSON object")
	}
	d.root = v
	d.style = styleOf(text, &v)
	return d, nil
}

func (d *document) pack() ([]byte, error) {
	out := d.root.Pack()
	if _, err := hujson.Parse(out); err != nil {
		return nil, errors.New("it cannot be changed without damage")
	}
	if d.bom {
		out = append(bytes.Clone(bom), out...)
	}
	return out, nil
}

// object returns the object at a path. If it is missing, it is made, or nil is
// returned.
func (d *document) object(path []string, make bool) (*object, error) {
	o := &object{Object: d.root.Value.(*hujson.Object), style: d.style}
	for i, key := range path {
		m, err := o.member(key)
		if err != nil {
			return nil, err
		}
		if m == nil {
			if !make {
				return nil, nil
			}
			d.changed = true
			o.add(key, []byte("{}"))
			m, _ = o.member(key)
		}
		inner, ok := m.Value.Value.(*hujson.Object)
		if !ok {
			return nil, fmt.Errorf("%s is not a JSON object", name(path[:i+1]))
		}
		o = &object{Object: inner, style: o.style.inside(o.many())}
	}
	return o, nil
}

func (d *document) list(path []string, make bool) (*list, error) {
	o, err := d.object(path[:len(path)-1], make)
	if err != nil || o == nil {
		return nil, err
	}
	key := path[len(path)-1]
	m, err := o.member(key)
	if err != nil {
		return nil, err
	}
	if m == nil {
		if !make {
			return nil, nil
		}
		d.changed = true
		o.add(key, []byte("[]"))
		m, _ = o.member(key)
	}
	inner, ok := m.Value.Value.(*hujson.Array)
	if !ok {
		return nil, fmt.Errorf("%s is not a JSON list", name(path))
	}
	return &list{Array: inner, style: o.style.inside(o.many())}, nil
}

func name(path []string) string { return strings.Join(path, ".") }

func empty(v hujson.Value) bool {
	switch v := v.Value.(type) {
	case *hujson.Object:
		return len(v.Members) == 0 && v.AfterExtra.IsStandard()
	case *hujson.Array:
		return len(v.Elements) == 0 && v.AfterExtra.IsStandard()
	}
	return false
}

// encode writes a value on one line.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// standard returns a value as plain JSON.
func standard(v hujson.Value) json.RawMessage {
	v = v.Clone()
	v.BeforeExtra, v.AfterExtra = nil, nil
	v.Minimize()
	return v.Pack()
}

func sameJSON(v hujson.Value, raw []byte) bool { return sameValue(standard(v), raw) }

func sameValue(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	p, errP := json.Marshal(x)
	q, errQ := json.Marshal(y)
	return errP == nil && errQ == nil && bytes.Equal(p, q)
}

func parse(raw []byte) hujson.ValueTrimmed {
	v, err := hujson.Parse(raw)
	if err != nil {
		panic("setup: our own JSON cannot be read")
	}
	return v.Value
}
