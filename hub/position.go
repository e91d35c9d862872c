package hub

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Resumable is how long a store can tell what changed behind a position.
const Resumable = 10 * time.Minute

// ErrPosition says that a store cannot tell what changed behind a position: it is
// too old, or of another store. List without it.
var ErrPosition = errors.New("hub: the position cannot be resumed")

// Position says how far a reader of a store has come: it knows all that was stored
// up to a revision in each part of the store. Anybody with the same store can go on
// from it.
type Position struct {
	Store string         // names the store, so that no other takes its positions
	At    time.Time      // when the reader was there, to the second
	Parts map[int]uint64 // the newest revision that is known, by part; a part that is missing is not known at all
}

// Fresh reports whether the position is of the store of that name and young enough
// to be resumed.
func (p *Position) Fresh(store string, now time.Time) bool {
	age := now.Sub(p.At)
	return p.Store == store && age < Resumable && age > -Resumable
}

// mark is one change: a revision in a part of the store.
type mark struct {
	revision uint64
	part     int
}

func (m mark) compare(n mark) int {
	return cmp.Or(cmp.Compare(m.part, n.part), cmp.Compare(m.revision, n.revision))
}

// append spells the mark as PART.REVISION.
func (m mark) append(b []byte) []byte {
	return strconv.AppendUint(append(strconv.AppendInt(b, int64(m.part), 36), '.'), m.revision, 36)
}

func parseMark(word string) (m mark, ok bool) {
	a, b, _ := strings.Cut(word, ".")
	part, err1 := strconv.ParseInt(a, 36, 32)
	revision, err2 := strconv.ParseUint(b, 36, 64)
	return mark{revision, int(part)}, part >= 0 && err1 == nil && err2 == nil
}

// String returns the position as an opaque word of letters, digits, '-' and '.'.
func (p *Position) String() string {
	return string(p.append(nil))
}

func (p *Position) append(b []byte) []byte {
	b = strconv.AppendInt(append(append(b, p.Store...), '-'), p.At.Unix(), 36)
	for _, part := range slices.Sorted(maps.Keys(p.Parts)) {
		b = mark{p.Parts[part], part}.append(append(b, '-'))
	}
	return b
}

// maxParts bounds what is read of a position that somebody sends.
const maxParts = 4096

// ParsePosition reads what [Position.String] wrote.
func ParsePosition(s string) (*Position, error) {
	words := strings.Split(s, "-")
	if len(words) < 2 || len(words) > maxParts {
		return nil, fmt.Errorf("%w: %q is not a position", ErrPosition, s)
	}
	at, err := strconv.ParseInt(words[1], 36, 40)
	p := &Position{Store: words[0], At: time.Unix(at, 0).UTC(), Parts: map[int]uint64{}}
	for _, word := range words[2:] {
		m, ok := parseMark(word)
		if !ok {
			return nil, fmt.Errorf("%w: %q is not a position", ErrPosition, s)
		}
		p.Parts[m.part] = m.revision
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %q is not a position", ErrPosition, s)
	}
	return p, nil
}
