package notifytest

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// invisible are characters that change how others look, or that nobody sees. Joiners
// and variation selectors are not among them: scripts and emoji need them.
var invisible = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x00ad, Hi: 0x00ad, Stride: 1}, {Lo: 0x061c, Hi: 0x061c, Stride: 1}, {Lo: 0x180e, Hi: 0x180e, Stride: 1},
		{Lo: 0x200b, Hi: 0x200b, Stride: 1}, {Lo: 0x200e, Hi: 0x200f, Stride: 1}, {Lo: 0x2028, Hi: 0x202e, Stride: 1},
		{Lo: 0x2060, Hi: 0x206f, Stride: 1}, {Lo: 0xfeff, Hi: 0xfeff, Stride: 1}, {Lo: 0xfff9, Hi: 0xfffb, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0xe0001, Hi: 0xe007f, Stride: 1}},
}

// unsafe names the first character that must not reach a person, or returns "". It
// knows nothing of the code that cleans texts. On the wire, lines may end as protocols
// want it.
func unsafe(s string, wire bool) string {
	if !utf8.ValidString(s) {
		return "broken UTF-8"
	}
	for _, r := range s {
		switch {
		case r == '\n', r == '\t', r == '\r' && wire:
		case unicode.IsControl(r), unicode.Is(invisible, r):
			return fmt.Sprintf("%U", r)
		}
	}
	return ""
}

// around is the part of a text that is wrong, for a message.
func around(s, what string) string {
	i := 0
	for at, r := range s {
		if fmt.Sprintf("%U", r) == what || r == utf8.RuneError {
			i = at
			break
		}
	}
	return strings.ToValidUTF8(s[max(0, i-30):min(len(s), i+30)], "?")
}
