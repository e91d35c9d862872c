package sayso

import (
	"slices"
	"strings"

	"github.com/saysohq/sayso/internal/safetext"
)

// AlikeEnough is the score from which an earlier answer is worth showing beside a
// question: see [Alike].
const AlikeEnough = 0.5

// Likeness is how alike two asks are.
type Likeness struct {
	// Score is 0 for asks that have nothing in common and 1 for the same questions.
	Score float64

	// Differs are the words, numbers, names and paths that keep the answer to one from
	// being the answer to the other: what one has in the place of what the other has.
	// An answer is not reused if there are any.
	Differs []string
}

// Alike compares two asks by what people read of them: the texts, headers, bodies and
// options of their questions. The order of options does not count, and neither do
// case, spelling variants, small typos and the words that every question has. Numbers,
// identifiers, paths, opposites, negations and who does what to whom do: "Delete
// staging?" is not like "Delete production?".
//
// It compares words and knows nothing of what they mean. It is for showing a person
// what they said before, never for saying it in their place. Approvals are alike only
// if they are about the same call of the same tool.
//
// The result is the same in both directions and on every machine, and its cost is
// bounded: of long texts, the beginning counts.
func Alike(a, b *Ask) Likeness {
	if a.Approval != nil || b.Approval != nil {
		return alikeApprovals(a, b)
	}
	da, db := a.Digest(), b.Digest()
	if da == db {
		return Likeness{Score: 1}
	}
	if len(a.Questions) > len(b.Questions) || len(a.Questions) == len(b.Questions) && da > db {
		a, b = b, a // so that the order of the two changes nothing
	}
	if len(b.Questions) == 0 || len(b.Questions) > maxAlike {
		return Likeness{}
	}
	// Each question has one counterpart, the most alike first.
	taken := make([]bool, len(b.Questions))
	var all Likeness
	for i := range a.Questions {
		best, at := Likeness{Score: -1}, 0
		for j := range b.Questions {
			if taken[j] {
				continue
			}
			if l := alikeQuestions(&a.Questions[i], &b.Questions[j]); l.Score > best.Score {
				best, at = l, j
			}
		}
		taken[at] = true
		all.Score += best.Score
		all.Differs = append(all.Differs, best.Differs...)
	}
	all.Score /= float64(len(b.Questions))
	if len(a.Questions) != len(b.Questions) {
		all.Differs = append(all.Differs, "the number of questions")
	}
	all.Differs = uniq(all.Differs)
	return all
}

// maxAlike is how many questions of an ask are compared: more than forms have.
const maxAlike = 16

// sameCall reports whether two approvals are about the same call: the same bytes for
// the same tool, in the same place.
func (a *Approval) sameCall(b *Approval) bool {
	return a.Kind == b.Kind && a.Tool == b.Tool && a.Input.SHA256 != "" && a.Input.SHA256 == b.Input.SHA256 && a.Cwd == b.Cwd
}

func alikeApprovals(a, b *Ask) Likeness {
	if a.Approval == nil || b.Approval == nil || !a.Approval.sameCall(b.Approval) {
		return Likeness{}
	}
	l := Likeness{Score: 1}
	if a.Digest() != b.Digest() {
		l.Differs = []string{"what is shown or offered"}
	}
	return l
}

// How much parts count. The corpus in testdata/precedents decided between them.
const (
	optionsCount = 0.5 // of the score, where both questions have options that say something
	oneSided     = 0.85
	bodyCounts   = 0.15
	opposed      = 0.35 // what is left of the score per opposite, number or name that differs
)

