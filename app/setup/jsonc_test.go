package setup

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

func TestEditJSON(t *testing.T) {
	t.Parallel()
	set := func(path ...string) JSONEdit { return SetJSON(Ordered{{"b", 1}, {"a", []string{"<x>"}}}, path...) }
	add := AppendJSON([]string{"p", "list"}, "one", "two")
	for name, tc := range map[string]struct {
		before string
		edit   JSONEdit
		after  string
	}{
		"nothing":          {"", set("n"), "{\n  \"n\": {\n    \"b\": 1,\n    \"a\": [\n      \"<x>\"\n    ]\n  }\n}\n"},
		"blank":            {" \n", SetJSON(1, "n"), "{\n  \"n\": 1\n} \n"},
		"bom":              {"\uFEFF{\"a\":1}", SetJSON(2, "n"), "\uFEFF{\"a\":1,\"n\":2}"},
		"minified":         {`{"a":{"s":"x"},"b":[1,2]}`, set("a", "n"), `{"a":{"s":"x","n":{"b":1,"a":["<x>"]}},"b":[1,2]}`},
		"one line":         {`{ "a": 1, "b": 2 }`, set("n"), `{ "a": 1, "b": 2, "n": {"b": 1, "a": ["<x>"]} }`},
		"tabs":             {"{\n\t\"a\": {\n\t\t\"x\": 1\n\t}\n}\n", SetJSON([]int{1}, "a", "n"), "{\n\t\"a\": {\n\t\t\"x\": 1,\n\t\t\"n\": [\n\t\t\t1\n\t\t]\n\t}\n}\n"},
		"crlf":             {"{\r\n  \"a\": 1\r\n}\r\n", set("n"), "{\r\n  \"a\": 1,\r\n  \"n\": {\r\n    \"b\": 1,\r\n    \"a\": [\r\n      \"<x>\"\r\n    ]\r\n  }\r\n}\r\n"},
		"comments":         {"// top\n{\n  \"a\": 1 // about a\n  // last\n}\n// end\n", SetJSON(2, "n"), "// top\n{\n  \"a\": 1, // about a\n  // last\n  \"n\": 2\n}\n// end\n"},
		"trailing comma":   {"{\n  \"a\": 1, // a\n}", SetJSON(2, "n"), "{\n  \"a\": 1, // a\n  \"n\": 2,\n}"},
		"in an empty one":  {"{\n  \"m\": {}\n}", SetJSON(2, "m", "n"), "{\n  \"m\": {\n    \"n\": 2\n  }\n}"},
		"only a comment":   {"{\n  \"m\": { /* c */ }\n}", SetJSON(2, "m", "n"), "{\n  \"m\": { /* c */\n    \"n\": 2\n  }\n}"},
		"replaced":         {"{\n  \"n\": /* c */ 7, // d\n  \"z\": 1\n}", SetJSON(2, "n"), "{\n  \"n\": /* c */ 2, // d\n  \"z\": 1\n}"},
		"as it is":         {`{"n": {"a":["<x>"],/* c */"b":1.0}}`, set("n"), `{"n": {"a":["<x>"],/* c */"b":1.0}}`},
		"list made":        {"{\n  \"a\": 1\n}\n", add, "{\n  \"a\": 1,\n  \"p\": {\n    \"list\": [\n      \"one\",\n      \"two\"\n    ]\n  }\n}\n"},
		"list has one":     {`{"p": {"list": ["two", "zero"]}}`, add, `{"p": {"list": ["two", "zero", "one"]}}`},
		"list over rows":   {"{\n  \"p\": {\n    \"list\": [\n      \"zero\", // z\n    ]\n  }\n}", add, "{\n  \"p\": {\n    \"list\": [\n      \"zero\", // z\n      \"one\",\n      \"two\",\n    ]\n  }\n}"},
		"removed":          {"{\n  \"a\": 1, // a\n  \"n\": 2 // n\n}", RemoveJSON(0, "n"), "{\n  \"a\": 1 // a\n // n\n}"},
		"removed in front": {`{"n":1,"a":2}`, RemoveJSON(0, "n"), `{"a":2}`},
		"removed, comma":   {"{\n  \"a\": 1,\n  \"n\": 2,\n}", RemoveJSON(0, "n"), "{\n  \"a\": 1,\n}"},
		"pruned":           {`{"a":1,"x":{"y":{"n":1}}}`, RemoveJSON(0, "x", "y", "n"), `{"a":1}`},
		"pruned, kept":     {`{"a":1,"x":{"y":{"n":1}}}`, RemoveJSON(1, "x", "y", "n"), `{"a":1,"x":{}}`},
		"not pruned":       {`{"a":1,"x":{"y":{"n":1,"m":2}}}`, RemoveJSON(0, "x", "y", "n"), `{"a":1,"x":{"y":{"m":2}}}`},
		"not there":        {`{"a":1 }`, RemoveJSON(0, "x", "y"), `{"a":1 }`},
		"twice elsewhere":  {`{"a":1,"a":2}`, SetJSON(1, "n"), `{"a":1,"a":2,"n":1}`},
		"escaped name":     {`{"\u006e":1}`, SetJSON(2, "n"), `{"\u006e":2}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := EditJSON([]byte(tc.before), tc.edit)
			if err != nil || string(got) != tc.after {
				t.Errorf("got\n%s\nwant\n%s (%v)", got, tc.after, err)
			}
		})
	}
}

func TestEditJSONRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`[]`, `1`, `{"n":"sekrit"`, `{"n":sekrit}`, `// sekrit`, `{"n":{"m":1},"n":{"sekrit":1}}`, `{"n":"sekrit"} x`, "{\"n\":\"sekrit\x01\"}", `{"n":["sekrit"]}`, `{"n":"sekrit"}`, `{'n':'sekrit'}`,
	} {
		got, err := EditJSON([]byte(text), SetJSON(1, "n", "m"))
		if err == nil {
			t.Errorf("%s: got %s", text, got)
		} else if strings.Contains(err.Error(), "sekrit") {
			t.Errorf("%s: the error repeats it: %v", text, err)
		}
	}
}

// value decodes JSON with comments.
func value(t *testing.T, text []byte) map[string]any {
	t.Helper()
	plain, err := hujson.Standardize(bytes.TrimPrefix(bytes.Clone(text), bom))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	v := map[string]any{}
	if err := json.Unmarshal(plain, &v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}

// comments returns all that is neither value nor blank, in its order.
func comments(t *testing.T, text []byte) string {
	t.Helper()
	root, err := hujson.Parse(bytes.TrimPrefix(bytes.Clone(text), bom))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var walk func(v *hujson.Value)
	walk = func(v *hujson.Value) {
		b.Write(v.BeforeExtra)
		switch v := v.Value.(type) {
		case *hujson.Object:
			for i := range v.Members {
				walk(&v.Members[i].Name)
				walk(&v.Members[i].Value)
			}
			b.Write(v.AfterExtra)
		case *hujson.Array:
			for i := range v.Elements {
				walk(&v.Elements[i])
			}
			b.Write(v.AfterExtra)
		}
		b.Write(v.AfterExtra)
	}
	walk(&root)
	return strings.Join(strings.Fields(b.String()), "")
}

// FuzzEditJSON: whatever the text is, afterwards it means what it did and ours, and
// without ours again what it did; nothing that was not ours is gone.
func FuzzEditJSON(f *testing.F) {
	for _, text := range []string{
		"", " ", "{}", `{"a":1}`, "{\n  // c\n  \"a\": [1, /* d */ 2,],\n}", "{\r\n\t\"mcpServers\": {\"x\": {}}, // e\r\n}\r\n", "\uFEFF{\"l\": [ ]}",
		`{"mcpServers":{"sayso":{"url":"x"}},"l":["one"]}`, `{"mcpServers":{/* c */},"l":[/* c */]}`, "{\"a\":1//\n}", `{"a":1,"a":2}`, `{"a":{"b":{}}/**/,}`,
	} {
		f.Add([]byte(text))
	}
	add := []JSONEdit{SetJSON(Ordered{{"command", "sayso"}, {"args", []string{"mcp"}}}, "mcpServers", "ours"), AppendJSON([]string{"l"}, "one", "ours")}
	remove := []JSONEdit{RemoveJSON(1, "mcpServers", "ours"), RemoveJSONItems(1, []string{"l"}, func(raw json.RawMessage) bool { return string(raw) == `"ours"` || string(raw) == `"one"` })}
	f.Fuzz(func(t *testing.T, text []byte) {
		after, err := EditJSON(text, add...)
		if err != nil {
			return
		}
		again, err := EditJSON(after, add...)
		if err != nil || !bytes.Equal(again, after) {
			t.Fatalf("once more: %q, %v", again, err)
		}
		gone, err := EditJSON(after, remove...)
		if err != nil {
			t.Fatal(err)
		}
		if len(bytes.TrimSpace(bytes.TrimPrefix(text, bom))) == 0 {
			return
		}
		var keys map[string]any
		plain, err := hujson.Standardize(bytes.TrimPrefix(bytes.Clone(text), bom))
		if err != nil || json.Unmarshal(plain, &keys) != nil {
			return // a number that is too large, for example
		}
		want := value(t, text)
		servers, _ := want["mcpServers"].(map[string]any)
		if servers == nil {
			servers = map[string]any{}
		}
		list, _ := want["l"].([]any)
		for _, w := range []any{"one", "ours"} {
			if !contains(list, w) {
				list = append(list, w)
			}
		}
		servers["ours"] = map[string]any{"command": "sayso", "args": []any{"mcp"}}
		want["mcpServers"], want["l"] = servers, list
		if got := value(t, after); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q became %q: %v, not %v", text, after, got, want)
		}
		delete(servers, "ours")
		rest := []any{}
		for _, x := range list {
			if x != "one" && x != "ours" {
				rest = append(rest, x)
			}
		}
		want["l"] = rest
		if got := value(t, gone); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q became %q: %v, not %v", after, gone, got, want)
		}
		was := comments(t, text)
		for _, text := range [][]byte{after, gone} {
			if is := comments(t, text); is != was {
				t.Fatalf("%q: the comments are %q, not %q", text, is, was)
			}
		}
	})
}

func contains(list []any, x any) bool {
	for _, y := range list {
		if reflect.DeepEqual(x, y) {
			return true
		}
	}
	return false
}
