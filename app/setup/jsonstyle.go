package setup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// style is how a text is laid out.
type style struct {
	line   bool   // all on one line
	colon  string // after a colon
	comma  string // after a comma on the same line
	newRow string // how a row ends
	unit   string // of indentation
	outer  string // the indentation of the object or list itself
}

// inside is the style of a value inside an object or list; many: that has its
// members on rows of their own.
func (s style) inside(many bool) style {
	if !many {
		s.line = true
	}
	s.outer += s.unit
	return s
}

func styleOf(text []byte, root *hujson.Value) style {
	s := style{colon: " ", comma: " ", newRow: "\n", unit: "  "}
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		s.newRow = "\r\n"
	}
	o := root.Value.(*hujson.Object)
	if len(o.Members) == 0 {
		return s
	}
	first := o.Members[0]
	if before := string(first.Name.BeforeExtra); strings.Contains(before, "\n") {
		if unit := before[strings.LastIndexByte(before, '\n')+1:]; unit != "" && strings.TrimLeft(unit, " \t") == "" {
			s.unit = unit
		}
	} else {
		s.line = true
		if len(first.Value.BeforeExtra) == 0 {
			s.colon = ""
		}
		if len(o.Members) > 1 && len(o.Members[1].Name.BeforeExtra) == 0 || len(o.Members) == 1 && s.colon == "" {
			s.comma = ""
		}
	}
	return s
}

// indent lays JSON out in a style.
func indent(raw []byte, s style) []byte {
	var b bytes.Buffer
	if !s.line {
		json.Indent(&b, raw, s.outer, s.unit) // it is ours
		return []byte(strings.ReplaceAll(b.String(), "\n", s.newRow))
	}
	return []byte(spaced(raw, s))
}

// spaced puts the blanks of a style into JSON on one line.
func spaced(raw []byte, s style) string {
	var b strings.Builder
	quoted, escaped := false, false
	for _, c := range raw {
		b.WriteByte(c)
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case !quoted && c == ':':
			b.WriteString(s.colon)
		case !quoted && c == ',':
			b.WriteString(s.comma)
		}
	}
	return b.String()
}

// object is an object of a text, and how the text is laid out there.
type object struct {
	*hujson.Object
	style style
}

// member returns the member with a name, or nil. A name that is there twice is an
// error: programs differ in which of the two counts.
func (o *object) member(name string) (*hujson.ObjectMember, error) {
	var found *hujson.ObjectMember
	for i := range o.Members {
		if l, ok := o.Members[i].Name.Value.(hujson.Literal); ok && l.String() == name {
			if found != nil {
				return nil, fmt.Errorf("%q is there twice; remove one of them", name)
			}
			found = &o.Members[i]
		}
	}
	return found, nil
}

// many reports whether new members get a row of their own.
func (o *object) many() bool {
	if len(o.Members) == 0 {
		return !o.style.line
	}
	return bytes.Contains(o.Members[0].Name.BeforeExtra, []byte("\n"))
}

// rowIndent is the indentation of the members, if each has its row.
func rowIndent(first hujson.Extra, s style) string {
	if i := bytes.LastIndexByte(first, '\n'); i >= 0 {
		if in := string(first[i+1:]); strings.TrimLeft(in, " \t") == "" {
			return in
		}
	}
	return s.outer + s.unit
}

func (o *object) add(name string, raw []byte) {
	many := o.many()
	key, _ := encode(name)
	m := hujson.ObjectMember{Name: hujson.Value{Value: hujson.Literal(key)}}
	inner := o.style.inside(many)
	row := o.style.outer + o.style.unit
	if len(o.Members) > 0 {
		row = rowIndent(o.Members[0].Name.BeforeExtra, o.style)
		inner.outer = row
	}
	m.Value = hujson.Value{BeforeExtra: hujson.Extra(o.style.colon), Value: parse(indent(raw, inner))}
	if n := len(o.Members); n > 0 {
		last := &o.Members[n-1].Value
		m.Name.BeforeExtra, m.Value.AfterExtra, o.AfterExtra = o.style.join(last, o.AfterExtra, many, row)
	} else {
		m.Name.BeforeExtra, o.AfterExtra = o.style.open(o.AfterExtra, many, row)
	}
	o.Members = append(o.Members, m)
}

