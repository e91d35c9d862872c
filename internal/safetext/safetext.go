// Package safetext makes text from an untrusted asker safe to show, and tells
// whether two such texts are the same to a person.
//
// Use [Block] for a question or a description and [Line] for a label, header or
// anything else that has one line. [Blank] is the test for "nothing was said",
// [Key] finds labels that nobody can tell apart, [Mixed] finds words that
// borrow lookalike letters.
//
// Block and Line promise, for every input:
//
//   - valid UTF-8, and no control character but the newline in Block;
//   - no Bidi_Control and no Default_Ignorable code point, but for a joiner or
//     a variation selector where its script needs it;
//   - at most [MaxMarks] combining marks on a base, and nothing that joins what
//     follows it, so that no character is much wider than programs believe;
//   - cleaning twice is cleaning once, in linear time, and the result is never
//     longer than four times the input in bytes;
//   - printable ASCII comes back as it is, without an allocation.
//
// What is taken out leaves a visible trace (␛ for an escape, <U+202E> for an
// override), so that an attempt is seen and not only survived. The exceptions
// are the joiners of an emoji sequence, which are dropped since terminals
// disagree about their width, and letters with no ink and spaces of odd width,
// which become a plain space.
// A base and a mark that follows it are composed where Unicode has one letter
// for both (e + U+0301 gives é); all other text is left byte for byte.
//
// The trace is for eyes, not for programs: an asker may write "<U+202E>" too.
// Keep the original where bytes matter.
package safetext

import (
	"unicode"
	"unicode/utf8"
)

// MaxMarks is the number of combining marks that may stand on one base; the
// others are counted, not shown. Eight is more than any living script stacks.
const MaxMarks = 8

const (
	lineMark = "↵"    // where Line took out a line break
	carrier  = '◌'    // bears a mark that has no base of its own
	tab      = "    " // fixed: the column is not known here
)

// Block cleans text of many lines. It keeps \n, turns CRLF and U+2028/2029 into
// \n and a tab into four spaces; a lone CR, which would overwrite, is shown.
func Block(s string) string { return clean(s, false) }

// Line cleans text that must stay on one line: a run of line breaks of any kind
// becomes one ↵ and a tab one space; all else is as in [Block].
func Line(s string) string { return clean(s, true) }

// Blank reports whether s holds nothing that a person could see or mean: it is
// empty or made only of spaces, controls, invisible characters and bytes that
// are no text.
func Blank(s string) bool {
	for _, r := range s {
		if r != utf8.RuneError && !unicode.IsSpace(r) && !hidden(r) && !blankLetter(r) && r != '\ufffc' {
			return false
		}
	}
	return true
}
