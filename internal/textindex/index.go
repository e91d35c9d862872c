package textindex

import (
	"encoding/binary"
	"slices"
	"strings"
)

// MaxWords is how many different words of a document count: the first ones.
const MaxWords = 2000

// Index is an index of the words of documents. Make one with [New].
type Index struct {
	ids    map[string]uint32 // of words
	words  []string          // by id
	lists  []list            // by id
	sorted []uint32          // ids, by their words
	fresh  []uint32          // ids that sorted does not have yet
	next   uint32            // the number of the next document, at least
	dead   Set
	gone   int // how many are dead
}

// list is the documents that have a word: the first, and the distances from one to
// the next.
type list struct {
	first, last uint32
	n           uint32
	more        []byte
}

// New returns an empty index.
func New() *Index { return &Index{ids: map[string]uint32{}} }

// Add adds a document, whose number is higher than that of any other so far.
func (x *Index) Add(doc uint32, texts ...string) {
	if doc < x.next {
		panic("textindex: documents are added in increasing order")
	}
	x.next = doc + 1
	left := MaxWords
	for _, text := range texts {
		if left == 0 {
			break
		}
		split(text, true, func(word []byte) bool {
			if x.add(doc, word) {
				left--
			}
			return left > 0
		})
	}
	if len(x.fresh) > 512+len(x.sorted)/16 {
		x.sort()
	}
}

// add reports whether the document did not have the word before.
func (x *Index) add(doc uint32, word []byte) bool {
	id, ok := x.ids[string(word)]
	if !ok {
		w := string(word)
		id = uint32(len(x.words))
		x.ids[w], x.words, x.fresh = id, append(x.words, w), append(x.fresh, id)
		x.lists = append(x.lists, list{first: doc, last: doc, n: 1})
		return true
	}
	l := &x.lists[id]
	if l.n > 0 && l.last == doc {
		return false
	}
	l.add(doc)
	return true
}

func (l *list) add(doc uint32) {
	if l.n == 0 {
		l.first = doc
	} else {
		l.more = binary.AppendUvarint(l.more, uint64(doc-l.last))
	}
	l.last = doc
	l.n++
}

func (l *list) each(fn func(doc uint32)) {
	if l.n == 0 {
		return
	}
	doc := l.first
	fn(doc)
	for b := l.more; len(b) > 0; {
		if b[0] < 0x80 {
			doc, b = doc+uint32(b[0]), b[1:]
		} else {
			d, n := binary.Uvarint(b)
			doc, b = doc+uint32(d), b[n:]
		}
		fn(doc)
	}
}

// sort puts the fresh words in their places.
func (x *Index) sort() {
	byWord := func(a, b uint32) int { return strings.Compare(x.words[a], x.words[b]) }
	slices.SortFunc(x.fresh, byWord)
	all := make([]uint32, 0, len(x.sorted)+len(x.fresh))
	i, j := 0, 0
	for i < len(x.sorted) && j < len(x.fresh) {
		if byWord(x.sorted[i], x.fresh[j]) < 0 {
			all = append(all, x.sorted[i])
			i++
		} else {
			all = append(all, x.fresh[j])
			j++
		}
	}
	x.sorted = append(append(all, x.sorted[i:]...), x.fresh[j:]...)
	x.fresh = x.fresh[:0]
}

// Remove takes a document out.
func (x *Index) Remove(doc uint32) {
	if doc >= x.next || x.dead.Has(doc) {
		return
	}
	if at := int(doc / 64); at >= len(x.dead) {
		x.dead = append(x.dead, make(Set, at+1-len(x.dead))...)
	}
	x.dead.put(doc)
	x.gone++
}

// Removed is how many documents were removed since the last [Index.Compact].
func (x *Index) Removed() int { return x.gone }

// Compact forgets what was removed. The documents get new numbers, in the same order:
// it returns them by the old ones. Those of removed documents mean nothing.
func (x *Index) Compact() (renumbered []uint32) {
	renumbered = make([]uint32, x.next)
	next := uint32(0)
	for doc := range x.next {
		renumbered[doc] = next
		if !x.dead.Has(doc) {
			next++
		}
	}
	old := *x
	*x = Index{ids: make(map[string]uint32, len(old.ids)), next: next}
	for id := range old.lists {
		var l list
		old.lists[id].each(func(doc uint32) {
			if !old.dead.Has(doc) {
				l.add(renumbered[doc])
			}
		})
		if l.n == 0 {
			continue
		}
		l.more = slices.Clip(l.more)
		x.ids[old.words[id]] = uint32(len(x.words))
		x.fresh = append(x.fresh, uint32(len(x.words)))
		x.words, x.lists = append(x.words, old.words[id]), append(x.lists, l)
	}
	x.sort()
	return renumbered
}

// Len is how many different words there are.
func (x *Index) Len() int { return len(x.words) }
