package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"
)

var reasons = []error{
	ErrSyntax, ErrDuplicateKey, ErrTrailingData, ErrTooDeep, ErrTooMany, ErrTooLarge, ErrInvalidUTF8, ErrNUL, ErrNumberRange,
}

func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

func TestRefuse(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("k", 50)
	for _, c := range []struct {
		in     string
		reason error
		offset int
		path   string
	}{
		{`{"a":1,"a":2}`, ErrDuplicateKey, 7, "a"},
		{`{"a":1,"\u0061":2}`, ErrDuplicateKey, 7, "a"},
		{`{"\u0061":1,"b":0,"a":2}`, ErrDuplicateKey, 18, "a"},
		{`{"":1,"":2}`, ErrDuplicateKey, 6, `[""]`},
		{`{"questions":[{"header":"x"},{"header":"x","header":"y"}]}`, ErrDuplicateKey, 43, "questions[1].header"},
		{`{"a":1,"a":`, ErrDuplicateKey, 7, "a"}, // the first problem is the one reported
		{string(manyKeys(40, `,"k3":0}`)), ErrDuplicateKey, 311, "k3"},
		{string(manyKeys(40, `,"k39":0}`)), ErrDuplicateKey, 311, "k39"},
		{string(manyKeys(16, `,"k15":0}`)), ErrDuplicateKey, 119, "k15"},

		{`{"answer":"a"}{"answer":"b"}`, ErrTrailingData, 14, ""},
		{`[1] x`, ErrTrailingData, 4, ""},
		{`{}}`, ErrTrailingData, 2, ""},
		{`null,`, ErrTrailingData, 4, ""},
		{"1\x00", ErrTrailingData, 1, ""},

		{"[" + strings.Repeat("0,", 20_000), ErrTooMany, 39_999, "[19999]"},
		{nested(33), ErrTooDeep, 32, strings.Repeat("[0]", 32)},
		{strings.Repeat(`{"a":`, 33), ErrTooDeep, 160, strings.Repeat("a.", 31) + "a"},
		{`{"kind":` + strings.Repeat("[", 9000), ErrTooDeep, 39, "kind" + strings.Repeat("[0]", 31)},

		{"{\"answer\":\"a\xffb\"}", ErrInvalidUTF8, 12, "answer"},
		{"[\"\xc0\xaf\"]", ErrInvalidUTF8, 2, "[0]"},         // overlong
		{"[\"\xed\xa0\x80\"]", ErrInvalidUTF8, 2, "[0]"},     // a surrogate in UTF-8
		{"[\"\xf4\x90\x80\x80\"]", ErrInvalidUTF8, 2, "[0]"}, // above U+10FFFF
		{"[\"ok \xe2\x82\"]", ErrInvalidUTF8, 5, "[0]"},      // cut short
		{"{\"a\":1,\"b\xff\":2}", ErrInvalidUTF8, 9, ""},     // in a key
		{"[\xff]", ErrInvalidUTF8, 1, "[0]"},                 // outside a string
		{"[1 \xff]", ErrInvalidUTF8, 3, ""},                  // instead of a comma
		{"\xff\xfe[\x00]\x00", ErrInvalidUTF8, 0, ""},        // UTF-16

		{`{"answer":"\ud800x"}`, ErrInvalidUTF8, 11, "answer"}, // half pairs
		{`{"answer":"x\udc00"}`, ErrInvalidUTF8, 12, "answer"},
		{`["\ud800\ud800"]`, ErrInvalidUTF8, 2, "[0]"},
		{`["\uD800\u0061"]`, ErrInvalidUTF8, 2, "[0]"},
		{`["\ud800\n"]`, ErrInvalidUTF8, 2, "[0]"},
		{`["\udc00\ud800"]`, ErrInvalidUTF8, 2, "[0]"},
		{`["\ud83d\ude00\ud83d"]`, ErrInvalidUTF8, 14, "[0]"},
		{`{"a\ud800":1}`, ErrInvalidUTF8, 3, ""},

		{`{"answer":"a\u0000b"}`, ErrNUL, 12, "answer"},
		{`{"answer\u0000":"a"}`, ErrNUL, 8, ""}, // S17: a NUL suffix on a key
		{"[\"a\x00\"]", ErrNUL, 3, "[0]"},

		{"\ufeff{}", ErrSyntax, 0, ""}, // byte order mark
		{"{\ufeff}", ErrSyntax, 1, ""},
		{"", ErrSyntax, 0, ""},
		{" \n\t\r", ErrSyntax, 4, ""},

		{"[1e999]", ErrNumberRange, 1, "[0]"},
		{"-1E+400", ErrNumberRange, 0, ""},
		{strings.Repeat("9", 310), ErrNumberRange, 0, ""},

		{`{"a":1,}`, ErrSyntax, 7, ""},
		{`[1,]`, ErrSyntax, 3, ""},
		{`{"a":[1,2}`, ErrSyntax, 9, "a"},
		{`{"a" 1}`, ErrSyntax, 5, "a"},
		{`{"a":}`, ErrSyntax, 5, "a"},
		{`{a:1}`, ErrSyntax, 1, ""},
		{`{"questions":[{"options":[{},{},{"label":'x'}]}]}`, ErrSyntax, 41, "questions[0].options[2].label"},
		{`{"questions":[{"options":[{},{},{"label":"x`, ErrSyntax, 43, "questions[0].options[2].label"},
		{"{\"a\":\"x\ny\"}", ErrSyntax, 7, "a"},
		{`{"é":x}`, ErrSyntax, 6, `["\u00e9"]`},
		{`{"we.ird":{"a b":[x]}}`, ErrSyntax, 18, `["we.ird"]["a b"][0]`},
		{"{\"\u202e\\u001b\":x}", ErrSyntax, 13, `["\u202e\x1b"]`},
		{`{"` + long + `":x}`, ErrSyntax, 54, `["` + long[:40] + `..."]`},
	} {
		v, err := Parse([]byte(c.in))
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%.60q: got %v, want an *Error", c.in, err)
			continue
		}
		for _, r := range reasons {
			if errors.Is(err, r) != (r == c.reason) {
				t.Errorf("%.60q: refused with %v, want only %q", c.in, err, c.reason)
			}
		}
		if e.Offset != c.offset || e.Path != c.path {
			t.Errorf("%.60q: refused at %d %s, want %d %s", c.in, e.Offset, e.Path, c.offset, c.path)
		}
		if v != (Value{}) {
			t.Errorf("%.60q: a refusal came with a value", c.in)
		}
	}
}

