package strictjson

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// corners are inputs at the edge of the grammar. Both tables are also checked
// against encoding/json, so that a wrong row cannot stay.
var (
	wellFormed = []string{
		`0`, `-0`, `1`, `-1`, `10`, `0.0`, `-0.5`, `0e1`, `0e+1`, `0E-1`, `1e5`, `1E5`, `1.5e-3`, `123456789012345678901234567890`,
		`1e-999`, `1.7976931348623157e308`, `0.` + strings.Repeat("0", 400) + `1`, "1" + strings.Repeat("0", 308), ` 1 `, `[1e5,2]`,
		`true`, `false`, `null`, `[true,false,null]`, `""`, `" "`, `"a"`,
		`"\"\\\/\b\f\n\r\t"`, `"\u0041"`, `"\u00e9\u00E9"`, `"\u20ac"`, `"\ud83d\ude00"`, `"\uD83D\uDE00"`, `"\uDBFF\uDFFF"`, `"\ud800\udc00x"`,
		`"\ufffd"`, "\"\ufffd\"", "\"\ufeff\"", `"\ufeff"`, `"\u0001"`, `"\u001f"`, "\"\x7f\"", `"\uffff"`, `"\u2028"`, "\"\u2028\u2029\"", "\"\U0010ffff\"",
		`"\\u0000"`, `"\\ud800"`, `"a\\"`, `"\\\\\""`, `"/"`, `"` + strings.Repeat(`\n`, 3000) + `"`,
		`"1234567\n"`, `"12345678\n"`, `"123456789"`, `"1234567` + "\u00e9" + `"`, `"12345678` + "\u00e9" + `x"`, "\"\u00e9\u00e9\u00e9\u00e9\u00e9\"", `"!#[]~"`,
		`[]`, `[ ]`, "\t[\r\n1 ,\t2\r]\n", `[[],[[]],{}]`, `[[1,2],[3,[4,5]],6]`, nested(32),
		`{}`, `{ }`, "{\n\"a\" : 1\t,\r\"b\":2 }", `{"":0}`, `{"a":{"a":{"a":1}}}`, `{"a":1,"A":2}`, `{"a\n":1,"a":2,"\n":"\n"}`,
		`{"\u0061":1,"\u00620":"\t"}`, `{"a.b":1}`, string(manyKeys(16, "}")), string(manyKeys(17, "}")), string(manyKeys(300, "}")),
		"[" + strings.Repeat("0,", 5000) + "0]",
	}
	malformed = []string{
		`+1`, `-`, `--1`, `-a`, `01`, `-01`, `00`, `1.`, `.5`, `-.5`, `1.e5`, `1e`, `1e+`, `1e-`, `1ee5`, `1e5.5`, `1.2.3`, `0x1`, `1_000`, `1 000`, `1,5`,
		`NaN`, `Infinity`, `-Infinity`, `inf`, `-NaN`, `1f`, `１`,
		`tru`, `t`, `True`, `TRUE`, `truefalse`, `nul`, `nulll`, `undefined`, `None`, `n`, `fals`,
		`"`, `"a`, `"\`, `"\"`, `"\x41"`, `"\a"`, `"\0"`, `"\'"`, `"\U0041"`, `"\u"`, `"\u12"`, `"\u123"`, `"\u123`, `"\u 123"`, `"\u-123"`, `"\u+041"`, `"\uzzzz"`, `"\u00g0"`,
		"\"\t\"", "\"\n\"", "\"\x1f\"", "\"1234567\n\"", "\"12345678\n9\"", `'a'`, "`a`", `a`, `“a”`, `"a""b"`,
		`[`, `]`, `[1`, `[1,`, `[1,]`, `[,1]`, `[,]`, `[1,,2]`, `[1 2]`, `[1:2]`, `[}`, `[1}`, `["a"`, `["a",`, `[[]`, `[]]`, `[1];`, `(1)`,
		`{`, `}`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,"a":1}`, `{"a":1,,"b":2}`, `{"a":1 "b":2}`, `{"a","b"}`, `{"a"::1}`, `{"a":1:2}`,
		`{a:1}`, `{'a':1}`, `{1:1}`, `{null:1}`, `{[]:1}`, `{"a":1]`, `{]`, `{"a"}`, `{:1}`, `{}{}`, `{"a":1}#`, `{"a" "b"}`,
		`/* c */1`, `1//c`, `# c`, "1\f", "\v1", "\u00a01", "\u20281", "\x00", "1\x00", "[1\x00]", "\x1b[0m", "<null>", `\u007b}`, "\ufeff1", "1\ufeff", "",
	}
)

func TestWellFormed(t *testing.T) {
	t.Parallel()
	for _, in := range wellFormed {
		v, err := Parse([]byte(in))
		if err != nil {
			t.Errorf("%.60q: %v", in, err)
			continue
		}
		var want any
		if err := json.Unmarshal([]byte(in), &want); err != nil {
			t.Errorf("%.60q: wrong row, encoding/json says %v", in, err)
		}
		if got := v.Any(); !reflect.DeepEqual(got, want) {
			t.Errorf("%.60q: got %.80v, want %.80v", in, got, want)
		}
	}
}