// join puts a new value behind the last one: it returns what stands before the new
// one, what stands behind it if a comma follows, and what stands at the end.
func (s style) join(last *hujson.Value, end hujson.Extra, many bool, row string) (before, comma, rest hujson.Extra) {
	comma = nil
	if last.AfterExtra != nil {
		comma = hujson.Extra{} // the text has commas at the end
	} else {
		last.AfterExtra = hujson.Extra{}
	}
	kept := bytes.TrimRight(end, " \t\r\n")
	rest = end[len(kept):]
	if !many && len(kept) == 0 {
		return hujson.Extra(s.comma), comma, rest
	}
	if !bytes.Contains(rest, []byte("\n")) && many {
		rest = hujson.Extra(s.newRow + s.outer)
	}
	before = append(bytes.Clone(kept), s.newRow+row...)
	return before, comma, rest
}

// open is join for the first value.
func (s style) open(end hujson.Extra, many bool, row string) (before, rest hujson.Extra) {
	kept := bytes.TrimRight(end, " \t\r\n")
	if !many && len(kept) == 0 {
		return nil, end
	}
	rest = end[len(kept):]
	if !bytes.Contains(rest, []byte("\n")) {
		rest = hujson.Extra(s.newRow + s.outer)
	}
	return append(bytes.Clone(kept), s.newRow+row...), rest
}

func (o *object) remove(name string) {
	for i := range o.Members {
		if l, ok := o.Members[i].Name.Value.(hujson.Literal); !ok || l.String() != name {
			continue
		}
		gone := o.Members[i]
		var prev, next *hujson.Value
		if i > 0 {
			prev = &o.Members[i-1].Value
		}
		if i+1 < len(o.Members) {
			next = &o.Members[i+1].Name
		}
		o.AfterExtra = unjoin(prev, next, gone.Name.BeforeExtra, gone.Value.AfterExtra, o.AfterExtra)
		o.Members = append(o.Members[:i:i], o.Members[i+1:]...)
		return
	}
}

// unjoin closes the gap that a value leaves behind. Comments stay. It returns what
// stands at the end then.
func unjoin(prev, next *hujson.Value, before, after, end hujson.Extra) hujson.Extra {
	kept := bytes.Clone(bytes.TrimRight(before, " \t\r\n"))
	if c := bytes.TrimSpace(after); len(c) > 0 {
		kept = append(append(kept, ' '), c...)
	}
	switch {
	case next != nil && prev == nil && len(kept) == 0 && len(bytes.TrimSpace(next.BeforeExtra)) == 0:
		next.BeforeExtra = before // the first one stands where the first one stood
	case next != nil:
		next.BeforeExtra = follows(kept, next.BeforeExtra)
	case prev != nil && after == nil: // no comma at the end
		kept = append(bytes.Clone(prev.AfterExtra), kept...)
		prev.AfterExtra = nil
		return follows(kept, end)
	case prev != nil:
		if prev.AfterExtra == nil {
			prev.AfterExtra = hujson.Extra{}
		}
		return follows(kept, end)
	default:
		end = follows(kept, end)
		if len(bytes.TrimSpace(end)) == 0 {
			return nil
		}
	}
	return end
}

// follows puts what follows behind comments, of which the last may end with its row.
func follows(kept, rest hujson.Extra) hujson.Extra {
	if len(bytes.TrimSpace(kept)) == 0 {
		return rest
	}
	if !bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r"), []byte("\n")) {
		kept = append(kept, '\n')
	}
	return append(kept, rest...)
}
