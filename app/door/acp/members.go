package acp

import "encoding/json"

// members is a JSON object whose members keep their order.
type members []member

type member struct {
	name  string
	value any
}

// MarshalJSON spells the object.
func (m members) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, e := range m {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(e.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(e.value)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}
