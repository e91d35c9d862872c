package strictjson

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// The reasons for a refusal, for use with errors.Is.
var (
	// ErrSyntax covers everything the JSON grammar forbids, empty input and a byte order mark.
	ErrSyntax = errors.New("the JSON is not valid")
	// ErrDuplicateKey reports a key that an object already has, compared after unescaping.
	ErrDuplicateKey = errors.New("a key appears twice in one object")
	// ErrTrailingData reports anything but white space after the value.
	ErrTrailingData = errors.New("text follows the end of the JSON value")
	// ErrTooDeep reports arrays and objects nested beyond the limit.
	ErrTooDeep = errors.New("the JSON is nested too deeply")
	// ErrTooMany reports more values than the limit.
	ErrTooMany = errors.New("the JSON holds too many values")
	// ErrTooLarge reports an input beyond the limit.
	ErrTooLarge = errors.New("the JSON is too large")
	// ErrInvalidUTF8 reports bytes that are not UTF-8, and \u escapes of half a surrogate pair.
	ErrInvalidUTF8 = errors.New("the text is not valid UTF-8")
	// ErrNUL reports U+0000 in a string or key, escaped or not.
	ErrNUL = errors.New("a string contains U+0000")
	// ErrNumberRange reports a number beyond the range of a 64-bit float.
	ErrNumberRange = errors.New("a number is out of range")
)

// Error says where and why an input was refused. Its texts are printable ASCII
// and of bounded length whatever the input holds, so they can be shown anywhere.
type Error struct {
	Offset int    // bytes before the place of the problem
	Path   string // value that holds the problem, as in questions[0].options[2].label; empty for the whole input
	Err    error  // wraps one of the Err variables; its text is a full sentence without the place
}

// Error returns the sentence and the place.
func (e *Error) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%v (at byte %d)", e.Err, e.Offset)
	}
	return fmt.Sprintf("%v (at %s, byte %d)", e.Err, e.Path, e.Offset)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

func refuse(offset int, reason error, advice string, args ...any) *Error {
	return &Error{Offset: offset, Err: fmt.Errorf("%w: %s", reason, fmt.Sprintf(advice, args...))}
}

// inElement and inMember put one more step in front of the path. Only a failing
// parse pays for paths: they are built while the calls return.
func (e *Error) inElement(i int) *Error { return e.under("[" + strconv.Itoa(i) + "]") }

func (e *Error) inMember(name string) *Error {
	if !plainName(name) {
		return e.under("[" + quote(name) + "]")
	}
	return e.under(name)
}

func (e *Error) under(step string) *Error {
	if e.Path != "" && e.Path[0] != '[' {
		step += "."
	}
	e.Path = step + e.Path
	return e
}

// maxQuoted bounds, in runes, what an error repeats of the input.
const maxQuoted = 40

// plainName reports whether name can stand in a path without quotes.
func plainName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && c != '-' && c != '$' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return name != "" && len(name) <= maxQuoted
}

// quote writes s in printable ASCII, cut if it is long.
func quote(s string) string {
	end := 0
	for range maxQuoted {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	if end < len(s) {
		return strconv.QuoteToASCII(s[:end] + "...")
	}
	return strconv.QuoteToASCII(s)
}
