package safetext

import (
	"slices"
	"strings"
	"unicode"
)

// Key returns what a person sees of s: two labels with the same key cannot be
// told apart on a screen and must not stand in one list. It takes apart what
// Unicode calls compatible (NFKD: full width, ligatures, styled letters), drops
// all that is invisible, puts Cyrillic and Greek letters on their Latin twins,
// sorts the marks on a base and squeezes spaces. Case is kept: "Yes" and "YES"
// differ to the eye.
//
// A key is for comparing only, never for showing, storing or matching answers.
func Key(s string) string {
	if plainLen(s, true) == len(s) && !strings.Contains(s, "  ") && strings.Trim(s, " ") == s {
		return s
	}
	key := make([]rune, 0, len(s))
	var parts []rune
	for _, r := range s {
		parts = decompose(parts[:0], r)
		for _, r := range parts {
			switch {
			case unicode.IsSpace(r) || blankLetter(r):
				if n := len(key); n > 0 && key[n-1] != ' ' {
					key = append(key, ' ')
				}
			case !hidden(r):
				key = append(key, twin(r))
			}
		}
	}
	sortMarks(key)
	return strings.TrimSuffix(string(key), " ")
}

// sortMarks orders each run of marks by code point. Unicode orders them by
// class and keeps the order within a class; to a reader that difference is nil,
// and this needs no table of classes.
func sortMarks(rs []rune) {
	for i := 0; i < len(rs); i++ {
		from := i
		for i < len(rs) && unicode.Is(unicode.M, rs[i]) {
			i++
		}
		slices.Sort(rs[from:i])
	}
}

// Mixed reports whether s has a word that mixes Latin, Cyrillic and Greek
// letters so that one may pass for another, as in "Аllow" with a Cyrillic А. A
// word such as "μm" or "ΔE" is not mixed: those letters look like no other.
func Mixed(s string) bool {
	if plainLen(s, false) == len(s) {
		return false
	}
	var latin, cyrillic, greek, lookalike bool
	var parts []rune
	for _, r := range s {
		parts = decompose(parts[:0], r)
		for _, r := range parts {
			switch {
			case unicode.Is(unicode.Latin, r):
				latin = true
			case unicode.Is(unicode.Cyrillic, r):
				cyrillic = true
				lookalike = lookalike || twin(r) != r
			case unicode.Is(unicode.Greek, r):
				greek = true
				lookalike = lookalike || twin(r) != r
			case !hidden(r) && !unicode.In(r, unicode.L, unicode.M, unicode.N):
				latin, cyrillic, greek, lookalike = false, false, false, false
			}
			if lookalike && (latin && (cyrillic || greek) || cyrillic && greek) {
				return true
			}
		}
	}
	return false
}

// twin returns the character that r is mistaken for, or r.
func twin(r rune) rune {
	if r < 0x80 {
		return r
	}
	for _, t := range lookup(twins, string(r)) {
		return t
	}
	return r
}

// twins lists characters after the one that each looks like in most fonts,
// sorted. It is short on purpose: a twin that is not one refuses honest labels.
const twins = "" +
	// Latin alpha and script g, modifier apostrophe
	"\u0251a|\u0261g|\u02bc'|" +
	// Greek
	"\u0391A|\u0392B|\u0395E|\u0396Z|\u0397H|\u0399I|\u039aK|\u039cM|\u039dN|\u039fO|" +
	"\u03a1P|\u03a4T|\u03a5Y|\u03a7X|\u03b1a|\u03b3y|\u03b9i|\u03bdv|\u03bfo|\u03c1p|\u03c5u|\u03c7x|\u03f3j|" +
	// Cyrillic
	"\u0405S|\u0406I|\u0408J|\u0410A|\u0412B|\u0415E|\u041aK|\u041cM|\u041dH|\u041eO|" +
	"\u0420P|\u0421C|\u0422T|\u0423Y|\u0425X|\u0430a|\u0435e|\u043eo|\u0440p|\u0441c|\u0443y|\u0445x|" +
	"\u0455s|\u0456i|\u0458j|\u0474V|\u0475v|\u04aeY|\u04bbh|\u04c0I|\u04cfl|\u0501d|\u050cG|\u051aQ|\u051bq|\u051cW|\u051dw|" +
	// hyphens, dash, minus, quotation marks
	"\u2010-|\u2013-|\u2018'|\u2019'|\u2212-|"

// Fold returns s without what a person does not mind when they type a label:
// case, the width of letters, how accents are encoded, and spaces around it. Two
// texts with the same fold may differ to the eye, so it is for finding what was
// meant, never for telling labels apart.
func Fold(s string) string {
	folded := make([]rune, 0, len(s))
	var parts []rune
	for _, r := range strings.TrimSpace(s) {
		parts = decompose(parts[:0], r)
		for _, r := range parts {
			folded = append(folded, unicode.ToLower(unicode.ToUpper(r)))
		}
	}
	sortMarks(folded)
	return strings.TrimSpace(string(folded))
}
