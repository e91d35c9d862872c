package strictjson

import (
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads the string that begins at pos and returns where its text lies: in the
// input itself or, if it has escapes, in the decoded text.
func (p *parser) str() (span, *Error) {
	p.pos++
	start := p.pos
	decoded := -1 // where this string's decoded text begins
	copied := start
	for {
		p.pos = plainEnd(p.src, p.pos)
		if p.pos == len(p.src) {
			return span{}, p.fail(ErrSyntax, "it ends inside a string; close the string with a double quote and send it whole")
		}
		switch c := p.src[p.pos]; {
		case c == '"':
			end := p.pos
			p.pos++
			if decoded < 0 {
				return span{uint32(start), uint32(end)}, nil
			}
			p.text.WriteString(p.src[copied:end])
			return span{uint32(len(p.src) + decoded), uint32(len(p.src) + p.text.Len())}, nil
		case c == '\\':
			if decoded < 0 {
				decoded = p.text.Len()
			}
			if p.text.Cap() == 0 {
				p.text.Grow(min(len(p.src)-start, 1024))
			}
			p.text.WriteString(p.src[copied:p.pos])
			if err := p.escape(); err != nil {
				return span{}, err
			}
			copied = p.pos
		case c >= utf8.RuneSelf:
			for p.pos < len(p.src) && p.src[p.pos] >= utf8.RuneSelf {
				r, size := utf8.DecodeRuneInString(p.src[p.pos:])
				if r == utf8.RuneError && size == 1 {
					return span{}, p.invalidUTF8()
				}
				p.pos += size
			}
		case c == 0:
			return span{}, p.fail(ErrNUL, "remove it")
		case c == '\n':
			return span{}, p.fail(ErrSyntax, `a string cannot hold a line break; write it as \n`)
		default:
			return span{}, p.fail(ErrSyntax, `a string cannot hold the control character 0x%02x; write it as \u%04x`, c, c)
		}
	}
}

// plainEnd returns the first offset from i on whose byte needs a closer look: a
// quote, a backslash, a control character or part of a longer rune. It looks at
// eight bytes at a time: the lowest bit set in special is the high bit of the first
// such byte. Bits above it may be wrong, because subtraction borrows upwards.
func plainEnd(s string, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(s); i += 8 {
		b := s[i : i+8]
		w := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		quotes, slashes, controls := (w^('"'*ones))-ones, (w^('\\'*ones))-ones, w-(' '*ones)
		special := (w | quotes | slashes | controls) & highs
		if special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
	}
	for i < len(s) && s[i] < utf8.RuneSelf && verbatim(s[i]) {
		i++
	}
	return i
}

// verbatim reports whether an ASCII byte stands for itself in a JSON string.
func verbatim(c byte) bool { return c >= ' ' && c != '"' && c != '\\' }

// escape decodes the escape at pos.
func (p *parser) escape() *Error {
	if p.pos+1 == len(p.src) {
		return p.fail(ErrSyntax, "it ends inside an escape; send it whole")
	}
	c := p.src[p.pos+1]
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		return p.unicodeEscape()
	default:
		return p.fail(ErrSyntax, `a string holds an unknown escape; write a backslash itself as \\`)
	}
	p.text.WriteByte(c)
	p.pos += 2
	return nil
}

func (p *parser) unicodeEscape() *Error {
	r, ok := hex4(p.src, p.pos)
	switch {
	case !ok:
		return p.fail(ErrSyntax, `\u needs four hexadecimal digits`)
	case r == 0:
		return p.fail(ErrNUL, "remove it")
	case utf16.IsSurrogate(r):
		low, _ := hex4(p.src, p.pos+6)
		pair := utf16.DecodeRune(r, low)
		if pair == utf8.RuneError {
			return p.fail(ErrInvalidUTF8, `\u%04x is half of a surrogate pair; write the character itself or both halves`, r)
		}
		r = pair
		p.pos += 6
	}
	p.text.WriteRune(r)
	p.pos += 6
	return nil
}

// hex4 reads the escape of four hex digits, such as \u00e9, at offset i.
func hex4(s string, i int) (rune, bool) {
	if len(s) < i+6 || s[i] != '\\' || s[i+1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range []byte(s[i+2 : i+6]) {
		switch {
		case isDigit(c):
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = (c | 0x20) - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
