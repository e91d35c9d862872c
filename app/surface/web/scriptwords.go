package web

import "github.com/saysohq/sayso/app/surface/words"

// scriptWords are the words that the scripts say, by the names that they have there.
func scriptWords(w *words.Catalogue) any {
	return struct {
		words.Script
		SendsIn words.Plural `json:"sendsIn"` // by the names of Intl.PluralRules
	}{w.Script, w.Web.SendsIn}
}
