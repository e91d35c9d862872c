package textindex

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"Which Database?", "which database"},
		{"app/engine/natsstore.go:42", "app engine natsstore go 42"},
		{"Größe ÄÖÜ straße", "größe äöü straße"},
		{"ＰｏｓｔｇｒｅＳＱＬ　１６", "postgresql 16"},
		{"東京都に go", "東京 京都 都に に go"},
		{"字", "字"},
		{"go言語go", "go 言語 語 go"},
		{"ΣΊΣΥΦΟΣ и ПРИВЕТ", "σίσυφοσ и привет"},
		{"नमस्ते", "नमस्ते"},
		{strings.Repeat("x", 40) + " y", strings.Repeat("x", MaxWord) + " y"},
		{"a\xffb", "a b"},
	} {
		if got := strings.Join(Words(c.text), " "); got != c.want {
			t.Errorf("Words(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestSearch(t *testing.T) {
	x := New()
	for i, text := range []string{"Which database, PostgreSQL or SQLite?", "Drop the database", "東京都の店", "deploy to production", "Deploy ＤＡＴＡ"} {
		x.Add(uint32(i), text)
	}
	x.Remove(1)
	for _, c := range []struct {
		query string
		want  []uint32
	}{
		{"data", []uint32{0, 4}},
		{"DATABASE", []uint32{0}},
		{"post data", []uint32{0}},
		{"base", nil},
		{"deploy", []uint32{3, 4}},
		{"deploy deploy prod", []uint32{3}},
		{"京都", []uint32{2}},
		{"東京都", []uint32{2}},
		{"店", []uint32{2}},
		{"都", []uint32{2}},
		{"京東", nil},
		{"drop", nil},
	} {
		found, ok := x.Search(c.query)
		if got := members(found); !ok || !slices.Equal(got, c.want) {
			t.Errorf("Search(%q) = %v, want %v", c.query, got, c.want)
		}
	}
	if found, ok := x.Search(" ?! "); ok || found.Len() != 0 {
		t.Errorf("a query without words found %v, %v", found, ok)
	}
}

func members(s Set) (docs []uint32) {
	s.Each(func(doc uint32) bool { docs = append(docs, doc); return true })
	return docs
}

// TestAgainstNaive adds, removes and compacts at random, and compares every search
// with one that looks at each text.
func TestAgainstNaive(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		word := func() string {
			letters := []rune("abcäß東京都1")
			w := make([]rune, 1+r.IntN(4))
			for i := range w {
				w[i] = letters[r.IntN(len(letters))]
			}
			return string(w)
		}
		x, texts, next := New(), map[uint32]string{}, uint32(0)
		for range 400 {
			switch n := r.IntN(20); {
			case n < 12:
				var words []string
				for range r.IntN(12) {
					words = append(words, word())
				}
				texts[next] = strings.Join(words, " ")
				x.Add(next, texts[next])
				next += 1 + uint32(r.IntN(2))
			case n < 16 && next > 0:
				doc := uint32(r.IntN(int(next)))
				delete(texts, doc)
				x.Remove(doc)
			case n == 16:
				moved := map[uint32]string{}
				renumbered := x.Compact()
				for doc, text := range texts {
					moved[renumbered[doc]] = text
				}
				if len(moved) != len(texts) {
					t.Fatalf("seed %d: %d documents became %d", seed, len(texts), len(moved))
				}
				texts, next = moved, x.next
			default:
				query := word()
				if r.IntN(2) == 0 {
					query += " " + word()
				}
				var want []uint32
				for doc, text := range texts {
					if Matches(query, text) {
						want = append(want, doc)
					}
				}
				slices.Sort(want)
				found, _ := x.Search(query)
				if got := members(found); !slices.Equal(got, want) {
					t.Fatalf("seed %d: Search(%q) = %v, want %v", seed, query, got, want)
				}
			}
		}
	}
}

func TestRank(t *testing.T) {
	x := New()
	for i := range 50 {
		x.Add(uint32(i), fmt.Sprintf("should the agent do number %d", i))
	}
	x.Add(50, "should the agent migrate the billing database")
	x.Add(51, "migrate billing")
	x.Add(52, "migrate")
	got := x.Rank(3, nil, "should the agent migrate billing")
	if want := []uint32{50, 51, 52}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	x.Remove(51)
	got = x.Rank(2, func(doc uint32) bool { return doc != 50 }, "should the agent migrate billing")
	if len(got) != 2 || got[0] != 52 {
		t.Errorf("got %v, want 52 first", got)
	}
}

func TestLimits(t *testing.T) {
	x := New()
	var all strings.Builder
	for i := range MaxWords + 10 {
		fmt.Fprintf(&all, "w%d ", i)
	}
	x.Add(0, all.String(), "extra")
	if x.Len() != MaxWords {
		t.Errorf("%d words are kept, want %d", x.Len(), MaxWords)
	}
	long := strings.Repeat("y", 2*MaxWord)
	x.Add(1, long)
	if found, _ := x.Search(long + "z"); !found.Has(1) {
		t.Error("a word is not found by more of its beginning than is kept")
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"Which Database?", "東京都に go", "ｗｉｄｅ", "a\xffb", "ก็ไม่รู้", strings.Repeat("é", 80)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x := New()
		x.Add(0, text)
		for _, w := range Words(text) {
			if !utf8.ValidString(w) || w == "" || utf8.RuneCountInString(w) > MaxWord {
				t.Fatalf("%q is not a word", w)
			}
		}
		if len(Words(text)) > MaxWords {
			return
		}
		if found, ok := x.Search(text); ok && !found.Has(0) {
			t.Fatalf("the text %q does not find itself", text)
		}
		if !Matches(text, text) {
			t.Fatalf("the text %q does not match itself", text)
		}
	})
}
