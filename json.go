package sayso

import "github.com/saysohq/sayso/internal/strictjson"

// CheckJSON reports what keeps data from being one JSON value that every reader
// understands the same way: duplicate keys, trailing data, invalid UTF-8, U+0000,
// a byte order mark, more than 32 levels, 20,000 values or 1 MiB. What it passes,
// encoding/json decodes with the same meaning.
//
// It is the gate for bytes from a network. The error is one sentence, names the
// place, is printable ASCII and never repeats more of the input than a name.
func CheckJSON(data []byte) error {
	_, err := strictjson.Parse(data)
	return err
}

// ReadJSON is CheckJSON, and returns the value as encoding/json decodes it into
// an any.
func ReadJSON(data []byte) (any, error) {
	v, err := strictjson.Parse(data)
	if err != nil {
		return nil, err
	}
	return v.Any(), nil
}
