package safetext

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// defaultIgnorable is the property as Unicode derives it, written apart from
// the package's own classes so that the two can disagree.
func defaultIgnorable(r rune) bool {
	switch {
	case r >= 0xfff9 && r <= 0xfffb, r >= 0x13430 && r <= 0x13440, unicode.Is(unicode.White_Space, r):
		return false
	}
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf, unicode.Variation_Selector) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// checkClean holds every promise of the package doc against one input.
func checkClean(t *testing.T, in string) {
	t.Helper()
	for _, mode := range []struct {
		name  string
		clean func(string) string
	}{{"Block", Block}, {"Line", Line}} {
		out := mode.clean(in)
		fail := func(what string) {
			t.Helper()
			t.Errorf("%s: %s\nfrom %+q\nto   %+q", mode.name, what, in, out)
		}
		if !utf8.ValidString(out) {
			fail("not valid UTF-8")
		}
		if len(out) > 4*len(in) {
			fail("more than four times as long")
		}
		if again := mode.clean(out); again != out {
			fail("not idempotent: " + again)
		}
		var prev rune
		marks := 0
		for _, r := range out {
			switch {
			case unicode.IsControl(r) && (r != '\n' || mode.name == "Line"), r == 0x2028, r == 0x2029:
				fail("a control character")
			case unicode.Is(unicode.Bidi_Control, r):
				fail("a bidi control")
			case unicode.Is(unicode.Co, r), unicode.Is(unicode.Noncharacter_Code_Point, r):
				fail("a character without a shape")
			case defaultIgnorable(r):
				if kept := r == zwj || r == zwnj || selector(r); !kept || prev == 0 || defaultIgnorable(prev) && !unicode.Is(unicode.M, prev) {
					fail("an invisible character")
				}
			case unicode.Is(unicode.M, r):
				if prev == 0 || prev == ' ' || prev == '\n' {
					fail("a mark without a base")
				}
				if marks++; marks > MaxMarks {
					fail("too many marks")
				}
			default:
				marks = 0
			}
			prev = r
		}
	}
}

// Every Bidi_Control and Default_Ignorable code point is shown or refused: in
// no surroundings does it vanish, and only joiners and selectors may stay.
func TestEveryInvisibleIsShown(t *testing.T) {
	t.Parallel()
	around := [][2]string{{"", ""}, {"a", "b"}, {" ", " "}, {"я", "ж"}, {"漢", "字"}, {"می", "خ"}, {"क्", "ष"}, {"😀", "😀"}, {"1", "\u20e3"}, {"한", "국"}, {"e\u0301", "\u0301"}, {"a\n", "\nb"}}
	seen := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.Is(unicode.Bidi_Control, r) && !defaultIgnorable(r) {
			continue
		}
		seen++
		for _, a := range around {
			in := a[0] + string(r) + a[1]
			checkClean(t, in)
			for _, out := range []string{Block(in), Line(in)} {
				kept := strings.ContainsRune(out, r)
				if kept && (r != zwj && r != zwnj && !selector(r) || a[0] == "" || a[0] == "a" || a[0] == " " || a[0] == "я") {
					t.Errorf("%U is kept in %+q", r, in)
				}
				gone := out == Block(a[0]+a[1]) || out == Line(a[0]+a[1])
				if gone && (r != zwj || a[0] != "😀") {
					t.Errorf("%U vanishes from %+q", r, in)
				}
			}
		}
		if !Blank(string(r)) {
			t.Errorf("%U is not blank", r)
		}
		if Key("a"+string(r)+"b") != "ab" && !blankLetter(r) {
			t.Errorf("%U is left in a key", r)
		}
	}
	if t.Logf("%d code points", seen); seen < 4000 {
		t.Errorf("only %d code points are Bidi_Control or Default_Ignorable", seen)
	}
}

func TestEveryCodePoint(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		switch r {
		case 0x20100: // ideographs, unassigned
			r = 0xe0000
		case 0xe2000, 0xf0100: // unassigned, private use
			r = 0x10ff00
		}
		checkClean(t, "a"+string(r)+"\u0301"+string(r))
		if t.Failed() {
			return
		}
	}
}

