package hub

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// scanner reads the JSON that encoding/json writes for this package, several
// times as fast: no white space, no null, known fields only. Where it meets
// anything else, a field that it was not taught say, it gives up, and
// encoding/json reads the whole again. It checks no more than it has to: a
// record's checksum says who wrote it.
//
// Strings are cut from the one that is read, not copied.
type scanner struct {
	s   string
	bad bool
}

func (sc *scanner) fail() { sc.s, sc.bad = "", true }

// take takes one byte, which must be c.
func (sc *scanner) take(c byte) {
	if len(sc.s) == 0 || sc.s[0] != c {
		sc.fail()
		return
	}
	sc.s = sc.s[1:]
}

// more goes to the next member of a list or object that ends with end, and
// reports whether there is one; first is set before the first.
func (sc *scanner) more(end byte, first *bool) bool {
	switch {
	case len(sc.s) == 0:
		sc.fail()
		return false
	case sc.s[0] == end:
		sc.s = sc.s[1:]
		return false
	case !*first:
		sc.take(',')
	}
	*first = false
	return !sc.bad
}

// object calls field for every member, with the value next to be read.
func (sc *scanner) object(field func(name string)) {
	sc.take('{')
	for first := true; sc.more('}', &first); {
		name := sc.text()
		sc.take(':')
		field(name)
	}
}

// list calls item for every item, which is next to be read.
func (sc *scanner) list(item func()) {
	sc.take('[')
	for first := true; sc.more(']', &first); {
		item()
	}
}

func (sc *scanner) text() string {
	sc.take('"')
	end := strings.IndexByte(sc.s, '"')
	if end < 0 {
		sc.fail()
		return ""
	}
	s := sc.s[:end]
	if strings.IndexByte(s, '\\') >= 0 {
		return sc.escaped()
	}
	sc.s = sc.s[end+1:]
	return s
}

// escaped reads a string that has escapes, behind its opening quote.
func (sc *scanner) escaped() (s string) {
	for end := 0; end < len(sc.s); end++ {
		switch sc.s[end] {
		case '\\':
			end++
		case '"':
			if json.Unmarshal([]byte(`"`+sc.s[:end+1]), &s) != nil {
				sc.fail()
				return ""
			}
			sc.s = sc.s[end+1:]
			return s
		}
	}
	sc.fail()
	return ""
}

func (sc *scanner) texts() (all []string) {
	sc.list(func() { all = append(all, sc.text()) })
	return all
}

func (sc *scanner) bool() bool {
	if rest, ok := strings.CutPrefix(sc.s, "true"); ok {
		sc.s = rest
		return true
	}
	rest, ok := strings.CutPrefix(sc.s, "false")
	if sc.s = rest; !ok {
		sc.fail()
	}
	return false
}

func (sc *scanner) int() int {
	end := 0
	for end < len(sc.s) && (sc.s[end] == '-' || '0' <= sc.s[end] && sc.s[end] <= '9') {
		end++
	}
	n, err := strconv.Atoi(sc.s[:end])
	if err != nil {
		sc.fail()
		return 0
	}
	sc.s = sc.s[end:]
	return n
}

func (sc *scanner) time() (t time.Time) {
	if t.UnmarshalText([]byte(sc.text())) != nil {
		sc.fail()
	}
	return t
}
