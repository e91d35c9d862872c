// Package strictjson is the one JSON reader at the edge: it turns bytes from a
// model or the network into a small immutable tree, or says why it will not.
//
// Use [Parse] for nearly everything, [ParseWith] where other limits hold, and
// [AppendString] to write strings back.
//
// What it guarantees:
//   - Two readers of one accepted input cannot disagree about it: duplicate keys,
//     trailing data, invalid UTF-8, half surrogate pairs, U+0000, a byte order mark
//     and numbers beyond a 64-bit float are refused, and names match exactly, never
//     by case folding.
//   - Whatever it accepts, encoding/json accepts with the same meaning.
//   - Size, depth and number of values are bounded, and time is linear in the size of the
//     input, however many members an object has.
//   - Every refusal is an [*Error] with the place, and a sentence that tells a
//     model what to change.
package strictjson

import "strings"

// The limits that [Parse] applies.
const (
	DefaultMaxBytes  = 1 << 20
	DefaultMaxDepth  = 32
	DefaultMaxValues = 20_000
)

// Limits bounds what [ParseWith] accepts. A field that is zero or less means its default.
type Limits struct {
	MaxBytes  int // size of the input; default DefaultMaxBytes, at most 1 GiB
	MaxDepth  int // arrays and objects inside each other; default DefaultMaxDepth
	MaxValues int // values in all, which bounds the memory; default DefaultMaxValues
}

// Parse reads exactly one JSON value under the default limits.
// It keeps no reference to data. A refusal is an [*Error].
func Parse(data []byte) (Value, error) { return ParseWith(data, nil) }

// ParseWith is [Parse] under other limits; nil means the defaults.
func ParseWith(data []byte, l *Limits) (Value, error) {
	maxBytes, maxDepth, maxValues := DefaultMaxBytes, DefaultMaxDepth, DefaultMaxValues
	if l != nil && l.MaxBytes > 0 {
		maxBytes = min(l.MaxBytes, 1<<30) // spans count input and decoded text in 32 bits
	}
	if l != nil && l.MaxDepth > 0 {
		maxDepth = l.MaxDepth
	}
	if l != nil && l.MaxValues > 0 {
		maxValues = l.MaxValues
	}
	if len(data) > maxBytes {
		return Value{}, refuse(maxBytes, ErrTooLarge, "it has %d bytes and at most %d are allowed", len(data), maxBytes)
	}

	// Both slices are sized so that a usual tool call never grows them.
	d := &document{src: string(data), nodes: make([]node, 0, min(len(data)/24+1, 1024))}
	p := parser{document: d, maxDepth: maxDepth, values: maxValues, stack: make([]node, 0, 24)}
	if strings.HasPrefix(p.src, "\uFEFF") {
		return Value{}, p.fail(ErrSyntax, "it begins with a byte order mark; remove it")
	}
	p.skip()
	if p.pos == len(p.src) {
		return Value{}, p.fail(ErrSyntax, "the input is empty; send one value")
	}
	root, err := p.value()
	if err != nil {
		return Value{}, err
	}
	if p.skip(); p.pos < len(p.src) {
		return Value{}, p.fail(ErrTrailingData, "send one value and nothing after it")
	}
	d.nodes = append(d.nodes, root)
	return Value{d, &d.nodes[len(d.nodes)-1]}, nil
}
