package sayso

import "slices"

// comparison is what two lists of words have in common.
type comparison struct {
	a, b     *said
	inA, inB []bool  // which words have a counterpart
	common   float64 // weight of those that do, of both sides
	sumA     float64
	sumB     float64
}

func compareWords(a, b *said) *comparison {
	c := &comparison{a: a, b: b, inA: make([]bool, len(a.all)), inB: make([]bool, len(b.all))}
	for _, x := range a.all {
		c.sumA += x.weight
	}
	for _, y := range b.all {
		c.sumB += y.weight
	}
	for _, same := range []func(x, y word) bool{
		func(x, y word) bool { return x.form == y.form || x.whole == y.whole },
		func(x, y word) bool { return !x.exact && !y.exact && nearly(x.whole, y.whole) },
	} {
		for i, x := range a.all {
			if c.inA[i] {
				continue
			}
			for j, y := range b.all {
				if !c.inB[j] && same(x, y) {
					c.inA[i], c.inB[j] = true, true
					c.common += x.weight + y.weight
					break
				}
			}
		}
	}
	return c
}

// dice is the part of the words that have a counterpart, by weight.
func (c *comparison) dice() float64 {
	if c.sumA+c.sumB == 0 {
		return 0
	}
	return c.common / (c.sumA + c.sumB)
}

// overlap is the same, as part of the shorter side by half.
func (c *comparison) overlap() float64 {
	if c.sumA == 0 || c.sumB == 0 {
		return 0
	}
	return (c.dice() + min(1, c.common/2/min(c.sumA, c.sumB))) / 2
}

// swapped is how much of the shorter side stands in the place of something else.
func (c *comparison) swapped() float64 {
	if c.sumA == 0 || c.sumB == 0 {
		return 0
	}
	return min(c.left(c.a, c.inA)/c.sumA, c.left(c.b, c.inB)/c.sumB)
}

func (c *comparison) left(w *said, in []bool) (sum float64) {
	for i, x := range w.all {
		if !in[i] {
			sum += x.weight
		}
	}
	return sum
}

// opposites counts what makes the one question another than the other: a negation,
// a number or name in the place of another, an opposite, swapped roles.
func (c *comparison) opposites() int {
	n := 0
	if c.a.negated%2 != c.b.negated%2 {
		n++
	}
	if len(c.exact(c.a, c.inA)) > 0 && len(c.exact(c.b, c.inB)) > 0 {
		n++
	}
	if len(c.contrasts()) > 0 {
		n++
	}
	if len(c.roles()) > 0 {
		n++
	}
	if len(c.narrowed()) > 0 {
		n++
	}
	return n
}

// differs names it.
func (c *comparison) differs(strict bool) []string {
	var out []string
	if c.a.negated%2 != c.b.negated%2 {
		out = append(out, "not")
	}
	out = append(out, c.exact(c.a, c.inA)...)
	out = append(out, c.exact(c.b, c.inB)...)
	out = append(out, c.contrasts()...)
	out = append(out, c.roles()...)
	out = append(out, c.narrowed()...)
	if strict && c.swapped() > 0 {
		for i, x := range c.a.all {
			if !c.inA[i] {
				out = append(out, x.form)
			}
		}
		for j, y := range c.b.all {
			if !c.inB[j] {
				out = append(out, y.form)
			}
		}
	}
	return uniq(out)
}

// exact returns the numbers and names of one side that have no counterpart.
func (c *comparison) exact(w *said, in []bool) (out []string) {
	for i, x := range w.all {
		if x.exact && !in[i] {
			out = append(out, x.form)
		}
	}
	return out
}

// contrasts returns the words of which one side has the one and the other side
// another of the same group: enable and disable, staging and production.
func (c *comparison) contrasts() (out []string) {
	for i, x := range c.a.all {
		if c.inA[i] || len(contrastsOf[x.form]) == 0 {
			continue
		}
		for j, y := range c.b.all {
			if !c.inB[j] && slices.ContainsFunc(contrastsOf[x.form], func(g int) bool { return slices.Contains(contrastsOf[y.form], g) }) {
				out = append(out, x.form, y.form)
			}
		}
	}
	return out
}

// roles returns the words that have swapped places: from MySQL to PostgreSQL and back.
func (c *comparison) roles() []string {
	var onlyA, onlyB []string
	for _, x := range c.a.all {
		i := c.b.index(x.form)
		if i < 0 {
			continue
		}
		switch y := c.b.all[i]; {
		case x.target && !y.target:
			onlyA = append(onlyA, x.form)
		case y.target && !x.target:
			onlyB = append(onlyB, x.form)
		}
	}
	if len(onlyA) > 0 && len(onlyB) > 0 {
		return append(onlyA, onlyB...)
	}
	return nil
}

// narrowed returns the words that only one side has, where both speak of all: all
// users are not all inactive users.
func (c *comparison) narrowed() (out []string) {
	whole := func(w *said) bool { return slices.ContainsFunc(wholes, w.has) }
	if !whole(c.a) || !whole(c.b) {
		return nil
	}
	for i, x := range c.a.all {
		if !c.inA[i] && x.weight >= 1 {
			out = append(out, x.form)
		}
	}
	for j, y := range c.b.all {
		if !c.inB[j] && y.weight >= 1 {
			out = append(out, y.form)
		}
	}
	return out
}

// nearly reports whether two words of five letters or more are one typo apart: a
// letter more, less or other, or two swapped, and not the first.
func nearly(a, b string) bool {
	if a[0] != b[0] || len(a) < 5 || len(b) < 5 {
		return false
	}
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) < 5 || len(y)-len(x) > 1 || x[0] != y[0] {
		return false
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	if len(x) < len(y) {
		return slices.Equal(x[i:], y[i+1:])
	}
	if i == len(x) {
		return true
	}
	return slices.Equal(x[i+1:], y[i+1:]) ||
		i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] && slices.Equal(x[i+2:], y[i+2:])
}
