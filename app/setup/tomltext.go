package setup

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// statement is a key with its value, or the heading of a table.
type statement struct {
	kind            unstable.Kind
	path, table     []string // of itself, and of the table that it is in
	start, end      int      // of its lines
	value, valueEnd int
}

func statements(text []byte) ([]*statement, error) {
	var all []*statement
	var table []string
	off := 0
	if bytes.HasPrefix(text, bom) {
		off = len(bom)
	}
	data := text[off:]
	p := unstable.Parser{}
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		s := &statement{kind: e.Kind}
		first := -1
		var key []string
		for it := e.Key(); it.Next(); {
			n := it.Node()
			if first < 0 {
				first = int(n.Raw.Offset)
			}
			key = append(key, string(n.Data))
		}
		end := 0
		switch e.Kind {
		case unstable.KeyValue:
			first, end = int(e.Raw.Offset), int(e.Raw.Offset+e.Raw.Length)
			s.path, s.table = append(slices.Clone(table), key...), table
			s.valueEnd = end + off
			s.value = off + first + valueStart(data[first:end])
		case unstable.Table, unstable.ArrayTable:
			end = first
			table, s.path, s.table = key, key, key
		default:
			continue
		}
		s.start = off + bytes.LastIndexByte(data[:first], '\n') + 1
		if i := bytes.IndexByte(data[end:], '\n'); i >= 0 {
			s.end = off + end + i + 1
		} else {
			s.end = len(text)
		}
		all = append(all, s)
	}
	if p.Error() != nil {
		return nil, errors.New("it cannot be read as TOML")
	}
	return all, nil
}

// valueStart returns where the value of "key = value" begins.
func valueStart(raw []byte) int {
	quote := byte(0)
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quote == '"' && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '=':
			return i + 1 + len(raw[i+1:]) - len(bytes.TrimLeft(raw[i+1:], " \t"))
		}
	}
	return len(raw)
}

func splice(text []byte, from, to int, with string) []byte {
	return slices.Concat(text[:from], []byte(with), text[to:])
}

func newRow(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

func decodeTOML(text []byte) (map[string]any, error) {
	all := map[string]any{}
	if err := toml.Unmarshal(bytes.TrimPrefix(text, bom), &all); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			row, column := at.Position()
			return nil, fmt.Errorf("it cannot be read as TOML: line %d, column %d", row, column)
		}
		return nil, errors.New("it cannot be read as TOML")
	}
	return all, nil
}

func lookup(in any, path []string) any {
	for _, key := range path {
		m, ok := in.(map[string]any)
		if !ok {
			return nil
		}
		in = m[key]
	}
	return in
}

// put sets a value in a decoded text.
func put(in map[string]any, path []string, raw string) bool {
	for _, key := range path[:len(path)-1] {
		if in[key] == nil {
			in[key] = map[string]any{}
		}
		next, ok := in[key].(map[string]any)
		if !ok {
			return false
		}
		in = next
	}
	v, err := decodeTOML([]byte("v = " + raw))
	in[path[len(path)-1]] = v["v"]
	return err == nil
}

func sameTOML(have any, raw string) bool {
	v, err := decodeTOML([]byte("v = " + raw))
	return err == nil && have != nil && reflect.DeepEqual(have, v["v"])
}