func TestMalformed(t *testing.T) {
	t.Parallel()
	for _, in := range malformed {
		if v, err := Parse([]byte(in)); !errors.Is(err, ErrSyntax) && !errors.Is(err, ErrTrailingData) {
			t.Errorf("%.60q: got %s %v, want a syntax error", in, v.Raw(), err)
		}
		if json.Valid([]byte(in)) {
			t.Errorf("%.60q: wrong row, encoding/json accepts it", in)
		}
	}
}

func TestValue(t *testing.T) {
	t.Parallel()
	const src = ` {"s" : "a\tb", "n":-1.50e1, "t":true, "f":false, "z":null,
		"list":[ 1, "x" , [ ] ], "\u006fbj":{"b":1,"a":{"s":"inner"}} } `
	data := []byte(src)
	v, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	clear(data) // the value must not depend on the caller's bytes

	var names []string
	for name, member := range v.Members() {
		names = append(names, name)
		if got, ok := v.Get(name); !ok || got != member || v.Index(len(names)-1) != member {
			t.Errorf("%s: Get, Index and Members differ", name)
		}
	}
	if want := []string{"s", "n", "t", "f", "z", "list", "obj"}; !slices.Equal(names, want) || v.Len() != len(want) {
		t.Errorf("members %v, want %v", names, want)
	}
	for range v.Members() {
		break // must not panic
	}

	for name, want := range map[string]struct {
		kind  Kind
		word  string
		raw   string
		str   string
		num   string
		truth bool
		n     int
	}{
		"s":    {kind: String, word: "string", raw: `"a\tb"`, str: "a\tb"},
		"n":    {kind: Number, word: "number", raw: `-1.50e1`, num: `-1.50e1`},
		"t":    {kind: Bool, word: "boolean", raw: `true`, truth: true},
		"f":    {kind: Bool, word: "boolean", raw: `false`},
		"z":    {kind: Null, word: "null", raw: `null`},
		"list": {kind: Array, word: "array", raw: `[ 1, "x" , [ ] ]`, n: 3},
		"obj":  {kind: Object, word: "object", raw: `{"b":1,"a":{"s":"inner"}}`, n: 2},
	} {
		m, ok := v.Get(name)
		if !ok || m.Kind() != want.kind || m.Kind().String() != want.word || m.Raw() != want.raw || m.Str() != want.str ||
			m.Num() != want.num || m.Bool() != want.truth || m.Len() != want.n {
			t.Errorf("%s: got %v %q %q %q %v %d, want %+v", name, m.Kind(), m.Raw(), m.Str(), m.Num(), m.Bool(), m.Len(), want)
		}
	}
	if v.Raw() != strings.TrimSpace(src) {
		t.Errorf("raw %q", v.Raw())
	}
	if got := str(v.Index(6).Index(1), "s"); got != "inner" {
		t.Errorf("inner string %q", got)
	}
	if got := v.Index(5).Index(1).Str(); got != "x" {
		t.Errorf("list element %q", got)
	}
}

func TestZeroAndMissing(t *testing.T) {
	t.Parallel()
	list, err := Parse([]byte(`["a"]`))
	if err != nil {
		t.Fatal(err)
	}
	var zero Value
	if zero.Kind() != Null || zero.Raw() != "" || zero.Str() != "" || zero.Num() != "" || zero.Bool() || zero.Len() != 0 || zero.Any() != nil {
		t.Error("the zero Value is not an empty null")
	}
	for _, v := range []Value{zero, list, list.Index(0)} {
		if got, ok := v.Get("a"); ok || got != zero {
			t.Errorf("%s has a member", v.Kind())
		}
		for name := range v.Members() {
			t.Errorf("%s yields member %s", v.Kind(), name)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: Index out of range did not panic", v.Kind())
				}
			}()
			v.Index(1)
		}()
	}
}

// S17: a name is found by its exact characters only, however encoding/json would fold it.
func TestExactNames(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"answer":"no","ANSWER":"yes"}`:   "no",
		`{"ANSWER":"yes","answer":"no"}`:   "no",
		`{"Answer":"yes"}`:                 "",
		"{\"an\u017fwer\":\"yes\"}":        "",
		`{"an\u017fwer":"yes"}`:            "",
		`{"answer ":"yes"}`:                "",
		`{"an\u0073wer":"no","evil":null}`: "no",
	} {
		v, err := Parse([]byte(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
		}
		m, ok := v.Get("answer")
		if m.Str() != want || ok != (want != "") {
			t.Errorf("%s: got %q %v, want %q", in, m.Str(), ok, want)
		}
	}
}

func TestParseAllocations(t *testing.T) {
	data := payloads[0].data
	if got := testing.AllocsPerRun(100, func() { _, _ = Parse(data) }); got > 4 {
		t.Errorf("%v allocations, want at most 4: input, document, nodes, stack", got)
	}
}
