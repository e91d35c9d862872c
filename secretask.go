package sayso

import (
	"slices"
	"strings"
	"unicode"
)

// SecretWarning is what a surface says before a question that asks for a secret and
// does not say that it does ([Question.AsksForSecret]).
const SecretWarning = "Careful: this seems to ask for a password or another secret. The answer is stored in clear, and the agent reads it."

// Warning returns [SecretWarning] if a question of the ask asks for a secret without
// saying so, and "" otherwise. Every surface shows it where it shows who asks.
func (a *Ask) Warning() string {
	if slices.ContainsFunc(a.Questions, func(q Question) bool { return q.AsksForSecret() }) {
		return SecretWarning
	}
	return ""
}

// WantsSecret reports whether a question of the ask wants a secret: what was answered is
// neither shown again nor searched.
func (a *Ask) WantsSecret() bool {
	return slices.ContainsFunc(a.Questions, func(q Question) bool { return q.WantsSecret() })
}

// WantsSecret reports whether the question is marked as secret, or seems to ask for one.
func (q *Question) WantsSecret() bool { return q.Secret || q.AsksForSecret() }

// AsksForSecret reports whether the question seems to ask for a password, a token, a
// key, a PIN or the like although it is not marked as [Question.Secret]. It knows the
// usual words of English, German, French and Spanish, and is a hint for the person:
// an asker that wants to get around it can.
//
// Talk about secrets does not count ("Which password policy?"), nor does a choice:
// a question with options counts only if it asks for the person's own secret ("Paste
// your password"), or if one of its options does.
func (q *Question) AsksForSecret() bool {
	if q.Secret {
		return false
	}
	choice := len(q.Options) > 0
	parts := []string{q.Text, q.Body[strings.LastIndex(strings.TrimSpace(q.Body), "\n\n")+1:]}
	if !choice && !slices.ContainsFunc(words(q.Text), func(w string) bool { return asksWhich[w] }) {
		parts = append(parts, q.Header)
	}
	for _, part := range parts {
		for _, s := range sentences(part) {
			if requests(s, choice) || !choice && bare(s) {
				return true
			}
		}
	}
	for i := range q.Options {
		if slices.ContainsFunc(sentences(q.Options[i].Label), func(s []string) bool { return requests(s, false) }) {
			return true
		}
	}
	return false
}

// mostRunes is how much of the beginning and of the end of a text is looked at.
const mostRunes = 4000

// sentences splits a text into the words of its sentences.
func sentences(text string) (all [][]string) {
	if r := []rune(text); len(r) > 2*mostRunes {
		text = string(r[:mostRunes]) + ". " + string(r[len(r)-mostRunes:])
	}
	for _, s := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(".!?;", r) }) {
		if w := words(s); len(w) > 0 {
			all = append(all, w)
		}
	}
	return all
}

// words returns the words in lower case and without accents.
func words(s string) []string {
	return strings.FieldsFunc(withoutAccents.Replace(strings.ToLower(s)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// requests reports whether the sentence asks to be given a secret. If own is set, it
// must be the person's own.
func requests(s []string, own bool) bool {
	for i := range s {
		n := demand(s, i)
		if n == 0 {
			continue
		}
		mine := false
		for j := i + n; j < len(s) && j <= i+n+6; j++ {
			if secretAt(s, j) > 0 {
				if mine || !own {
					return true
				}
				break
			}
			if between[s[j]] {
				break
			}
			mine = mine || possessive[s[j]]
		}
	}
	return !own && germanDemand(s)
}

// demand returns how many words at i demand something, or 0.
func demand(s []string, i int) int {
	if i > 0 && negated[s[i-1]] {
		return 0
	}
	if i+1 < len(s) && questionFor[s[i]+" "+s[i+1]] {
		if i+2 < len(s) && indefinite[s[i+2]] { // what a token is
			return 0
		}
		return 2
	}
	if imperative[s[i]] && (i == 0 || before[s[i-1]]) || needs[s[i]] && (i == 0 || first[s[i-1]]) {
		if i+1 < len(s) && (s[i+1] == "de" || s[i+1] == "du") { // besoin de
			return 2
		}
		return 1
	}
	return 0
}

// germanDemand knows the sentence in which the verb is the last word.
func germanDemand(s []string) bool {
	if !atTheEnd[s[len(s)-1]] || slices.ContainsFunc(s, func(w string) bool { return asksWhich[w] || w == "nicht" }) {
		return false
	}
	for i := range s {
		if secretAt(s, i) > 0 {
			return true
		}
	}
	return false
}

// bare reports whether the sentence is nothing but the name of a secret, as a label
// of a form is: "GitHub password".
func bare(s []string) bool {
	if len(s) > 4 || slices.ContainsFunc(s, func(w string) bool { return asksWhich[w] || between[w] && w != "de" || does[w] }) {
		return false
	}
	for i := range s {
		if n := secretAt(s, i); n > 0 && i+n == len(s) {
			return true
		}
	}
	return false
}

// secretAt returns how many words at i name a secret, or 0. A word behind them may
// turn it into something else: a password policy.
func secretAt(s []string, i int) int {
	n := 0
	for _, phrase := range secretPhrases {
		if len(phrase) > n && i+len(phrase) <= len(s) && slices.Equal(s[i:i+len(phrase)], phrase) {
			n = len(phrase)
		}
	}
	if n == 0 && (secretWords[s[i]] || strings.HasSuffix(s[i], "passwort") || strings.HasSuffix(s[i], "kennwort")) {
		n = 1
	}
	if n > 0 && i+n < len(s) && aboutIt[s[i+n]] {
		return 0
	}
	return n
}
