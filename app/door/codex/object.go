package codex

import (
	"bytes"
	"encoding/json"
)

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && bytes.Equal(spell(x), spell(y))
}

// spell spells a value on one line.
func spell(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil // what was JSON can be spelled
	}
	return bytes.TrimSpace(b.Bytes())
}

// object is a JSON object in the order of its members.
type object struct{ buf bytes.Buffer }

func (o *object) add(name string, v any) { o.addRaw(name, spell(v)) }

// addRaw adds a member, unless there is none.
func (o *object) addRaw(name string, v json.RawMessage) bool {
	if len(v) == 0 || string(v) == "null" {
		return false
	}
	if o.buf.Len() > 0 {
		o.buf.WriteByte(',')
	}
	o.buf.Write(spell(name))
	o.buf.WriteByte(':')
	o.buf.Write(v)
	return true
}

func (o *object) bytes() []byte { return []byte("{" + o.buf.String() + "}") }
