package words

import (
	"fmt"
	"strings"
)

// Catalogue is every word in one language. %s and %d stand for what a sentence
// speaks of, in the order of the English one.
type Catalogue struct {
	Tag  string // of the language, as in the lang attribute of HTML
	Name string // of the language, in itself
	Dir  Direction

	Format
	Terminal
	Times  Times
	Inbox  Inbox
	Keys   KeyWords
	Web    Web
	Script Script
	Stats  Stats
	Notify Notify

	form func(n int) Form
}

// Direction is in which direction a language is written.
type Direction string

// The directions.
const (
	LeftToRight Direction = "ltr"
	RightToLeft Direction = "rtl"
)

// Format is how numbers and quotations are written.
type Format struct {
	Thousands             string // between groups of three digits
	Point                 string // before decimals
	QuoteOpen, QuoteClose string
}

// Plural is a sentence about a number of things, in the forms that a language has
// for it; the names are those of Unicode. A form that is empty is Other. The first
// %d is the number; a form may leave it out ("two days" as one word).
type Plural struct {
	Zero  string `json:"zero,omitempty"`
	One   string `json:"one,omitempty"`
	Two   string `json:"two,omitempty"`
	Few   string `json:"few,omitempty"`
	Many  string `json:"many,omitempty"`
	Other string `json:"other"`
}

// Form is one of the forms of a [Plural].
type Form int

// The forms.
const (
	FormOther Form = iota
	FormZero
	FormOne
	FormTwo
	FormFew
	FormMany
)

// Of returns the sentence in a form.
func (p Plural) Of(f Form) string {
	s := [...]string{p.Other, p.Zero, p.One, p.Two, p.Few, p.Many}[f]
	if s == "" {
		return p.Other
	}
	return s
}

// Say fills in a sentence.
func (w *Catalogue) Say(sentence string, args ...any) string {
	if len(args) == 0 {
		return sentence
	}
	return fmt.Sprintf(sentence, args...)
}

// Count fills in the form of a sentence for so many things; the number is its first
// argument.
func (w *Catalogue) Count(p Plural, n int, more ...any) string {
	sentence := p.Of(w.form(n))
	if !strings.Contains(sentence, "%d") {
		return w.Say(sentence, more...)
	}
	return w.Say(sentence, append([]any{n}, more...)...)
}

// Quote puts a text between the quotation marks of the language.
func (w *Catalogue) Quote(s string) string { return w.QuoteOpen + s + w.QuoteClose }

// two is how English and German count.
func two(n int) Form {
	if n == 1 {
		return FormOne
	}
	return FormOther
}

// six is how Arabic counts.
func six(n int) Form {
	switch h := n % 100; {
	case n == 0:
		return FormZero
	case n == 1:
		return FormOne
	case n == 2:
		return FormTwo
	case h >= 3 && h <= 10:
		return FormFew
	case h >= 11:
		return FormMany
	}
	return FormOther
}
