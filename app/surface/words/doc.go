// Package words has what the surfaces of sayso say of their own accord, by
// language: one catalogue for the terminal and the web.
//
// In most cases: [For] returns the catalogue of a language, [Accept] chooses one by
// what a browser accepts, and [Languages] lists them. A sentence is a field, so a
// word that is misspelled does not compile. [Catalogue.Say] fills in a sentence,
// [Catalogue.Count] one about a number of things; times, dates and numbers have
// methods. [Keys] is the table of keys that terminal and web share.
//
// To add a word, add a field to the struct of its area (inbox.go, web.go, stats.go …)
// and a line to the files of that area in every language (english_inbox.go,
// german_inbox.go, arabic_inbox.go): a test names what is missing. A word that a
// language lacks is English; [Missing] lists them.
package words
