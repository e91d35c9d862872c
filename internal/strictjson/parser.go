package strictjson

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// parser reads src once, from left to right, by recursive descent; maxDepth bounds
// the recursion. A finished child waits on stack until its parent closes; then all
// children of that parent move to nodes together, which puts them side by side.
type parser struct {
	*document
	pos      int
	depth    int
	maxDepth int
	values   int // how many more may come
	stack    []node
}

// value reads the value that begins at pos.
func (p *parser) value() (node, *Error) {
	if p.pos == len(p.src) {
		return node{}, p.unexpected("a value")
	}
	if p.values--; p.values < 0 {
		return node{}, p.fail(ErrTooMany, "send fewer")
	}
	switch c := p.src[p.pos]; c {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		start := p.pos
		text, err := p.str()
		return node{raw: p.since(start), body: text, kind: String}, err
	case 't':
		return p.word("true", node{kind: Bool, body: span{to: 1}})
	case 'f':
		return p.word("false", node{kind: Bool})
	case 'n':
		return p.word("null", node{kind: Null})
	default:
		if c == '-' || isDigit(c) {
			return p.number()
		}
		return node{}, p.unexpected("a value")
	}
}

func (p *parser) array() (node, *Error) {
	start, base := p.pos, len(p.stack)
	if err := p.enter(); err != nil {
		return node{}, err
	}
	if p.skip() != ']' {
		for i := 0; ; i++ {
			v, err := p.value()
			if err != nil {
				return node{}, err.inElement(i)
			}
			p.stack = append(p.stack, v)
			c := p.skip()
			if c == ']' {
				break
			}
			if c != ',' {
				return node{}, p.unexpected("a comma or ]")
			}
			p.pos++
			if p.skip() == ']' {
				return node{}, p.fail(ErrSyntax, "remove the comma before ]")
			}
		}
	}
	return p.leave(Array, start, base), nil
}

// manyMembers is where comparing each key with all before it gives way to a map,
// so that an object of 100,000 keys costs linear time.
const manyMembers = 16

func (p *parser) object() (node, *Error) {
	start, base := p.pos, len(p.stack)
	if err := p.enter(); err != nil {
		return node{}, err
	}
	var seen map[string]struct{}
	if p.skip() != '}' {
		for {
			name, err := p.key(base, &seen)
			if err != nil {
				return node{}, err
			}
			if p.skip() != ':' {
				return node{}, p.unexpected("a colon").inMember(p.at(name))
			}
			p.pos++
			p.skip()
			v, err := p.value()
			if err != nil {
				return node{}, err.inMember(p.at(name))
			}
			v.name = name
			p.stack = append(p.stack, v)
			c := p.skip()
			if c == '}' {
				break
			}
			if c != ',' {
				return node{}, p.unexpected("a comma or }")
			}
			p.pos++
			if p.skip() == '}' {
				return node{}, p.fail(ErrSyntax, "remove the comma before }")
			}
		}
	}
	return p.leave(Object, start, base), nil
}

// key reads the key at pos and refuses one that the object, whose members so far
// are stack[base:], already has.
func (p *parser) key(base int, seen *map[string]struct{}) (span, *Error) {
	start := p.pos
	if start == len(p.src) || p.src[start] != '"' {
		return span{}, p.unexpected("a key in double quotes")
	}
	text, err := p.str()
	if err != nil {
		return span{}, err
	}
	name, members, twice := p.at(text), p.stack[base:], false
	if len(members) < manyMembers {
		for i := range members {
			if p.at(members[i].name) == name {
				twice = true
			}
		}
	} else {
		if *seen == nil {
			*seen = make(map[string]struct{}, 4*manyMembers)
			for i := range members {
				(*seen)[p.at(members[i].name)] = struct{}{}
			}
		}
		_, twice = (*seen)[name]
		(*seen)[name] = struct{}{}
	}
	if twice {
		return span{}, refuse(start, ErrDuplicateKey, "send %s only once", quote(name)).inMember(name)
	}
	return text, nil
}

// enter steps over an opening bracket and leave over the closing one.
func (p *parser) enter() *Error {
	if p.depth == p.maxDepth {
		return p.fail(ErrTooDeep, "at most %d levels of arrays and objects are allowed", p.maxDepth)
	}
	p.depth++
	p.pos++
	return nil
}

func (p *parser) leave(kind Kind, start, base int) node {
	p.depth--
	p.pos++
	first := len(p.nodes)
	p.nodes = append(p.nodes, p.stack[base:]...)
	p.stack = p.stack[:base]
	return node{raw: p.since(start), body: span{uint32(first), uint32(len(p.nodes))}, kind: kind}
}

func (p *parser) word(word string, n node) (node, *Error) {
	if !strings.HasPrefix(p.src[p.pos:], word) {
		return node{}, p.unexpected("a value")
	}
	start := p.pos
	p.pos += len(word)
	n.raw = p.since(start)
	return n, nil
}

// skip steps over white space and returns the next byte as peek does.
func (p *parser) skip() byte {
	for ; p.pos < len(p.src); p.pos++ {
		if c := p.src[p.pos]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
	}
	return 0
}

// peek returns the byte at pos, or 0 at the end. No caller wants a 0, so the two
// need not be told apart until unexpected does.
func (p *parser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

func (p *parser) since(start int) span { return span{uint32(start), uint32(p.pos)} }

func (p *parser) fail(reason error, advice string, args ...any) *Error {
	return refuse(p.pos, reason, advice, args...)
}

// unexpected refuses what stands at pos, with a hint for the slips that models make.
func (p *parser) unexpected(want string) *Error {
	if p.pos == len(p.src) {
		return p.fail(ErrSyntax, "it ends where %s was expected; send it whole", want)
	}
	r, size := utf8.DecodeRuneInString(p.src[p.pos:])
	if r == utf8.RuneError && size == 1 {
		return p.invalidUTF8()
	}
	found := fmt.Sprintf("expected %s, found %+q", want, r)
	switch r {
	case '\'', '\u2018', '\u2019', '\u201c', '\u201d', '`':
		found += "; write strings and keys in straight double quotes"
	case '/', '#':
		found += "; remove comments"
	case 'T', 'F', 'N', 'I', 'u':
		if want == "a value" {
			found += "; the only bare words are true, false and null"
		}
	}
	return p.fail(ErrSyntax, "%s", found)
}

func (p *parser) invalidUTF8() *Error {
	return p.fail(ErrInvalidUTF8, "replace the byte 0x%02x", p.src[p.pos])
}
