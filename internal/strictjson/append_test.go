package strictjson

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

var texts = []string{
	"", "a", "plain words", `"`, `\`, `a"b\c/d`, "<b>&amp;</b>", "\x00\x01\x07\b\t\n\v\f\r\x1b\x1f ", "\x7f", "\u0080\u009b",
	"\u2027\u2028\u2029\u202a", "é€😀", "\ufffd", "\xff", "a\xffb\xc3", "\xed\xa0\x80", "\xf0\x9f\x98", "\xe2\x80", "\u2028\xff\u2029",
	"1234567\n", "12345678\n", "123456789\"", "1234567é", "12345678é\n", "é\"é\\é", "日本語\nテスト\"", strings.Repeat("long ", 100) + "\t",
}

func wantString(t *testing.T, s string) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func checkAppend(t *testing.T, s string) {
	t.Helper()
	want := append([]byte("before"), wantString(t, s)...)
	if got := AppendString([]byte("before"), s); !bytes.Equal(got, want) {
		t.Errorf("%q:\n got %s\nwant %s", s, got, want)
	}
}

func TestAppendString(t *testing.T) {
	t.Parallel()
	for _, s := range texts {
		checkAppend(t, s)
	}
	for c := range 256 { // every byte, at each place that eight bytes at a time can see it
		for at := range 10 {
			b := []byte("abcdefghij")
			b[at] = byte(c)
			checkAppend(t, string(b))
		}
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range texts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		checkAppend(t, s)
		if strings.ContainsRune(s, 0) || len(s) > DefaultMaxBytes/6-2 {
			return
		}
		v, err := Parse(AppendString(nil, s))
		if err != nil || v.Str() != string([]rune(s)) {
			t.Errorf("%q came back as %q, %v", s, v.Str(), err)
		}
	})
}
