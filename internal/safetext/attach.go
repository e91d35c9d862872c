package safetext

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// This file decides about characters that are nothing alone: marks, joiners and
// variation selectors.

// mark sets r on the base before it, composes it with that base, gives it a
// base if it has none, or counts it if the base is full.
func (c *cleaner) mark(r rune, w int) {
	if c.base == 0 {
		c.swap(0, string(carrier))
		c.stand(carrier)
	}
	if c.last == c.base {
		if one, ok := compose(c.base, r); ok {
			c.flush()
			c.out = c.out[:len(c.out)-utf8.RuneLen(c.base)]
			c.out = utf8.AppendRune(c.out, one)
			c.drop(w)
			c.stand(one)
			return
		}
	}
	if c.marks == MaxMarks {
		c.tooMany()
		return
	}
	c.pos += w
	c.last = r
	c.marks++
}

func (c *cleaner) tooMany() {
	n, end := 0, c.pos
	for end < len(c.in) {
		r, w := utf8.DecodeRuneInString(c.in[end:])
		if !attached(r) && (!unicode.Is(unicode.M, r) || hidden(r)) {
			break
		}
		n++
		end += w
	}
	if n > 1 {
		c.swap(end-c.pos, fmt.Sprintf("<%d marks>", n))
	} else {
		c.swap(end-c.pos, "<1 mark>")
	}
}

// joiner keeps ZWNJ and ZWJ where a script needs them, drops the one inside an
// emoji sequence and shows all others.
func (c *cleaner) joiner(r rune, w int) {
	next, _ := utf8.DecodeRuneInString(c.in[c.pos+w:])
	letter := joins(next) && (unicode.IsLetter(next) || unicode.IsDigit(next))
	killer := virama(next) && c.marks < MaxMarks
	doubled := hidden(c.last)
	switch {
	case virama(c.last), joins(c.base) && !doubled && (letter || killer):
		c.pos += w
		c.last = r
	case r == zwj && emoji(c.base) && (c.last == c.base || c.last == vs16 || skinTone(c.last)) && emoji(next):
		c.drop(w)
	default:
		c.show(r, w)
	}
}

// selects reports whether a variation selector means something here: on an
// emoji, an ideograph or a Mongolian letter, and only one.
func (c *cleaner) selects(r rune, w int) bool {
	if c.base == 0 || c.last != c.base {
		return false
	}
	switch {
	case r == vs15 || r == vs16:
		return emoji(c.base) || keycap(c.base) && hasRune(c.in[c.pos+w:], '\u20e3')
	case r >= 0x180b && r <= 0x180f:
		return unicode.Is(unicode.Mongolian, c.base)
	case r <= 0xfe02 || r >= 0xe0100:
		return unicode.Is(unicode.Ideographic, c.base)
	}
	return false
}

func hasRune(s string, r rune) bool {
	got, _ := utf8.DecodeRuneInString(s)
	return got == r
}
