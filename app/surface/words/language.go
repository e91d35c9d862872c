package words

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Language is one that the surfaces speak.
type Language struct {
	Tag  string // "de"
	Name string // in the language itself
	Dir  Direction
}

// catalogues are the languages, the first of which stands in for all others. They
// are put together once.
var catalogues = []func() *Catalogue{sync.OnceValue(English), sync.OnceValue(German), sync.OnceValue(Arabic)}

// Languages lists the languages that there are, English first.
func Languages() []Language {
	var all []Language
	for _, c := range catalogues {
		w := c()
		all = append(all, Language{w.Tag, w.Name, w.Dir})
	}
	return all
}

// Known returns the tag of the language that a tag or a locale names, such as "de",
// "de-AT" or "de_DE.UTF-8", and whether it is one of [Languages].
func Known(tag string) (string, bool) {
	l, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), ".")
	l, _, _ = strings.Cut(strings.ReplaceAll(l, "_", "-"), "-")
	for _, have := range Languages() {
		if l == have.Tag {
			return l, true
		}
	}
	return "", false
}

// For returns the catalogue of a language tag or a locale, English if it is none of
// [Languages]. It is the caller's own.
func For(tag string) *Catalogue {
	l, _ := Known(tag)
	of := catalogues[0]
	for _, c := range catalogues {
		if c().Tag == l {
			of = c
		}
	}
	w := *of() // its fields are values
	return &w
}

// Accept returns the tag of the language that an Accept-Language header prefers,
// "en" if it accepts none of [Languages].
func Accept(header string) string {
	type wish struct {
		tag string
		q   float64
	}
	var wishes []wish
	for part := range strings.SplitSeq(header, ",") {
		tag, params, _ := strings.Cut(part, ";")
		if strings.TrimSpace(tag) == "*" {
			tag = "en"
		}
		l, ok := Known(tag)
		if !ok {
			continue
		}
		q := 1.0
		if v, found := strings.CutPrefix(strings.TrimSpace(params), "q="); found {
			var err error
			if q, err = strconv.ParseFloat(v, 64); err != nil || q < 0 || q > 1 {
				continue
			}
		}
		if q > 0 {
			wishes = append(wishes, wish{l, q})
		}
		if len(wishes) == 20 { // nobody speaks more
			break
		}
	}
	if len(wishes) == 0 {
		return "en"
	}
	slices.SortStableFunc(wishes, func(a, b wish) int { return cmp.Compare(b.q, a.q) })
	return wishes[0].tag
}