// The sentences are read by models: each says what is wrong and what to do.
func TestErrorText(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"q":[{"header":"x","header":"y"}]}`:  `a key appears twice in one object: send "header" only once (at q[0].header, byte 20)`,
		`{} {}`:                                `text follows the end of the JSON value: send one value and nothing after it (at byte 3)`,
		nested(33):                             `the JSON is nested too deeply: at most 32 levels of arrays and objects are allowed (at ` + strings.Repeat("[0]", 32) + `, byte 32)`,
		"[\"\xff\"]":                           `the text is not valid UTF-8: replace the byte 0xff (at [0], byte 2)`,
		`["\ud83d"]`:                           `the text is not valid UTF-8: \ud83d is half of a surrogate pair; write the character itself or both halves (at [0], byte 2)`,
		`["\u0000"]`:                           `a string contains U+0000: remove it (at [0], byte 2)`,
		`[1e999]`:                              `a number is out of range: send a smaller one, or send it as a string (at [0], byte 1)`,
		"\ufeff{}":                             `the JSON is not valid: it begins with a byte order mark; remove it (at byte 0)`,
		``:                                     `the JSON is not valid: the input is empty; send one value (at byte 0)`,
		`{"a":`:                                `the JSON is not valid: it ends where a value was expected; send it whole (at a, byte 5)`,
		`{"a":"b`:                              `the JSON is not valid: it ends inside a string; close the string with a double quote and send it whole (at a, byte 7)`,
		`{"a":"b\`:                             `the JSON is not valid: it ends inside an escape; send it whole (at a, byte 7)`,
		`{'a':1}`:                              `the JSON is not valid: expected a key in double quotes, found '\''; write strings and keys in straight double quotes (at byte 1)`,
		`{"a":“x”}`:                            `the JSON is not valid: expected a value, found '\u201c'; write strings and keys in straight double quotes (at a, byte 5)`,
		`{"a":True}`:                           `the JSON is not valid: expected a value, found 'T'; the only bare words are true, false and null (at a, byte 5)`,
		`{"a":1 // one`:                        `the JSON is not valid: expected a comma or }, found '/'; remove comments (at byte 7)`,
		`[1 2]`:                                `the JSON is not valid: expected a comma or ], found '2' (at byte 3)`,
		`{"a";1}`:                              `the JSON is not valid: expected a colon, found ';' (at a, byte 4)`,
		`[1,]`:                                 `the JSON is not valid: remove the comma before ] (at byte 3)`,
		`{"a":1,}`:                             `the JSON is not valid: remove the comma before } (at byte 7)`,
		"[\"a\nb\"]":                           `the JSON is not valid: a string cannot hold a line break; write it as \n (at [0], byte 3)`,
		"[\"a\x1bb\"]":                         `the JSON is not valid: a string cannot hold the control character 0x1b; write it as \u001b (at [0], byte 3)`,
		`["C:\dir"]`:                           `the JSON is not valid: a string holds an unknown escape; write a backslash itself as \\ (at [0], byte 4)`,
		`["\u12g4"]`:                           `the JSON is not valid: \u needs four hexadecimal digits (at [0], byte 2)`,
		`[007]`:                                `the JSON is not valid: a number cannot begin with 0; remove the zero or send a string (at [0], byte 1)`,
		`[1.]`:                                 `the JSON is not valid: expected a digit, found ']' (at [0], byte 3)`,
		strings.Repeat("x", DefaultMaxBytes+1): `the JSON is too large: it has 1048577 bytes and at most 1048576 are allowed (at byte 1048576)`,
	} {
		if _, err := Parse([]byte(in)); err == nil || err.Error() != want {
			t.Errorf("%.60q:\n got %v\nwant %s", in, err, want)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	full := []byte(`"` + strings.Repeat("x", DefaultMaxBytes-2) + `"`)
	for _, c := range []struct {
		name   string
		in     []byte
		limits *Limits
		want   error
	}{
		{"full size", full, nil, nil},
		{"one byte more", append(full, ' '), nil, ErrTooLarge},
		{"one byte more, raised", append(full, ' '), &Limits{MaxBytes: DefaultMaxBytes + 1}, nil},
		{"lowered size", []byte(`[1]`), &Limits{MaxBytes: 2}, ErrTooLarge},
		{"full depth", []byte(nested(32)), nil, nil},
		{"siblings do not add up", []byte("[" + nested(31) + "," + nested(31) + "]"), nil, nil},
		{"raised depth", []byte(nested(1000)), &Limits{MaxDepth: 1000}, nil},
		{"raised depth passed", []byte(nested(1001)), &Limits{MaxDepth: 1000}, ErrTooDeep},
		{"lowered depth", []byte(`[[]]`), &Limits{MaxDepth: 1}, ErrTooDeep},
		{"zero means default", []byte(nested(33)), &Limits{}, ErrTooDeep},
	} {
		if _, err := ParseWith(c.in, c.limits); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
}

// S19: refusing is cheap, however large the input. Where the parser stopped shows
// how far it went; what it allocated shows that it prepared for nothing more.
func TestRefuseCheaply(t *testing.T) {
	for _, c := range []struct {
		name   string
		in     []byte
		offset int
		bytes  uint64
	}{
		{"oversized", make([]byte, 64<<20), DefaultMaxBytes, 64 << 10}, // the runtime allocates a little on its own
		{"deep", bytes.Repeat([]byte("["), DefaultMaxBytes), DefaultMaxDepth, 2 << 20},
		{"deep objects", bytes.Repeat([]byte(`{"a":`), DefaultMaxBytes/5), 5 * DefaultMaxDepth, 2 << 20},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Parse(c.in)
		runtime.ReadMemStats(&after)
		var e *Error
		if !errors.As(err, &e) || e.Offset != c.offset {
			t.Errorf("%s: got %v, want a refusal at %d", c.name, err, c.offset)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > c.bytes {
			t.Errorf("%s: allocated %d bytes, want at most %d", c.name, got, c.bytes)
		}
	}
}

// Looking for duplicates among very many keys must not cost quadratic time: that
// takes some hundred times as long as encoding/json, linear time about as long. A
// busy machine may slow down either, so the best of some runs counts.
func TestManyKeysTakeLinearTime(t *testing.T) {
	data := manyKeys(90_000, "}")
	var got, reference time.Duration
	for range 5 {
		start := time.Now()
		var want map[string]any
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		reference = max(reference, time.Since(start))
		start = time.Now()
		v, err := ParseWith(data, &Limits{MaxValues: 100_000})
		if err != nil || v.Len() != 90_000 {
			t.Fatal(v.Len(), err)
		}
		if took := time.Since(start); got == 0 || took < got {
			got = took
		}
		if got <= 10*reference+time.Second {
			return
		}
	}
	t.Errorf("took %v, encoding/json %v", got, reference)
}
