package strictjson

import "strconv"

// number reads the number that begins at pos: the grammar of RFC 8259, and nothing
// that encoding/json could not put into a float64.
func (p *parser) number() (node, *Error) {
	start := p.pos
	if p.src[p.pos] == '-' {
		p.pos++
	}
	whole := p.pos
	if !p.digits() {
		return node{}, p.unexpected("a digit")
	}
	if p.src[whole] == '0' && p.pos > whole+1 {
		p.pos = whole
		return node{}, p.fail(ErrSyntax, "a number cannot begin with 0; remove the zero or send a string")
	}
	if p.peek() == '.' {
		p.pos++
		if !p.digits() {
			return node{}, p.unexpected("a digit")
		}
	}
	exponent := p.peek()|0x20 == 'e'
	if exponent {
		p.pos++
		if c := p.peek(); c == '+' || c == '-' {
			p.pos++
		}
		if !p.digits() {
			return node{}, p.unexpected("a digit")
		}
	}
	// The largest float64 has 309 digits: shorter literals always fit.
	if exponent || p.pos-start > 300 {
		if _, err := strconv.ParseFloat(p.src[start:p.pos], 64); err != nil {
			p.pos = start
			return node{}, p.fail(ErrNumberRange, "send a smaller one, or send it as a string")
		}
	}
	return node{raw: p.since(start), kind: Number}, nil
}

// digits steps over digits and reports whether there were any.
func (p *parser) digits() bool {
	start := p.pos
	for isDigit(p.peek()) {
		p.pos++
	}
	return p.pos > start
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
