package textindex

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"
)

// Search returns the documents that have, for every word of the query, a word that
// begins with it. ok is false if the query has no words: then it asks for nothing in
// particular.
func (x *Index) Search(query string) (found Set, ok bool) {
	words := terms(query)
	slices.Sort(words)
	for _, word := range slices.Compact(words) {
		one := x.prefix(word)
		if found == nil {
			found = one
		} else {
			found.and(one)
		}
	}
	for i := range min(len(found), len(x.dead)) {
		found[i] &^= x.dead[i]
	}
	return found, len(words) > 0
}

// prefix returns the documents that have a word that begins so.
func (x *Index) prefix(prefix string) Set {
	s := make(Set, (x.next+63)/64)
	from := sort.Search(len(x.sorted), func(i int) bool { return x.words[x.sorted[i]] >= prefix })
	for _, id := range x.sorted[from:] {
		if !strings.HasPrefix(x.words[id], prefix) {
			break
		}
		x.lists[id].each(s.put)
	}
	for _, id := range x.fresh {
		if strings.HasPrefix(x.words[id], prefix) {
			x.lists[id].each(s.put)
		}
	}
	return s
}

// Matches reports whether a search for the query would find a document with these
// texts.
func Matches(query string, texts ...string) bool {
	words := terms(query)
	for _, text := range texts {
		split(text, true, func(have []byte) bool {
			words = slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(string(have), w) })
			return len(words) > 0
		})
	}
	return len(words) == 0
}

// Rank returns up to n documents that have words of the texts, those with more and
// rarer ones first, the newer ones first among equals. keep chooses which may be
// returned; nil: all.
func (x *Index) Rank(n int, keep func(doc uint32) bool, texts ...string) []uint32 {
	var ids []uint32
	for _, text := range texts {
		split(text, true, func(word []byte) bool {
			if id, ok := x.ids[string(word)]; ok {
				ids = append(ids, id)
			}
			return len(ids) < MaxWords
		})
	}
	// The rarest first: what comes last may be in every document and says nothing.
	slices.SortFunc(ids, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(x.lists[a].n, x.lists[b].n), cmp.Compare(a, b))
	})
	ids = slices.Compact(ids)
	score := make([]float32, x.next)
	looked := 0
	for _, id := range ids {
		l := &x.lists[id]
		if looked > 0 && looked+int(l.n) > maxLooked {
			break
		}
		looked += int(l.n)
		weight := float32(math.Log(1 + float64(x.next)/float64(l.n+1)))
		l.each(func(doc uint32) { score[doc] += weight })
	}
	best := make([]uint32, 0, n+1)
	for doc := x.next; doc > 0; doc-- {
		d := doc - 1
		if score[d] == 0 || x.dead.Has(d) || len(best) == n && n > 0 && score[d] <= score[best[n-1]] || keep != nil && !keep(d) {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, score[d], func(b uint32, s float32) int {
			if score[b] >= s {
				return -1
			}
			return 1
		})
		if best = slices.Insert(best, at, d); len(best) > n {
			best = best[:n]
		}
	}
	return best
}

// maxLooked bounds how much of the lists Rank reads.
const maxLooked = 1 << 20
