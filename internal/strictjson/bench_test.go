package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// call is the typed form of the payloads that the benchmarks read.
type call struct {
	Questions []question `json:"questions"`
}

type question struct {
	Question    string   `json:"question"`
	Header      string   `json:"header"`
	MultiSelect bool     `json:"multiSelect"`
	Options     []option `json:"options"`
}

type option struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

// payload is a call of 4 questions with 4 options each; flavour goes into every text.
func payload(flavour string) []byte {
	var c call
	for i := range 4 {
		q := question{
			Question:    fmt.Sprintf("Which of these should part %d of the service use%s?", i+1, flavour),
			Header:      fmt.Sprintf("Part %d", i+1),
			MultiSelect: i%2 == 1,
		}
		for j := range 4 {
			q.Options = append(q.Options, option{
				Label:       fmt.Sprintf("Choice %d", j+1),
				Description: fmt.Sprintf("What choice %d means for cost, speed and the work that is left to do%s.", j+1, flavour),
			})
		}
		c.Questions = append(c.Questions, q)
	}
	data, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	return data
}

var payloads = []struct {
	name string
	data []byte
}{
	{"plain", payload("")},
	{"escapes", payload(" in \"production\"\nand in\ttests")},
	{"unicode", payload(" — für 本番環境とテスト環境")},
}

// read fills a call from a parsed value, as a dialect would.
func read(v Value) (c call) {
	questions, _ := v.Get("questions")
	c.Questions = make([]question, questions.Len())
	for i := range c.Questions {
		from, to := questions.Index(i), &c.Questions[i]
		to.Question = str(from, "question")
		to.Header = str(from, "header")
		multi, _ := from.Get("multiSelect")
		to.MultiSelect = multi.Bool()
		options, _ := from.Get("options")
		to.Options = make([]option, options.Len())
		for j := range to.Options {
			to.Options[j] = option{str(options.Index(j), "label"), str(options.Index(j), "description")}
		}
	}
	return c
}

func str(v Value, name string) string {
	member, _ := v.Get(name)
	return member.Str()
}

func TestReadEqualsUnmarshal(t *testing.T) {
	for _, p := range payloads {
		v, err := Parse(p.data)
		if err != nil {
			t.Fatal(err)
		}
		var want call
		if err := json.Unmarshal(p.data, &want); err != nil {
			t.Fatal(err)
		}
		if got := read(v); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: read %+v, want %+v", p.name, got, want)
		}
	}
}

// BenchmarkParse compares side by side: the tree alone, the tree read into structs
// (what a dialect does), and encoding/json into the same structs and into an any.
func BenchmarkParse(b *testing.B) {
	for _, p := range payloads {
		run := func(name string, f func() error) {
			b.Run(p.name+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(p.data)))
				b.ReportAllocs()
				for b.Loop() {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		run("strictjson-tree", func() error { _, err := Parse(p.data); return err })
		run("strictjson-struct", func() error {
			v, err := Parse(p.data)
			sink = read(v)
			return err
		})
		run("encodingjson-struct", func() error { var c call; err := json.Unmarshal(p.data, &c); sink = c; return err })
		run("encodingjson-any", func() error { var a any; return json.Unmarshal(p.data, &a) })
	}
}

var sink call

// BenchmarkRefuse shows that hostile inputs cost little.
func BenchmarkRefuse(b *testing.B) {
	for _, c := range []struct {
		name string
		data []byte
	}{
		{"oversized", make([]byte, 64<<20)},
		{"deep", bytes.Repeat([]byte("["), DefaultMaxBytes)},
		{"keys", manyKeys(90_000, `,"k0":0}`)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(c.data); err == nil {
					b.Fatal("accepted")
				}
			}
		})
	}
}

func BenchmarkAppendString(b *testing.B) {
	for _, c := range []struct{ name, s string }{
		{"plain", strings.Repeat("What this choice means for cost and speed. ", 4)},
		{"escapes", strings.Repeat("say \"yes\"\nor\tno. ", 10)},
		{"unicode", strings.Repeat("für 本番環境とテスト環境 ", 6)},
	} {
		b.Run(c.name+"/strictjson", func(b *testing.B) {
			b.SetBytes(int64(len(c.s)))
			b.ReportAllocs()
			var buf []byte
			for b.Loop() {
				buf = AppendString(buf[:0], c.s)
			}
		})
		b.Run(c.name+"/encodingjson", func(b *testing.B) {
			b.SetBytes(int64(len(c.s)))
			b.ReportAllocs()
			var buf bytes.Buffer
			e := json.NewEncoder(&buf)
			e.SetEscapeHTML(false)
			for b.Loop() {
				buf.Reset()
				if err := e.Encode(c.s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// manyKeys is an object of n different keys, closed by end.
func manyKeys(n int, end string) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `,"k%d":0`, i)
	}
	b.WriteString(end)
	data := b.Bytes()
	data[0] = '{'
	return data
}
