package setup

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

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
