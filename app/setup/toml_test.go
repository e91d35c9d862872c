package setup

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

func TestEditTOML(t *testing.T) {
	t.Parallel()
	table := []string{"mcp_servers", "sayso"}
	command := SetTOML("sayso", table, "command")
	args := SetTOML([]string{"mcp"}, table, "args")
	for name, tc := range map[string]struct {
		before string
		edits  []TOMLEdit
		after  string
	}{
		"nothing":          {"", []TOMLEdit{command, args}, "[mcp_servers.sayso]\ncommand = \"sayso\"\nargs = [\"mcp\"]\n"},
		"no last row":      {"a = 1", []TOMLEdit{command}, "a = 1\n\n[mcp_servers.sayso]\ncommand = \"sayso\"\n"},
		"crlf":             {"a = 1\r\n", []TOMLEdit{command}, "a = 1\r\n\r\n[mcp_servers.sayso]\r\ncommand = \"sayso\"\r\n"},
		"bom":              {"\uFEFFa = 1\n", []TOMLEdit{SetTOML(true, nil, "b")}, "\uFEFFa = 1\nb = true\n"},
		"bom, a table":     {"\uFEFF[t]\n", []TOMLEdit{SetTOML(true, nil, "b")}, "\uFEFFb = true\n[t]\n"},
		"table in between": {"[mcp_servers.sayso] # ours\ncommand = \"old\" # c\n\n# about z\n[z]\nk = 1\n", []TOMLEdit{command, args}, "[mcp_servers.sayso] # ours\ncommand = \"sayso\" # c\nargs = [\"mcp\"]\n\n# about z\n[z]\nk = 1\n"},
		"root":             {"# top\n\n[z]\nk = 1\n", []TOMLEdit{SetTOML("x", nil, "r")}, "r = \"x\"\n# top\n\n[z]\nk = 1\n"},
		"root, has keys":   {"a = \"\"\"\nx\n\"\"\" # c\n\n[z]\nk = 1\n", []TOMLEdit{SetTOML(1, nil, "r")}, "a = \"\"\"\nx\n\"\"\" # c\nr = 1\n\n[z]\nk = 1\n"},
		"as it is":         {"[mcp_servers]\nsayso = { command = 'sayso' }\n", []TOMLEdit{command}, "[mcp_servers]\nsayso = { command = 'sayso' }\n"},
		"dotted":           {"mcp_servers.sayso.command = 'old'\n", []TOMLEdit{command}, "mcp_servers.sayso.command = \"sayso\"\n"},
		"strange names":    {"", []TOMLEdit{SetTOML("t", []string{"projects", "/a b\"c"}, "x.y")}, "[projects.\"/a b\\\"c\"]\n\"x.y\" = \"t\"\n"},
		"removed":          {"a = 1\n\n[mcp_servers.sayso]\ncommand = \"sayso\"\n\n[mcp_servers.sayso.env]\nX = \"1\"\n\n# about z\n[z]\nk = 1\n", []TOMLEdit{RemoveTOML(table...)}, "a = 1\n\n# about z\n[z]\nk = 1\n"},
		"removed at end":   {"a = 1\n\n[mcp_servers.sayso]\ncommand = \"sayso\"\n", []TOMLEdit{RemoveTOML(table...)}, "a = 1\n"},
		"key removed":      {"[features]\na = true\nb = true\n", []TOMLEdit{RemoveTOMLKey([]string{"features"}, "a")}, "[features]\nb = true\n"},
		"last key removed": {"[z]\n\n[features]\na = true\n", []TOMLEdit{RemoveTOMLKey([]string{"features"}, "a")}, "[z]\n"},
		"not there":        {"[features]\n", []TOMLEdit{RemoveTOMLKey([]string{"features"}, "a"), RemoveTOML("x")}, "[features]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := EditTOML([]byte(tc.before), tc.edits...)
			if err != nil || string(got) != tc.after {
				t.Errorf("got\n%s\nwant\n%s (%v)", got, tc.after, err)
			}
		})
	}
}

func TestEditTOMLRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"key = sekrit", "key = \"sekrit", "[t]\na = 'sekrit'\n[t]\n", "mcp_servers = { x = { key = \"sekrit\" } }", "mcp_servers = 'sekrit'", "[[mcp_servers]]\nkey = 'sekrit'",
	} {
		got, err := EditTOML([]byte(text), SetTOML("sayso", []string{"mcp_servers", "sayso"}, "command"))
		if err == nil {
			t.Errorf("%s: got %s", text, got)
		} else if strings.Contains(err.Error(), "sekrit") {
			t.Errorf("%s: the error repeats it: %v", text, err)
		}
	}
}

// FuzzEditTOML: whatever the text is, afterwards it means what it did and ours, and
// without ours again what it did. No comment is gone.
func FuzzEditTOML(f *testing.F) {
	for _, text := range []string{
		"", "a = 1", "[mcp_servers.x]\ncommand = 'y' # c\n", "# c\n\n[[h]]\na = 1\n[[h.i]]\n", "[mcp_servers.ours]\ncommand='old'\n[z]\n", "ours = [\n 1, # one\n]\n[features]\nours = false",
		"[mcp_servers]\nours.command = 'x'\n", "\uFEFFa=1\r\n[b]\r\n", "'a.b' = { c = 1 }\n", "a = \"\"\"\n[x]\n\"\"\"\n",
	} {
		f.Add([]byte(text))
	}
	table := []string{"mcp_servers", "ours"}
	add := []TOMLEdit{SetTOML("sayso", table, "command"), SetTOML([]string{"mcp"}, table, "args"), SetTOML(true, []string{"features"}, "ours"), SetTOML("x", nil, "ours")}
	remove := []TOMLEdit{RemoveTOML(table...), RemoveTOMLKey([]string{"features"}, "ours"), RemoveTOMLKey(nil, "ours")}
	f.Fuzz(func(t *testing.T, text []byte) {
		after, err := EditTOML(text, add...)
		if err != nil {
			return
		}
		want, err := decodeTOML(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []struct {
			path []string
			raw  string
		}{{append(table, "command"), `"sayso"`}, {append(table, "args"), `["mcp"]`}, {[]string{"features", "ours"}, "true"}, {[]string{"ours"}, `"x"`}} {
			if !put(want, p.path, p.raw) {
				t.Fatalf("%q became %q", text, after)
			}
		}
		if got, err := decodeTOML(after); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q became %q: %v, not %v (%v)", text, after, got, want, err)
		}
		if again, err := EditTOML(after, add...); err != nil || !bytes.Equal(again, after) {
			t.Fatalf("once more: %q, %v", again, err)
		}
		gone, err := EditTOML(after, remove...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeTOML(gone)
		if err != nil {
			t.Fatalf("%q became %q: %v", after, gone, err)
		}
		delete(want, "ours")
		servers := want["mcp_servers"].(map[string]any)
		delete(servers, "ours")
		features := want["features"].(map[string]any)
		delete(features, "ours")
		for _, m := range []map[string]any{got, want} {
			for _, key := range []string{"mcp_servers", "features"} {
				if x, ok := m[key].(map[string]any); ok && len(x) == 0 {
					delete(m, key)
				}
			}
		}
		if !reflect.DeepEqual(got, want) && lookup(got, table) == nil { // inline tables stay
			t.Fatalf("%q became %q: %v, not %v", after, gone, got, want)
		}
	})
}
