package console

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"
)

func TestPrintJSON(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, text, want string }{
		{"plain", "Which database?", `"Which database?"`},
		{"letters of the world", "Größe 大小 😀", `"Größe 大小 😀"`},
		{"lines", "a\nb\tc", `"a\nb\tc"`},
		{"an escape sequence", "\x1b[2J", `"\u001b[2J"`},
		{"delete", "\x7f", `"\u007f"`},
		{"one byte controls", "\u009b2J", `"\u009b2J"`},
		{"turned around", "\u202egnp.exe", `"\u202egnp.exe"`},
		{"no width", "pay\u200bpal", `"pay\u200bpal"`},
		{"another space", "a\u00a0b", `"a\u00a0b"`},
		{"a line of its own", "a\u2028b", `"a\u2028b"`},
		{"a tag beyond 16 bits", "\U000e0041", `"\udb40\udc41"`},
		{"private use beyond 16 bits", "\U0010fffd", `"\udbff\udffd"`},
		{"what stands for no text", "\ufffd", `"\ufffd"`},
		{"no text at all", "\xff\xfe", `"\ufffd\ufffd"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			if err := (&World{Out: &out}).PrintJSON(tc.text); err != nil {
				t.Fatal(err)
			}
			line := strings.TrimSuffix(out.String(), "\n")
			if line != tc.want || out.String() == line {
				t.Errorf("%q, want %q and the end of the line", out.String(), tc.want)
			}
			if i := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
				t.Errorf("%q cannot be seen at byte %d", line, i)
			}
			var back string
			if err := json.Unmarshal([]byte(line), &back); err != nil || back != strings.ToValidUTF8(tc.text, "\ufffd\ufffd") {
				t.Errorf("reads back as %q (%v)", back, err)
			}
		})
	}
	if err := (&World{}).PrintJSON(func() {}); err == nil {
		t.Error("a function was printed")
	}
}

// TestPrint: standard error is for people, a pipe for programs.
func TestPrint(t *testing.T) {
	t.Parallel()
	var out, errs strings.Builder
	w := &World{Out: &out, Err: &errs}
	if err := w.Print("red \x1b[31m"); err != nil || out.String() != "red \x1b[31m\n" {
		t.Errorf("%v, %q", err, out.String())
	}
	w.Say("%s", "red \x1b[31m")
	if said := errs.String(); strings.Contains(said, "\x1b") || !strings.HasPrefix(said, "red ") || !strings.HasSuffix(said, "\n") {
		t.Errorf("says %q", said)
	}
	w.Out = full{}
	if w.Print("x") == nil || w.PrintJSON("x") == nil {
		t.Error("the result is lost and nobody is told")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }
