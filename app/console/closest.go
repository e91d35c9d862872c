package console

import (
	"strings"
	"unicode/utf8"
)

// Closest returns the word that somebody who typed something else most likely meant,
// or "" if none is near: one that is at most two edits away (one for words of up to
// three characters), or that the typed word begins. An edit adds, removes or replaces
// a character, or swaps two neighbors. The first of several that are as near wins.
func Closest(typed string, words []string) string {
	typed = strings.ToLower(typed)
	most := 2
	if utf8.RuneCountInString(typed) <= 3 {
		most = 1
	}
	best := ""
	for _, w := range words {
		if d := edits([]rune(typed), []rune(strings.ToLower(w))); d <= most {
			best, most = w, d-1
		}
	}
	if best != "" || typed == "" {
		return best
	}
	for _, w := range words {
		if strings.HasPrefix(strings.ToLower(w), typed) {
			return w
		}
	}
	return ""
}

// DidYouMean returns the sentence that suggests the closest word, with a space after
// it, or "" if none is near.
func DidYouMean(typed string, words []string) string {
	if w := Closest(typed, words); w != "" {
		return "Did you mean \"" + w + "\"? "
	}
	return ""
}

// edits is the edit distance of two words.
func edits(a, b []rune) int {
	var last, row []int // the two rows above the one that is computed
	next := make([]int, len(b)+1)
	for j := range next {
		next[j] = j
	}
	for i := range a {
		last, row, next = row, next, make([]int, len(b)+1)
		next[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], last[j-1]+1)
			}
		}
	}
	return next[len(b)]
}
