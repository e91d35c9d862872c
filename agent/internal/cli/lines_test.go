package cli

import (
	"bufio"
	"strings"
	"testing"
)

// What the terminal says by itself is not what the person says.
func TestLinesWithoutSequences(t *testing.T) {
	for in, want := range map[string]string{
		"/branch 1\n": "/branch 1\n",
		"\x1b]11;rgb:0000/0000/0000\x07/branch 1\n":  "/branch 1\n",
		"\x1b]11;rgb:0000/0000/0000\x1b\\/a\x1b[A\n": "/a\n",
		"\x1b[?62;c\x1b[1;1Rgrüße\x1bOP\n":           "grüße\n",
		"\x1bP1+r544e\x1b\\two\\\nlines\n":           "two\nlines\n",
		"a\x00b\x7f\ttab\n":                          "ab\ttab\n",
	} {
		l := &lines{in: bufio.NewReader(strings.NewReader(in))}
		text, err := l.in.ReadString('\n')
		got, _, err := l.whole(text, err)
		if err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", in, got, err, want)
		}
	}
}
