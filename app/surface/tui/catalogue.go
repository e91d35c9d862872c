package tui

import "github.com/saysohq/sayso/app/surface/words"

// Catalogue is every word that the terminal says of its own accord, from package
// words.
type Catalogue struct{ *words.Catalogue }

// say fills a sentence of the catalogue.
func (w *Catalogue) say(sentence string, args ...any) string { return w.Say(sentence, args...) }

// count fills a sentence of the catalogue about so many things.
func (w *Catalogue) count(p words.Plural, n int, more ...any) string { return w.Count(p, n, more...) }

// English returns the English words.
func English() *Catalogue { return &Catalogue{words.English()} }

// German returns the German words.
func German() *Catalogue { return &Catalogue{words.German()} }

// Words returns the catalogue for a language tag such as "de" or "de_DE.UTF-8",
// English where there is none. That goes for languages that are written from right
// to left, too: terminals differ in what they do with them.
func Words(language string) *Catalogue {
	if w := words.For(language); w.Dir == words.LeftToRight {
		return &Catalogue{w}
	}
	return English()
}