func TestPlainTextIsFree(t *testing.T) {
	const text = "Which database should the service use? [1-3]"
	for name, f := range map[string]func(){
		"Block":         func() { Block(text + "\nSecond line.") },
		"Line":          func() { Line(text) },
		"Key":           func() { Key(text) },
		"Blank":         func() { Blank(text) },
		"Mixed":         func() { Mixed(text) },
		"Block in CJK":  func() { Block("続けますか？はい・いいえ") },
		"Line in Hindi": func() { Line("क्या जारी रखें?") },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// floods returns 300 KB of each kind of text that might cost more than its share.
func floods() map[string]string {
	fill := func(s string) string { return strings.Repeat(s, 300_000/len(s)) }
	return map[string]string{
		"ascii":      fill("hello "),
		"cjk":        fill("続けますか"),
		"persian":    fill("می\u200cخواهم "),
		"marks":      "a" + fill("\u0301"),
		"mixedmarks": fill("a\u0301\u0327"),
		"orphans":    fill(" \u0301"),
		"zwsp":       fill("\u200b"),
		"bits":       fill("\u200b\u200c"),
		"tags":       fill("\U000e0041\U000e0042"),
		"emojizwj":   fill("👨\u200d"),
		"jamo":       fill("\u1100\u1161\u11a8"),
		"flags":      fill("🇫"),
		"badutf8":    fill("\xe2\x1b"),
		"escapes":    fill("\x1b[2J"),
		"breaks":     fill("\r\n\u2028\v"),
	}
}

func TestLinearTime(t *testing.T) {
	for name, s := range floods() {
		for what, f := range map[string]func(){
			"Block": func() { Block(s) }, "Key": func() { Key(s) },
		} {
			start := time.Now()
			f()
			// A quadratic step takes minutes here; the bound leaves room for
			// the race detector and a very busy machine.
			if d := time.Since(start); d > time.Minute {
				t.Errorf("%s of 300 KB %s took %v", what, name, d)
			}
		}
	}
}

func TestTablesAreSorted(t *testing.T) {
	t.Parallel()
	for name, table := range map[string]string{"decompositions": decompositions, "compositions": compositions, "twins": twins} {
		prev := ""
		for record := range strings.SplitSeq(strings.TrimSuffix(table, "|"), "|") {
			if record <= prev {
				t.Errorf("%s: %+q after %+q", name, record, prev)
			}
			prev = record
		}
	}
}

func TestComposeUndoesDecompose(t *testing.T) {
	t.Parallel()
	n := 0
	for record := range strings.SplitSeq(strings.TrimSuffix(compositions, "|"), "|") {
		rs := []rune(record)
		whole := decompose(nil, rs[2])
		parts := decompose(decompose(nil, rs[0]), rs[1])
		if string(whole) != string(parts) {
			t.Errorf("%U is %U, but its parts are %U", rs[2], whole, parts)
		}
		n++
	}
	for r := rune(hangulS); r < hangulS+countS; r++ {
		if got := Block(string(decompose(nil, r))); got != string(r) {
			t.Errorf("%U composes to %+q", r, got)
		}
	}
	if n < 900 {
		t.Errorf("only %d compositions", n)
	}
}

func FuzzClean(f *testing.F) {
	for _, file := range []string{"terminal.json", "layout.json", "unicode.json", "legit.json"} {
		var samples []sample
		load(f, file, &samples)
		for _, s := range samples {
			f.Add(s.input(f))
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkClean(t, s)
		key := Key(s)
		if Key(key) != key {
			t.Errorf("Key is not idempotent: %+q, %+q, %+q", s, key, Key(key))
		}
		if Blank(s) && strings.Trim(key, "\ufffd\ufffc ") != "" {
			t.Errorf("blank %+q has the key %+q", s, key)
		}
		Mixed(s)
	})
}

func BenchmarkBlock(b *testing.B) {
	for _, name := range []string{"ascii", "cjk", "persian", "mixedmarks", "tags", "escapes"} {
		s := floods()[name]
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				Block(s)
			}
		})
	}
}

func BenchmarkLabel(b *testing.B) {
	const label = "Use PostgreSQL (Recommended)"
	for name, f := range map[string]func(string) string{"Line": Line, "Key": Key} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f(label)
			}
		})
	}
}
