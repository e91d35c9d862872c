package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// object is a JSON object that keeps the order of its members, and everything in
// them as it was spelled.
type object []member

type member struct {
	name  string
	value json.RawMessage
}

func (o *object) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	first, err := d.Token()
	if err != nil {
		return err
	}
	if first != json.Delim('{') {
		return errors.New("it is not an object")
	}
	*o = nil
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		if o.index(name.(string)) >= 0 {
			return errors.New("it has a name twice")
		}
		*o = append(*o, member{name.(string), value})
	}
	return nil
}

func (o *object) index(name string) int {
	return slices.IndexFunc(*o, func(m member) bool { return m.name == name })
}

// get returns the value of a member, or nil.
func (o *object) get(name string) json.RawMessage {
	if i := o.index(name); i >= 0 {
		return (*o)[i].value
	}
	return nil
}

func (o *object) set(name string, value json.RawMessage) {
	if i := o.index(name); i >= 0 {
		(*o)[i].value = value
		return
	}
	*o = append(*o, member{name, value})
}

func (o *object) remove(name string) {
	if i := o.index(name); i >= 0 {
		*o = slices.Delete(*o, i, i+1)
	}
}

func (o *object) names() []string {
	var names []string
	for _, m := range *o {
		names = append(names, m.name)
	}
	return names
}

// spell returns the object on one line.
func (o *object) spell() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range *o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(spell(m.name))
		b.WriteByte(':')
		json.Compact(&b, m.value) // it was read as JSON, or spelled here
	}
	b.WriteByte('}')
	return b.Bytes()
}

// readList reads an array; nil is an empty one.
func readList(data json.RawMessage) ([]json.RawMessage, error) {
	if data == nil {
		return nil, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, errors.New("it is not a list")
	}
	return list, nil
}

func spellList(list []json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, v := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		json.Compact(&b, v)
	}
	b.WriteByte(']')
	return b.Bytes()
}

// spell spells a value of the door's own.
func spell(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // strings and numbers can be spelled
	}
	return bytes.TrimSpace(b.Bytes())
}
