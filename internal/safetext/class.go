package safetext

import (
	"strings"
	"unicode"
)

const (
	zwnj = '\u200c'
	zwj  = '\u200d'
	vs15 = '\ufe0e'
	vs16 = '\ufe0f'
)

// hidden reports whether r has no shape of its own: controls, bidi and other
// format controls, tags, selectors, all that is Default_Ignorable, and
// noncharacters. Signs that are format controls by class but have a shape, such as
// the Arabic number sign, are not hidden.
func hidden(r rune) bool {
	if r < 0x300 {
		return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0xad
	}
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector, unicode.Noncharacter_Code_Point) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// drawn reports whether r is a character with an agreed shape: not private use,
// not unassigned. Places where Unicode adds emoji and ideographs every year are
// let through, so that new ones are not shown as numbers for years.
func drawn(r rune) bool {
	return unicode.IsGraphic(r) || emoji(r) || r >= 0x20000 && r <= 0x3ffff
}

// blankLetter reports whether r counts as a letter or symbol but has no ink.
func blankLetter(r rune) bool {
	switch r {
	case 0x115f, 0x1160, 0x3164, 0xffa0, // Hangul fillers
		0x2800,  // braille blank
		0x1d159: // null notehead
		return true
	}
	return false
}

// oddSpace reports whether r is a space of unusual width, as good for hiding a
// gap as for typography. The no-break and the ideographic space are not odd.
func oddSpace(r rune) bool {
	return r >= 0x2000 && r <= 0x200a || r == 0x205f || r == 0x1680
}

// attached reports whether r is drawn on the character before it like a mark, but is
// none by class, and as good for a flood: the conjoining vowels and finals of Hangul,
// the Thai and Lao vowel AM, the halfwidth voicing marks, and skin tones.
func attached(r rune) bool {
	return r >= 0x1161 && r <= 0x11ff || r >= 0xd7b0 && r <= 0xd7fb ||
		r == 0xe33 || r == 0xeb3 || r == 0xff9e || r == 0xff9f || skinTone(r)
}

func skinTone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }

// prepended reports whether r joins the character after it. Programs take any number
// of these and what follows for one character of one column, or of none; terminals
// draw each. Only signs around Arabic numbers and a few old letters are of the kind.
func prepended(r rune) bool {
	switch {
	case r < 0x600:
		return false
	case r == 0xd4e, r == 0x111c2, r == 0x111c3, r == 0x1193f, r == 0x11941, r >= 0x11a84 && r <= 0x11a89, r == 0x11d46, r == 0x11f02:
		return true
	}
	return unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

func selector(r rune) bool {
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || r >= 0x180b && r <= 0x180f
}

// virama reports whether r is the vowel killer of an Indic script, after which
// a joiner chooses between two written forms, even at the end of a word.
func virama(r rune) bool {
	return r >= 0x94d && strings.ContainsRune(
		"\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u1039\u17d2", r)
}

// joins reports whether r belongs to a script in which a joiner changes how
// its neighbours are written.
func joins(r rune) bool {
	return r >= 0x600 && unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Nko,
		unicode.Mandaic, unicode.Mongolian, unicode.Adlam, unicode.Hanifi_Rohingya,
		unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati,
		unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada,
		unicode.Malayalam, unicode.Sinhala, unicode.Myanmar, unicode.Khmer,
		unicode.Balinese, unicode.Javanese)
}

// emoji reports whether r may be drawn as an emoji. It is a little too wide,
// which costs nothing: these characters are all visible.
func emoji(r rune) bool {
	switch {
	case r < 0x2194:
		return strings.ContainsRune("\u00a9\u00ae\u203c\u2049\u2122\u2139", r)
	case r < 0x3000:
		return r <= 0x21aa || r >= 0x231a && r <= 0x23ff || r == 0x24c2 ||
			r >= 0x25aa && r <= 0x27bf || r == 0x2934 || r == 0x2935 || r >= 0x2b05 && r <= 0x2b55
	case r < 0x1f000:
		return strings.ContainsRune("\u3030\u303d\u3297\u3299", r)
	}
	return r <= 0x1faff
}

func keycap(r rune) bool { return r >= '0' && r <= '9' || r == '#' || r == '*' }
