package textindex

import "math/bits"

// Set is a set of documents.
type Set []uint64

func (s Set) put(doc uint32) { s[doc/64] |= 1 << (doc % 64) }

// Has reports whether the document is in the set.
func (s Set) Has(doc uint32) bool {
	at := int(doc / 64)
	return at < len(s) && s[at]&(1<<(doc%64)) != 0
}

// Len is how many documents are in the set.
func (s Set) Len() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// Each calls fn for every document, in increasing order, until that returns false.
func (s Set) Each(fn func(doc uint32) bool) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			if !fn(uint32(i*64 + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

func (s Set) and(t Set) {
	for i := range s {
		s[i] &= t[i]
	}
}
