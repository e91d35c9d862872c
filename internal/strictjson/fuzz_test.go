package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

var (
	surrogateEscape   = regexp.MustCompile(`(?i)\\ud[89a-f]`)
	replacementEscape = regexp.MustCompile(`(?i)\\ufffd`)
)

// FuzzParse compares with encoding/json both ways. What Parse accepts,
// encoding/json accepts with the same meaning, and nothing listed as a reason is in
// it; what Parse refuses, encoding/json refuses too, or the reason given is true.
func FuzzParse(f *testing.F) {
	for _, in := range wellFormed {
		f.Add([]byte(in))
	}
	for _, in := range malformed {
		f.Add([]byte(in))
	}
	for _, p := range payloads {
		f.Add(p.data)
	}
	f.Add([]byte(`{"a":1,"\u0061":[{"b":"\ud800"},{"b":"\u0000"}]}`))
	f.Add([]byte(nested(33)))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Parse(data)
		var want any
		wantErr := json.Unmarshal(data, &want)
		facts := survey(data)
		if err != nil {
			checkRefusal(t, data, err, wantErr == nil, facts)
			return
		}
		if wantErr != nil {
			t.Fatalf("accepted, encoding/json says %v", wantErr)
		}
		if got := v.Any(); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %#v, want %#v", got, want)
		}
		if facts.duplicate || facts.depth > DefaultMaxDepth || facts.nul || !utf8.Valid(data) || len(data) > DefaultMaxBytes {
			t.Fatalf("accepted in spite of %+v", facts)
		}
		// encoding/json makes U+FFFD of half a surrogate pair.
		written := bytes.Count(data, []byte("\ufffd")) + len(replacementEscape.FindAll(data, -1))
		if facts.replacements > written {
			t.Fatalf("%d U+FFFD decoded, %d written", facts.replacements, written)
		}
		if v.Raw() != strings.Trim(string(data), " \t\r\n") {
			t.Fatalf("raw %q", v.Raw())
		}
		checkTree(t, v)
	})
}

// checkTree holds the accessors against each other all the way down.
func checkTree(t *testing.T, v Value) {
	again, err := Parse([]byte(v.Raw()))
	if err != nil || !reflect.DeepEqual(again.Any(), v.Any()) {
		t.Fatalf("raw %q does not parse to the value: %v", v.Raw(), err)
	}
	i := 0
	for name, member := range v.Members() {
		if got, ok := v.Get(name); !ok || got != member || v.Index(i) != member {
			t.Fatalf("Get(%q), Index(%d) and Members differ", name, i)
		}
		i++
	}
	for i := range v.Len() {
		checkTree(t, v.Index(i))
	}
}

func checkRefusal(t *testing.T, data []byte, err error, accepted bool, facts facts) {
	var e *Error
	if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(data) {
		t.Fatalf("bad error %#v", err)
	}
	for _, c := range []byte(err.Error()) {
		if c < ' ' || c > '~' {
			t.Fatalf("the error text %q is not printable ASCII", err)
		}
	}
	if len(err.Error()) > 16<<10 {
		t.Fatalf("the error text has %d bytes", len(err.Error()))
	}
	var justified bool
	switch {
	case errors.Is(err, ErrDuplicateKey):
		justified = facts.duplicate
	case errors.Is(err, ErrTooDeep):
		justified = facts.depth > DefaultMaxDepth
	case errors.Is(err, ErrTooMany):
		justified = len(data) > DefaultMaxValues // a value has at least one byte
	case errors.Is(err, ErrTooLarge):
		justified = len(data) > DefaultMaxBytes
	case errors.Is(err, ErrNUL):
		justified = facts.nul
	case errors.Is(err, ErrInvalidUTF8):
		justified = !utf8.Valid(data) || surrogateEscape.Match(data)
	}
	if accepted && !justified {
		t.Fatalf("encoding/json accepts what was refused with %v; %+v", err, facts)
	}
}

// facts is what an input holds, found by means of encoding/json's tokens.
type facts struct {
	depth, replacements int
	duplicate, nul      bool
}

func survey(data []byte) (f facts) {
	type frame struct {
		object, value bool // value: a value comes next, not a key
		seen          map[string]bool
	}
	var stack []frame
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return f
		}
		top := &frame{}
		if len(stack) > 0 {
			top = &stack[len(stack)-1]
		}
		if s, ok := token.(string); ok {
			f.nul = f.nul || strings.ContainsRune(s, 0)
			f.replacements += strings.Count(s, "\ufffd")
			if top.object && !top.value {
				f.duplicate = f.duplicate || top.seen[s]
				top.seen[s] = true
				top.value = true
				continue
			}
		}
		top.value = false
		switch token {
		case json.Delim('{'), json.Delim('['):
			stack = append(stack, frame{object: token == json.Delim('{'), seen: map[string]bool{}})
			f.depth = max(f.depth, len(stack))
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:len(stack)-1]
		}
	}
}
