package safetext

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

func clean(s string, oneLine bool) string {
	n := plainLen(s, oneLine)
	if n == len(s) {
		return s
	}
	c := cleaner{in: s, pos: n, oneLine: oneLine}
	if n > 0 {
		c.stand(rune(s[n-1]))
	}
	for c.pos < len(s) {
		c.step()
	}
	if c.out == nil {
		return s
	}
	return string(append(c.out, s[c.done:]...))
}

// plainLen is the length of the prefix that surely needs no work.
func plainLen(s string, oneLine bool) int {
	for i := range len(s) {
		if b := s[i]; (b < ' ' || b > '~') && (b != '\n' || oneLine) {
			return i
		}
	}
	return len(s)
}

// cleaner walks the input once. Unchanged text is copied only when something
// after it changes, so clean text costs no allocation.
type cleaner struct {
	in      string
	pos     int    // next byte to read
	done    int    // in[:done] has been written to out
	out     []byte // the result so far
	oneLine bool

	// What the next character would attach to. These must be the same whether
	// a text is read for the first time or is our own output: that is what
	// makes cleaning idempotent.
	base  rune // the character that bears marks; 0 if none may
	last  rune // the character just before; equals base if nothing stands on it
	marks int  // marks on base
}

func (c *cleaner) step() {
	r, w := utf8.DecodeRuneInString(c.in[c.pos:])
	switch {
	case r == utf8.RuneError && w == 1:
		c.swap(w, "\uFFFD")
	case r >= ' ' && r <= '~':
		c.keep(r, w)
	case c.breakLen() > 0:
		c.lineBreak()
	case r == '\t' && c.oneLine, blankLetter(r), oddSpace(r):
		c.swap(w, " ")
	case r == '\t':
		c.swap(w, tab)
	case r < ' ':
		c.swap(w, string('␀'+r))
	case r == 0x7f:
		c.swap(w, "␡")
	case attached(r):
		c.mark(r, w)
	case prepended(r):
		c.show(r, w)
	case unicode.IsLetter(r):
		c.keep(r, w)
	case r == zwnj || r == zwj:
		c.joiner(r, w)
	case selector(r) && c.selects(r, w):
		c.pos += w
		c.last = r
	case hidden(r) || !drawn(r):
		c.show(r, w)
	case unicode.Is(unicode.M, r):
		c.mark(r, w)
	default:
		c.keep(r, w)
	}
}

// keep leaves r as it is, standing on its own.
func (c *cleaner) keep(r rune, w int) {
	c.pos += w
	c.stand(r)
}

func (c *cleaner) stand(r rune) {
	c.base, c.last, c.marks = r, r, 0
	if unicode.IsSpace(r) {
		c.base = 0
	}
}

// swap writes text in place of the next w bytes. Nothing may attach to it.
func (c *cleaner) swap(w int, text string) {
	c.flush()
	c.out = append(c.out, text...)
	c.drop(w)
	c.base, c.last, c.marks = 0, 0, 0
}

// drop leaves the next w bytes out, as if they had not been there.
func (c *cleaner) drop(w int) {
	c.flush()
	c.pos += w
	c.done = c.pos
}

func (c *cleaner) flush() {
	if c.out == nil {
		c.out = make([]byte, 0, len(c.in)+len(c.in)/4+16)
	}
	c.out = append(c.out, c.in[c.done:c.pos]...)
	c.done = c.pos
}

// show writes the name of r, once for a run of it.
func (c *cleaner) show(r rune, w int) {
	if n := c.run(r, w); n > 1 {
		c.swap(n*w, fmt.Sprintf("<U+%04X ×%d>", r, n))
	} else {
		c.swap(w, fmt.Sprintf("<U+%04X>", r))
	}
}

// run counts how often r stands in a row from here.
func (c *cleaner) run(r rune, w int) int {
	n := 1
	for {
		next, _ := utf8.DecodeRuneInString(c.in[c.pos+n*w:])
		if next != r {
			return n
		}
		n++
	}
}

// breakLen is the length of the line break at pos, 0 if there is none that this
// mode treats as one.
func (c *cleaner) breakLen() int {
	r, w := utf8.DecodeRuneInString(c.in[c.pos:])
	switch r {
	case '\n', '\u2028', '\u2029':
		return w
	case '\r':
		if c.pos+1 < len(c.in) && c.in[c.pos+1] == '\n' {
			return 2
		}
	case '\v', '\f', '\u0085':
		if c.oneLine {
			return w
		}
	}
	return 0
}

func (c *cleaner) lineBreak() {
	w := c.breakLen()
	switch {
	case c.oneLine:
		for c.swap(w, lineMark); c.breakLen() > 0; {
			c.drop(c.breakLen())
		}
	case c.in[c.pos] == '\n':
		c.keep('\n', w)
	default:
		c.swap(w, "\n")
	}
}