func alikeQuestions(a, b *Question) Likeness {
	if a.Secret != b.Secret {
		return Likeness{}
	}
	wa, wb := wordsOf(a), wordsOf(b)
	bodies := compareWords(read(a.Body), read(b.Body))
	if wa.vague() || wb.vague() {
		wa.add(bodies.a.all)
		wb.add(bodies.b.all)
		wa.negated += bodies.a.negated
		wb.negated += bodies.b.negated
	}
	la, lb := labelsOf(a), labelsOf(b)
	strict := len(la) == 0 || len(lb) == 0

	c := compareWords(wa, wb)
	score := c.dice()
	if strict {
		// Yes or no: what it is about stands in the words alone, and one word in
		// the place of another is another question.
		score *= 1 - min(1, 2*c.swapped())
	}
	if a.Body != "" && b.Body != "" {
		score = (1-bodyCounts)*score + bodyCounts*bodies.dice()
	}
	switch {
	case !strict:
		score = (1-optionsCount)*score + optionsCount*alikeLabels(la, lb)
	case len(la) != len(lb):
		score *= oneSided
	}
	differs := c.differs(strict)
	for range c.opposites() {
		score *= opposed
	}
	if differs == nil {
		differs = bodiesDiffer(a, b, bodies)
	}
	return Likeness{Score: score, Differs: append(differs, describedOtherwise(a, b)...)}
}

// bodiesDiffer reports what differs in the bodies. Where only one question has one,
// nobody knows whether the other was about the same.
func bodiesDiffer(a, b *Question, c *comparison) []string {
	if strings.TrimSpace(a.Body) == strings.TrimSpace(b.Body) {
		return nil
	}
	if d := c.differs(false); d != nil {
		return d
	}
	if a.Body != "" && b.Body != "" && c.dice() < AlikeEnough {
		return []string{"the text below the question"}
	}
	return nil
}

// describedOtherwise returns the labels that both questions offer with descriptions
// that say something else.
func describedOtherwise(a, b *Question) (labels []string) {
	for i := range a.Options {
		for j := range b.Options {
			x, y := &a.Options[i], &b.Options[j]
			if safetext.Fold(x.Label) != safetext.Fold(y.Label) || x.Description == "" || y.Description == "" {
				continue
			}
			if c := compareWords(read(x.Description), read(y.Description)); c.opposites() > 0 || c.dice() < AlikeEnough {
				labels = append(labels, x.Label)
			}
		}
	}
	return labels
}

// labelsOf returns the labels that tell what a question is about, by their words: yes,
// no and cancel do not.
func labelsOf(q *Question) []*said {
	var out []*said
	for i := range q.Options {
		if w := read(q.Options[i].Label); w.tells() {
			out = append(out, w)
		}
	}
	return out
}

// alikeLabels pairs labels up, whatever their order, and counts the pairs, halfway
// between the part of all labels and the part of the shorter list: an option more is
// still much the same question.
func alikeLabels(a, b []*said) float64 {
	taken := make([]bool, len(b))
	sum := 0.0
	for _, x := range a {
		best, at := 0.0, -1
		for j, y := range b {
			if taken[j] {
				continue
			}
			if c := compareWords(x, y); c.opposites() == 0 && c.overlap() > best {
				best, at = c.overlap(), j
			}
		}
		if at >= 0 && best >= AlikeEnough {
			taken[at] = true
			sum += best
		}
	}
	return sum/float64(len(a)+len(b)) + sum/float64(2*min(len(a), len(b)))
}

// uniq returns the strings in order, each once.
func uniq(s []string) []string {
	slices.Sort(s)
	return slices.Compact(s)
}

// Mentions returns the part of the words of a query, by weight, that the texts have,
// compared as [Alike] compares them. A query without words that count is mentioned by
// nothing.
func Mentions(query string, texts ...string) float64 {
	want := read(query)
	has := make([]bool, len(want.all))
	sum, found := 0.0, 0.0
	for _, text := range texts {
		c := compareWords(want, read(text))
		for i, in := range c.inA {
			has[i] = has[i] || in
		}
	}
	for i, x := range want.all {
		sum += x.weight
		if has[i] {
			found += x.weight
		}
	}
	if sum == 0 {
		return 0
	}
	return found / sum
}
