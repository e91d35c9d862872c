package copilot

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// members are the members of an object by their exact names. Decoding into a struct
// would take CONTENT for content, too.
type members map[string]json.RawMessage

func membersOf(data []byte) (members, bool) {
	var m members
	return m, json.Unmarshal(data, &m) == nil && m != nil
}

// without spells the object without some of its members, the others in the order of
// their names.
func (m members) without(names ...string) []byte {
	rest := maps.Clone(m)
	for _, name := range names {
		delete(rest, name)
	}
	var pairs []any
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		pairs = append(pairs, name, rest[name])
	}
	return object(pairs...)
}

// object spells an object of names and values, in turn.
func object(pairs ...any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, v := range pairs {
		if err := e.Encode(v); err != nil {
			panic(err) // texts, and what was JSON, can be spelled
		}
		b.Truncate(b.Len() - 1) // the line end
		if i%2 == 0 {
			b.WriteByte(':')
		} else if i+1 < len(pairs) {
			b.WriteByte(',')
		}
	}
	b.WriteByte('}')
	return b.Bytes()
}
