package textindex

import (
	"unicode"
	"unicode/utf8"
)

// MaxWord is how many characters of a word count.
const MaxWord = 32

// spaceless are the scripts that do not put spaces between words.
var spaceless = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// Words returns the words of a text, as they are stored: in their order, with
// repetitions.
func Words(text string) (words []string) {
	split(text, true, func(w []byte) bool { words = append(words, string(w)); return true })
	return words
}

// terms returns the words of a query. What Words adds so that the last character of a
// text is found would ask for too much here.
func terms(query string) (words []string) {
	split(query, false, func(w []byte) bool { words = append(words, string(w)); return true })
	return words
}

// split calls fn for every word until that returns false. The bytes are its own only
// until it returns.
func split(text string, stored bool, fn func(word []byte) bool) {
	var buf [MaxWord * utf8.UTFMax]byte
	word, n := buf[:0], 0
	var last rune // of a run without spaces
	runs := 0     // characters of it so far
	flush := func() bool {
		ok := true
		switch {
		case runs == 1 || runs > 1 && stored: // the last one begins no pair
			ok = fn(utf8.AppendRune(buf[:0], last))
		case n > 0:
			ok = fn(word)
		}
		word, n, runs = buf[:0], 0, 0
		return ok
	}
	for _, r := range text {
		r = fold(r)
		switch {
		case r < utf8.RuneSelf && ('a' <= r && r <= 'z' || '0' <= r && r <= '9'):
			if runs > 0 && !flush() {
				return
			}
			if n < MaxWord {
				word, n = append(word, byte(r)), n+1
			}
		case r < utf8.RuneSelf || !(unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)):
			if !flush() {
				return
			}
		case unicode.In(r, spaceless...):
			if n > 0 && !flush() {
				return
			}
			if runs > 0 && !fn(utf8.AppendRune(utf8.AppendRune(buf[:0], last), r)) {
				return
			}
			last, runs = r, runs+1
		default:
			if runs > 0 && !flush() {
				return
			}
			if n < MaxWord {
				word, n = utf8.AppendRune(word, r), n+1
			}
		}
	}
	flush()
}

// fold makes one of what readers take for the same: letters of either case, and the
// wide forms of ASCII.
func fold(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	case r < utf8.RuneSelf:
		return r
	case 0xFF01 <= r && r <= 0xFF5E:
		return fold(r - 0xFEE0)
	}
	return unicode.ToLower(r)
}
