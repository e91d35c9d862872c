package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/tailscale/hujson"
)

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
		m, err := d.member(o, key, "{}", make)
		if m == nil || err != nil {
			return nil, err
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
	m, err := d.member(o, path[len(path)-1], "[]", make)
	if m == nil || err != nil {
		return nil, err
	}
	inner, ok := m.Value.Value.(*hujson.Array)
	if !ok {
		return nil, fmt.Errorf("%s is not a JSON list", name(path))
	}
	return &list{Array: inner, style: o.style.inside(o.many())}, nil
}

// member returns a member of an object. If it is missing, it is made with the value
// empty, or nil is returned.
func (d *document) member(o *object, key, empty string, make bool) (*hujson.ObjectMember, error) {
	m, err := o.member(key)
	if m != nil || err != nil || !make {
		return m, err
	}
	d.changed = true
	o.add(key, []byte(empty))
	return o.member(key)
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
