package safetext

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
)

var update = flag.Bool("update", false, "write what Block and Line return into the corpus")

const corpus = "../../testdata/hostile"

// sample is one text of the corpus; testdata/hostile/README.md says what the
// fields mean.
type sample struct {
	Name  string   `json:"name"`
	Text  string   `json:"text,omitempty"`
	Hex   string   `json:"hex,omitempty"`
	Never []string `json:"never,omitempty"`
	Block string   `json:"block"`
	Line  string   `json:"line"`
}

func (s sample) input(t testing.TB) string {
	b, err := hex.DecodeString(s.Hex)
	if err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	return s.Text + string(b)
}

func load(t testing.TB, file string, to any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(corpus, file))
	if err == nil {
		err = json.Unmarshal(b, to)
	}
	if err != nil {
		t.Fatalf("read the corpus: %s: %v", file, err)
	}
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	total := 0
	for _, file := range []string{"terminal.json", "layout.json", "unicode.json", "legit.json"} {
		var samples []sample
		load(t, file, &samples)
		for i, s := range samples {
			in := s.input(t)
			block, line := Block(in), Line(in)
			if *update {
				samples[i].Block, samples[i].Line = block, line
			} else if block != s.Block || line != s.Line {
				t.Errorf("%s: %s:\nblock %q\nwant  %q\nline  %q\nwant  %q", file, s.Name, block, s.Block, line, s.Line)
			}
			for _, never := range s.Never {
				if !strings.Contains(in, never) {
					t.Errorf("%s: %s: %q is not in the text", file, s.Name, never)
				}
				if strings.Contains(block, never) || strings.Contains(line, never) {
					t.Errorf("%s: %s: %q got through", file, s.Name, never)
				}
			}
			checkClean(t, in)
		}
		if file != "legit.json" {
			total += len(samples)
		}
		if *update {
			write(t, file, samples)
		}
	}
	if t.Logf("%d hostile texts", total); total < 100 {
		t.Errorf("the corpus has shrunk to %d hostile texts", total)
	}
}

func TestLegitimateTextIsKept(t *testing.T) {
	t.Parallel()
	var samples []sample
	load(t, "legit.json", &samples)
	for _, s := range samples {
		if got := Block(s.Text); got != s.Text {
			t.Errorf("%s:\ngot  %q\nfrom %q", s.Name, got, s.Text)
		}
	}
}

func TestBlank(t *testing.T) {
	t.Parallel()
	var samples []struct {
		sample
		Blank bool
	}
	load(t, "blank.json", &samples)
	for _, s := range samples {
		if in := s.input(t); Blank(in) != s.Blank {
			t.Errorf("%s: Blank(%q) = %v", s.Name, in, !s.Blank)
		}
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	var labels struct {
		Pairs []struct {
			Name, A, B string
			Same       bool
		}
		Words []struct {
			Name, Text string
			Mixed      bool
		}
	}
	load(t, "labels.json", &labels)
	for _, p := range labels.Pairs {
		if a, b := Key(p.A), Key(p.B); (a == b) != p.Same {
			t.Errorf("%s: keys %q and %q of %q and %q: same should be %v", p.Name, a, b, p.A, p.B, p.Same)
		}
	}
	for _, w := range labels.Words {
		if Mixed(w.Text) != w.Mixed {
			t.Errorf("%s: Mixed(%q) = %v", w.Name, w.Text, !w.Mixed)
		}
	}
}

// write saves samples so that an editor shows every character that it holds.
func write(t *testing.T, file string, samples []sample) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(samples); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, r := range b.String() {
		switch {
		case r == '\n' || unicode.IsPrint(r) && !hidden(r) && !blankLetter(r) && !attached(r) && !prepended(r) && !unicode.Is(unicode.M, r):
			out.WriteRune(r)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	if err := os.WriteFile(filepath.Join(corpus, file), []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
