package storecheck

import (
	"fmt"
	"strconv"
	"strings"
)

// kind is a sort of damage.
type kind string

// The kinds of damage.
const (
	lostEnd        kind = "lost end"     // the stream ends before the last acknowledged record
	lostRecords    kind = "lost records" // live records are gone from its middle
	oldRecords     kind = "old records"  // records that had been replaced are back
	lostStream     kind = "lost stream"  // the whole folder is gone
	lostFile       kind = "lost file"    // a file that was there at the clean stop is gone or has another size or content
	unreadable     kind = "unreadable"   // records do not read back with their checksum
	badDescription kind = "description"  // the stream's description does not match its checksum
	badPosition    kind = "position"     // where a consumer stands cannot be right
	foreign        kind = "foreign file" // a block that was not there at the clean stop
	noMark         kind = "no mark"      // the high-water mark itself cannot be read
)

// Damage is one thing that is wrong with one stream.
type Damage struct {
	Stream  string // "ACCOUNT/STREAM"
	What    kind
	File    string // relative to the store, when one file is to blame
	Have    uint64 // what is there: the last sequence, the number of records, the size, as the kind demands
	Want    uint64 // what should be there
	Records uint64 // how many records are lost, as far as can be told; 0 when it cannot
	Detail  string // more words, for the person
}

func (d *Damage) String() string {
	switch d.What {
	case lostEnd:
		return fmt.Sprintf("%s lost %s: it ends at %s but %s were acknowledged", d.Stream, records(d.Records), number(d.Have), number(d.Want))
	case lostRecords:
		return fmt.Sprintf("%s lost %s: %s live records were there, %s are left and the log explains no more than the rest", d.Stream, records(d.Records), number(d.Want), number(d.Have))
	case oldRecords:
		return fmt.Sprintf("%s has old records back in the place of later ones: its live records have %s bytes but had %s", d.Stream, number(d.Have), number(d.Want))
	case lostStream:
		return fmt.Sprintf("%s is gone: %s were acknowledged and there is no folder", d.Stream, records(d.Want))
	case lostFile:
		if d.Detail != "" {
			return fmt.Sprintf("%s: %s", d.File, d.Detail)
		}
		return fmt.Sprintf("%s has %s bytes but had %s when the store was closed", d.File, number(d.Have), number(d.Want))
	case unreadable:
		return fmt.Sprintf("%s has about %s that cannot be read back (%s)", d.Stream, records(d.Records), d.Detail)
	case foreign:
		return fmt.Sprintf("%s was not there when the store was closed", d.File)
	default:
		return fmt.Sprintf("%s: %s: %s", d.Stream, d.What, d.Detail)
	}
}

// DamagedError says that a store must not be served as it is.
type DamagedError struct {
	Dir    string
	Damage []Damage // at least one
	Advice string   // what the person can do about it
}

func (e *DamagedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the store at %s is damaged: ", e.Dir)
	const most = 3
	for i := range e.Damage[:min(most, len(e.Damage))] {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(e.Damage[i].String())
	}
	if n := len(e.Damage) - most; n > 0 {
		fmt.Fprintf(&b, "; and %d more", n)
	}
	if e.Advice != "" {
		b.WriteString(". " + e.Advice)
	}
	return b.String()
}

func records(n uint64) string {
	if n == 1 {
		return "1 record"
	}
	return number(n) + " records"
}

// number writes 10834 as 10,834.
func number(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
