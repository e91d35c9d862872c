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

// CheckLargeJSON is CheckJSON for data that may have up to the given number of bytes,
// and any number of values: the input of a tool that writes a large file, say.
func CheckLargeJSON(data []byte, maxBytes int) error {
	_, err := strictjson.ParseWith(data, &strictjson.Limits{MaxBytes: maxBytes, MaxValues: len(data) + 1})
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

// JSON is one JSON value that was read once, as strictly as [CheckJSON] does. It is
// immutable and cheap to copy; all strings of an input share one copy of it. The
// zero value is null.
//
// Programs that read bytes from a network into types of their own walk it instead of
// reading the bytes a second time.
type JSON struct{ v strictjson.Value }

// ParseJSON is CheckJSON, and returns the value.
func ParseJSON(data []byte) (JSON, error) {
	v, err := strictjson.Parse(data)
	return JSON{v}, err
}

// Kind returns null, boolean, number, string, array or object.
func (j JSON) Kind() string { return j.v.Kind().String() }

// Str returns the text of a string, and "" for other kinds.
func (j JSON) Str() string { return j.v.Str() }

// Bool returns the value of a boolean, and false for other kinds.
func (j JSON) Bool() bool { return j.v.Bool() }

// Raw returns the value as it was written, without white space around it.
func (j JSON) Raw() string { return j.v.Raw() }

// Any returns the value as encoding/json decodes it into an any.
func (j JSON) Any() any { return j.v.Any() }

// Len returns how many elements an array or members an object has.
func (j JSON) Len() int { return j.v.Len() }

// Index returns an element of an array, or the value of a member of an object, in
// the order in which they were written. It panics if there is none.
func (j JSON) Index(i int) JSON { return JSON{j.v.Index(i)} }

// Name returns the name of a member of an object. It panics if there is none.
func (j JSON) Name(i int) string { return j.v.Name(i) }
