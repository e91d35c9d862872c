package setup

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// list is a list of a text, and how the text is laid out there.
type list struct {
	*hujson.Array
	style style
}

func (l *list) elements() []hujson.Value { return l.Elements }

func (l *list) addElement(raw []byte) {
	many := !l.style.line
	row := l.style.outer + l.style.unit
	inner := l.style
	if n := len(l.Elements); n > 0 {
		many = bytes.Contains(l.Elements[0].BeforeExtra, []byte("\n"))
		row = rowIndent(l.Elements[0].BeforeExtra, l.style)
		inner.line = !many
	}
	inner.outer = row
	v := hujson.Value{Value: parse(indent(raw, inner))}
	if n := len(l.Elements); n > 0 {
		v.BeforeExtra, v.AfterExtra, l.AfterExtra = l.style.join(&l.Elements[n-1], l.AfterExtra, many, row)
	} else {
		v.BeforeExtra, l.AfterExtra = l.style.open(l.AfterExtra, many, row)
	}
	l.Elements = append(l.Elements, v)
}

func (l *list) removeElements(ours func(hujson.Value) bool) (changed bool) {
	for i := 0; i < len(l.Elements); {
		if !ours(l.Elements[i]) {
			i++
			continue
		}
		changed = true
		gone := l.Elements[i]
		var prev, next *hujson.Value
		if i > 0 {
			prev = &l.Elements[i-1]
		}
		if i+1 < len(l.Elements) {
			next = &l.Elements[i+1]
		}
		l.AfterExtra = unjoin(prev, next, gone.BeforeExtra, gone.AfterExtra, l.AfterExtra)
		l.Elements = append(l.Elements[:i:i], l.Elements[i+1:]...)
	}
	return changed
}
