package strictjson

import (
	"iter"
	"strconv"
	"strings"
)

// Kind is the JSON type of a [Value].
type Kind uint8

// The JSON types. Null is also the kind of the zero Value.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String returns the JSON name of k, for use in messages.
func (k Kind) String() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object"}[k]
}

// Value is one value of a parsed input. It is immutable, cheap to copy, and safe
// for concurrent use. Accessors of another kind than the value's own return the
// zero value, so a reader checks Kind only where the difference matters.
//
// All strings of an input share one copy of it: whoever keeps a short string from
// a long input for long should strings.Clone it.
type Value struct {
	d *document
	n *node
}

// document is what all values of one input share. The nodes hold no pointers, and
// the children of one array or object lie side by side, so Index costs nothing.
type document struct {
	src   string          // the input
	text  strings.Builder // the strings that had escapes, decoded, one after the other
	nodes []node
}

// node is one value, and its name where it is a member of an object.
type node struct {
	raw  span
	name span
	body span // String: its text. Array, Object: its children in nodes. Bool: to is 1 for true.
	kind Kind
}

// span is a half-open range of offsets that count through the input first and
// through the decoded text after it.
type span struct{ from, to uint32 }

func (d *document) at(s span) string {
	from, to := int(s.from), int(s.to)
	if n := len(d.src); from >= n {
		return d.text.String()[from-n : to-n]
	}
	return d.src[from:to]
}

// Kind returns the JSON type of v.
func (v Value) Kind() Kind {
	if v.n == nil {
		return Null
	}
	return v.n.kind
}

// Str returns the text of a String.
func (v Value) Str() string {
	if v.Kind() != String {
		return ""
	}
	return v.d.at(v.n.body)
}

// Bool returns the value of a Bool.
func (v Value) Bool() bool { return v.Kind() == Bool && v.n.body.to == 1 }

// Num returns the literal of a Number as it was written. It fits a float64.
func (v Value) Num() string {
	if v.Kind() != Number {
		return ""
	}
	return v.Raw()
}

// Raw returns the value exactly as it was written, without surrounding white
// space; empty for the zero Value.
func (v Value) Raw() string {
	if v.n == nil {
		return ""
	}
	return v.d.src[v.n.raw.from:v.n.raw.to]
}

// Len returns the number of elements of an Array or members of an Object.
func (v Value) Len() int { return len(v.children()) }

// Index returns the i-th element of an Array, or the value of the i-th member of
// an Object, in source order. Like a slice, it panics if i is out of range.
func (v Value) Index(i int) Value { return Value{v.d, &v.children()[i]} }

// Name returns the name of the i-th member of an Object; it is empty for the
// elements of an Array. Like a slice, it panics if i is out of range.
func (v Value) Name(i int) string { return v.d.at(v.children()[i].name) }

// Get returns the member of an Object with exactly this name.
func (v Value) Get(name string) (Value, bool) {
	if v.Kind() != Object {
		return Value{}, false
	}
	children := v.children()
	for i := range children {
		if n := &children[i]; v.d.at(n.name) == name {
			return Value{v.d, n}, true
		}
	}
	return Value{}, false
}

// Members yields the members of an Object in source order.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.Kind() != Object {
			return
		}
		children := v.children()
		for i := range children {
			n := &children[i]
			if !yield(v.d.at(n.name), Value{v.d, n}) {
				return
			}
		}
	}
}

// Any returns the value as encoding/json would decode it into an any: nil, bool,
// float64, string, []any or map[string]any.
func (v Value) Any() any {
	switch v.Kind() {
	case Bool:
		return v.Bool()
	case Number:
		f, _ := strconv.ParseFloat(v.Raw(), 64) // Parse has refused what does not fit
		return f
	case String:
		return v.Str()
	case Array:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = v.Index(i).Any()
		}
		return list
	case Object:
		m := make(map[string]any, v.Len())
		for name, member := range v.Members() {
			m[name] = member.Any()
		}
		return m
	default:
		return nil
	}
}

func (v Value) children() []node {
	if k := v.Kind(); k != Array && k != Object {
		return nil
	}
	return v.d.nodes[v.n.body.from:v.n.body.to]
}
