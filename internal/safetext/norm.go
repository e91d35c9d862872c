package safetext

import "strings"

// The tables that this file searches are in tables.go, written by
// testdata/gen.go.

// Hangul syllables are composed by arithmetic (Unicode, chapter 3.12).
const (
	hangulS, hangulL, hangulV, hangulT = 0xac00, 0x1100, 0x1161, 0x11a7
	countL, countV, countT             = 19, 21, 28
	countS                             = countL * countV * countT
)

// compose returns the one character that is canonically the same as a followed
// by b.
func compose(a, b rune) (rune, bool) {
	l, v, s, t := a-hangulL, b-hangulV, a-hangulS, b-hangulT
	switch {
	case l >= 0 && l < countL && v >= 0 && v < countV:
		return hangulS + (l*countV+v)*countT, true
	case s >= 0 && s < countS && s%countT == 0 && t > 0 && t < countT:
		return a + t, true
	}
	for _, r := range lookup(compositions, string([]rune{a, b})) {
		return r, true
	}
	return 0, false
}

// decompose appends the full compatibility decomposition of r (NFKD, but for
// the order of marks) to to.
func decompose(to []rune, r rune) []rune {
	if r < 0xa0 {
		return append(to, r)
	}
	if s := r - hangulS; s >= 0 && s < countS {
		to = append(to, hangulL+s/(countV*countT), hangulV+s/countT%countV)
		if t := s % countT; t > 0 {
			to = append(to, hangulT+t)
		}
		return to
	}
	if r >= 0xff01 && r <= 0xff5e { // full width ASCII; not in the table
		return append(to, r-0xff01+'!')
	}
	if d := lookup(decompositions, string(r)); d != "" {
		return append(to, []rune(d)...)
	}
	return append(to, r)
}

// lookup finds the value of key in a table of sorted records, each a key, its
// value and a bar; "" if there is none. No key is the beginning of another.
func lookup(table, key string) string {
	for lo, hi := 0, len(table); lo < hi; {
		mid := lo + (hi-lo)/2
		start := lo + strings.LastIndexByte(table[lo:mid], '|') + 1
		end := mid + strings.IndexByte(table[mid:], '|')
		record := table[start:end]
		if value, ok := strings.CutPrefix(record, key); ok {
			return value
		}
		if record < key {
			lo = end + 1
		} else {
			hi = start
		}
	}
	return ""
}
