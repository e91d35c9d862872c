package setup

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A TOMLEdit is one change to a TOML text.
type TOMLEdit func(text []byte) ([]byte, error)

// EditTOML makes changes to a TOML text. Every other byte stays. If nothing is to
// change, the text is returned as it is.
func EditTOML(text []byte, edits ...TOMLEdit) ([]byte, error) {
	if _, err := decodeTOML(text); err != nil {
		return nil, err
	}
	var err error
	for _, edit := range edits {
		if text, err = edit(text); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// SetTOML sets a key of a table, which is added at the end if it is missing. A table
// of no names is the one that the text begins with. A value that means the same stays
// as it is written.
func SetTOML(value any, table []string, key string) TOMLEdit {
	return func(text []byte) ([]byte, error) {
		raw, err := tomlValue(value)
		if err != nil {
			return nil, err
		}
		path := append(slices.Clone(table), key)
		before, err := decodeTOML(text)
		if err != nil {
			return nil, err
		}
		if sameTOML(lookup(before, path), raw) {
			return text, nil
		}
		out, err := setTOML(text, table, key, raw)
		if err != nil {
			return nil, err
		}
		// The text may define the table in a way that allows no addition.
		after, err := decodeTOML(out)
		if err != nil || !put(before, path, raw) || !reflect.DeepEqual(before, after) {
			return nil, fmt.Errorf("%s cannot be added to what is there; write it by hand: %s = %s", name(path), name(path), raw)
		}
		return out, nil
	}
}

func setTOML(text []byte, table []string, key, raw string) ([]byte, error) {
	all, err := statements(text)
	if err != nil {
		return nil, err
	}
	row := newRow(text)
	path := append(slices.Clone(table), key)
	at := -1 // where a new key goes
	if len(table) == 0 {
		at = 0
		if bytes.HasPrefix(text, bom) {
			at = len(bom)
		}
	}
	for _, s := range all {
		switch {
		case s.kind == unstable.KeyValue && slices.Equal(s.path, path):
			return splice(text, s.value, s.valueEnd, raw), nil
		case s.kind == unstable.Table && slices.Equal(s.path, table),
			s.kind == unstable.KeyValue && slices.Equal(s.table, table) && (at >= 0 || len(table) == 0):
			at = s.end
		}
	}
	line := tomlKey(key) + " = " + raw + row
	if at >= 0 {
		if at > 0 && text[at-1] != '\n' && !bytes.Equal(text[:at], bom) {
			line = row + line
		}
		if rest := text[at:]; at == 0 && len(rest) > 0 && rest[0] == '[' {
			line += row
		}
		return splice(text, at, at, line), nil
	}
	var b strings.Builder
	if len(text) > 0 && text[len(text)-1] != '\n' {
		b.WriteString(row)
	}
	if len(bytes.TrimSpace(text)) > 0 {
		b.WriteString(row)
	}
	b.WriteString("[" + tomlPath(table) + "]" + row + line)
	return append(bytes.Clone(text), b.String()...), nil
}

// RemoveTOML removes a table and the tables below it.
func RemoveTOML(table ...string) TOMLEdit {
	return func(text []byte) ([]byte, error) {
		return removeTOML(text, func(s *statement) bool {
			return len(s.path) >= len(table) && slices.Equal(s.path[:len(table)], table)
		})
	}
}

// RemoveTOMLKey removes a key of a table, and the table if it is empty then.
func RemoveTOMLKey(table []string, key string) TOMLEdit {
	return func(text []byte) ([]byte, error) {
		all, err := statements(text)
		if err != nil {
			return nil, err
		}
		path := append(slices.Clone(table), key)
		found, others := false, false
		for _, s := range all {
			if s.kind == unstable.KeyValue && slices.Equal(s.path, path) {
				found = true
			} else if len(s.path) > len(table) && slices.Equal(s.path[:len(table)], table) {
				others = true
			}
		}
		if !found {
			return text, nil
		}
		return removeTOML(text, func(s *statement) bool {
			return s.kind == unstable.KeyValue && slices.Equal(s.path, path) ||
				s.kind == unstable.Table && len(table) > 0 && !others && slices.Equal(s.path, table)
		})
	}
}

// removeTOML removes statements, and the blank line that stands before a table.
func removeTOML(text []byte, gone func(*statement) bool) ([]byte, error) {
	all, err := statements(text)
	if err != nil {
		return nil, err
	}
	out := bytes.Clone(text)
	for _, s := range slices.Backward(all) {
		if !gone(s) {
			continue
		}
		start := s.start
		if s.kind != unstable.KeyValue && start > 0 {
			if i := bytes.LastIndexByte(out[:start-1], '\n') + 1; len(bytes.TrimSpace(out[i:start])) == 0 {
				start = i
			}
		}
		out = append(out[:start:start], out[s.end:]...)
	}
	return out, nil
}

// GetTOML returns the value at a path of a TOML text, or nil.
func GetTOML(text []byte, path ...string) (any, error) {
	all, err := decodeTOML(text)
	if err != nil {
		return nil, err
	}
	return lookup(all, path), nil
}

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
