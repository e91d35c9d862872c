package claude

import (
	"bytes"
	"encoding/json"
)

// spell writes a value as JSON on one line.
func spell(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // strings and numbers can be spelled
	}
	return bytes.TrimSpace(b.Bytes())
}
