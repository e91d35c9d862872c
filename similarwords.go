package sayso

import (
	"slices"
	"strings"
	"unicode"

	"github.com/saysohq/sayso/internal/safetext"
)

// word is one word of a question, in the form in which it is compared.
type word struct {
	form   string  // folded, without its ending, a synonym's one form
	whole  string  // folded, as it was written
	weight float64 // how much it tells: an identifier more, a verb of every question less
	exact  bool    // a number, a path, an identifier: one letter makes another one
	target bool    // it stands behind to, into, onto: where something goes
}

// said are the words of a text that count.
type said struct {
	all     []word
	negated int // not, never, without …
}

// wordsOf returns the words of a question's header and text.
func wordsOf(q *Question) *said {
	w := read(q.Text)
	if w.vague() { // a header mostly repeats a word of the text
		w.add(read(q.Header).all)
	}
	return w
}

// add adds words that are not there yet.
func (w *said) add(more []word) {
	for _, x := range more {
		if !w.has(x.form) {
			w.all = append(w.all, x)
		}
	}
}

// maxWords is how many words of a text are compared, maxRead how many bytes are read
// for them.
const (
	maxWords = 100
	maxRead  = 4096
)

// read returns the words of a text.
func read(text string) *said {
	w := &said{}
	target := false
	for _, piece := range split(text) {
		if len(w.all) >= maxWords {
			break
		}
		raw, exact := piece.text, piece.exact
		form := plain(raw)
		whole := form
		switch {
		case form == "":
			continue
		case isNegation(form):
			w.negated++
			continue
		case slices.Contains(targets, form):
			target = true
			continue
		case slices.Contains(sources, form):
			target = false // and it counts as a word, unless it is one of every question
		}
		if n, ok := numberWords[form]; ok {
			form, exact = n, true
		}
		if !exact {
			if isStop(form) {
				continue
			}
			form = stem(form)
			if s, ok := synonyms[form]; ok {
				form = s
			}
			if isStop(form) {
				continue
			}
		}
		weight := 1.0
		switch {
		case exact:
			weight = 2
		case commonWords[form]:
			weight = 0.5
		}
		if i := w.index(form); i >= 0 {
			w.all[i].target = w.all[i].target || target
			continue
		}
		w.all = append(w.all, word{form: form, whole: whole, weight: weight, exact: exact, target: target})
	}
	return w
}

func (w *said) index(form string) int {
	return slices.IndexFunc(w.all, func(x word) bool { return x.form == form })
}

func (w *said) has(form string) bool { return w.index(form) >= 0 }

// vague reports whether the words do not say what the question is about, as in "Apply
// this change?": then the body counts like the text.
func (w *said) vague() bool {
	told := 0.0
	for _, x := range w.all {
		if x.weight >= 1 {
			told += x.weight
		}
	}
	return told < 2
}

// tells reports whether a label says more than yes, no, now or later.
func (w *said) tells() bool {
	return slices.ContainsFunc(w.all, func(x word) bool { return !commonWords[x.form] })
}

// split cuts a text at spaces and takes the punctuation around the pieces off. Parts
// with hyphens or slashes between plain words are words of their own.
func split(text string) (out []piece) {
	if len(text) > maxRead {
		text = strings.ToValidUTF8(text[:maxRead], "")
	}
	for i, part := range strings.Split(oneWord.Replace(text), "`") {
		out = append(out, pieces(part, i%2 == 1)...) // between backticks, every letter counts
	}
	return out
}

// piece is a part of a text that is compared as one.
type piece struct {
	text  string
	exact bool
}

func pieces(text string, code bool) (out []piece) {
	inside := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }
	for _, f := range strings.Fields(text) {
		flag := strings.HasPrefix(strings.TrimLeft(f, "'\"(["), "--")
		f = strings.TrimFunc(f, func(r rune) bool { return inside(r) && r != '/' || r == '\'' })
		switch {
		case f == "":
		case flag:
			out = append(out, piece{"--" + f, true})
		case identifier(f):
			out = append(out, piece{strings.Trim(f, "/"), true})
		default:
			for _, part := range strings.FieldsFunc(f, inside) {
				out = append(out, piece{part, code})
			}
		}
	}
	return out
}

// identifier reports whether a piece of text is a name that is compared letter by
// letter: with a digit, an underscore, a path, a dot or a capital letter inside.
func identifier(s string) bool {
	var before rune
	humps, marks := 0, 0
	for i, r := range s {
		switch {
		case unicode.IsDigit(r):
			return true
		case r == '_', r == '=', r == '@', r == '#', r == '\\':
			return true
		case r == '/' || r == '.' || r == ':':
			if i > 0 && i < len(s)-1 && (unicode.IsLetter(before) || before == '.') {
				marks++
			}
			if i == 0 && r == '/' {
				return true
			}
		case unicode.IsUpper(r) && unicode.IsLower(before):
			humps++
		}
		before = r
	}
	return marks > 0 || humps > 0 && !unicode.IsUpper([]rune(s)[0]) || humps > 1
}

// plain folds a word: no case, no accents; umlauts as they are written without one.
func plain(s string) string {
	if ascii(s) {
		return strings.ReplaceAll(strings.ToLower(s), "'", "")
	}
	var b strings.Builder
	var before rune
	for _, r := range safetext.Fold(s) {
		switch {
		case r == '\u0308' && strings.ContainsRune("aou", before):
			b.WriteByte('e')
		case unicode.Is(unicode.Mn, r):
		case r == 'ß':
			b.WriteString("ss")
		case r == '\'' || r == '’':
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// stem takes the endings off that do not make another word of it.
func stem(s string) string {
	for _, end := range []string{"ations", "ation", "ions", "ion", "ings", "ing", "ers", "ed", "es", "er", "en", "s", "e"} {
		if rest, ok := strings.CutSuffix(s, end); ok && len(rest) >= 4 {
			s = rest
			break
		}
	}
	if n := len(s); n > 4 && s[n-1] == s[n-2] { // stopped, stop
		s = s[:n-1]
	}
	return s
}
