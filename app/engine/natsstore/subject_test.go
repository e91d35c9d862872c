package natsstore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/engine/natsstore"
)

func TestToken(t *testing.T) {
	for in, want := range map[string]string{
		"":                "_",
		"acme":            "acme",
		"ask_k3j":         "ask_k3j",
		"_":               "_Xw",
		"a.b":             "_YS5i",
		"*":               "_Kg",
		">":               "_Pg",
		"ann@example.org": "_YW5uQGV4YW1wbGUub3Jn",
		"grün":            "_Z3LDvG4",
		"-":               "-",
	} {
		if got := natsstore.Token(in); got != want {
			t.Errorf("token of %q is %q, want %q", in, got, want)
		}
	}
}

// Nothing that is not a token is read as one: two subjects would be one address.
func TestUntokenStrict(t *testing.T) {
	for _, in := range []string{"", "a.b", "_YWNtZQ", "_Kh", "_K", "_YS5i=", "_YS 5i", "ü"} {
		if got, err := natsstore.Untoken(in); err == nil {
			t.Errorf("%q reads as %q", in, got)
		}
	}
}

func FuzzToken(f *testing.F) {
	for _, s := range []string{"", "_", "a", "a b", "*.>", "\x00", "ann@example.org", strings.Repeat("ü", 128)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tok := natsstore.Token(s)
		if tok == "" || strings.ContainsFunc(tok, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
		}) {
			t.Fatalf("token of %q is %q", s, tok)
		}
		back, err := natsstore.Untoken(tok)
		if err != nil || back != s {
			t.Fatalf("%q came back as %q, %v", s, back, err)
		}
	})
}

// The shard of an inbox is where its records are: these values are for ever.
func TestShardOf(t *testing.T) {
	for in, want := range map[[2]string]int{
		{"acme", ""}:        0,
		{"acme", "ann"}:     2,
		{"acme", "bob"}:     2,
		{"acmeann", ""}:     0,
		{"", "acme\x00ann"}: 2,
	} {
		if got := natsstore.ShardOf(in[0], in[1], 4); got != want {
			t.Errorf("shard of %q is %d, want %d", in, got, want)
		}
	}
	var n [16]int
	for i := range 16000 {
		n[natsstore.ShardOf("acme", fmt.Sprintf("person-%d", i), 16)]++
	}
	for i, k := range n {
		if k < 850 || k > 1150 {
			t.Errorf("shard %d has %d of 16000 inboxes", i, k)
		}
	}
}
