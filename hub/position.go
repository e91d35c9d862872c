package hub

import (
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

// String returns the position as an opaque word of letters, digits, '-' and '.'.
func (p *Position) String() string {
	var b strings.Builder
	b.WriteString(p.Store)
	b.WriteByte('-')
	b.WriteString(strconv.FormatInt(p.At.Unix(), 36))
	for _, part := range slices.Sorted(maps.Keys(p.Parts)) {
		b.WriteByte('-')
		b.WriteString(strconv.FormatInt(int64(part), 36))
		b.WriteByte('.')
		b.WriteString(strconv.FormatUint(p.Parts[part], 36))
	}
	return b.String()
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
		a, b, ok := strings.Cut(word, ".")
		part, err1 := strconv.ParseInt(a, 36, 32)
		revision, err2 := strconv.ParseUint(b, 36, 64)
		if !ok || part < 0 || err1 != nil || err2 != nil {
			return nil, fmt.Errorf("%w: %q is not a position", ErrPosition, s)
		}
		p.Parts[int(part)] = revision
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %q is not a position", ErrPosition, s)
	}
	return p, nil
}
