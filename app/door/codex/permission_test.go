package codex

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/saysohq/sayso"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestPermissionGolden: what people see of each request, which decisions they have, and
// what Codex is told then.
func TestPermissionGolden(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/requests.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name    string          `json:"name"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
		Items   []*item         `json:"items"`
		Nothing bool            `json:"nothing"` // nobody is asked
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, c := range cases {
		var p params
		if err := json.Unmarshal(c.Params, &p); err != nil {
			t.Fatal(c.Name, err)
		}
		what := permissionOf(c.Method, &p, "/home/u/.codex", func(fits func(*item) bool) *item {
			for _, i := range c.Items {
				if fits(i) {
					return i
				}
			}
			return nil
		})
		if (what == nil) != c.Nothing {
			t.Errorf("%s: %+v", c.Name, what)
		}
		if what == nil {
			continue
		}
		ask := &sayso.Ask{Approval: what.approval, Dialect: sayso.ApprovalDialect}
		ask.Normalize()
		if err := ask.Validate(sayso.Limits{}); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		show(&out, c.Name, what)
	}
	const file = "testdata/requests.txt"
	if *update {
		if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func show(out *bytes.Buffer, name string, what *permission) {
	a := what.approval
	fmt.Fprintf(out, "== %s\n%s %s", name, a.Kind, a.Tool)
	for _, s := range []string{a.Cwd, a.Reason, strings.Join(a.Missing, ", ")} {
		fmt.Fprintf(out, " | %s", s)
	}
	fmt.Fprintf(out, "\ninput %s\n", a.Input.Text)
	for _, p := range a.Shown {
		fmt.Fprintf(out, "shown %s (%s)\n  %s\n", p.Name, p.Format, strings.ReplaceAll(strings.TrimSuffix(p.Text, "\n"), "\n", "\n  "))
	}
	for _, f := range a.Files {
		fmt.Fprintf(out, "file %s %s +%d -%d\n", f.Op, f.Path, f.Added, f.Removed)
	}
	for _, o := range a.Offers {
		fmt.Fprintf(out, "%s: %s %s", o.ID, o.Act, o.Scope)
		if o.Rule != "" {
			fmt.Fprintf(out, " %s in %s", o.Rule, o.Where)
		}
		if o.Stops {
			fmt.Fprint(out, " stops")
		}
		fmt.Fprintf(out, " -> %s\n", spell(what.replies[o.ID]))
	}
	fmt.Fprintf(out, "refused -> %s\n\n", spell(what.refusal))
}

// FuzzPermission: whatever Codex sends, an approval can be shown, and nothing is
// allowed of which something is missing.
func FuzzPermission(f *testing.F) {
	f.Add(askCommand, `{"command":"x","availableDecisions":["accept"]}`, `{}`)
	f.Add(askFiles, `{"itemId":"a"}`, `{"type":"fileChange","id":"a","changes":[{"path":"p","kind":{"type":"update"},"diff":"+x\n\n"}]}`)
	f.Add(askForm, `{"serverName":"db","message":"run tool \"x\"?","_meta":{"codex_approval_kind":"mcp_tool_call","tool_params":{"a":1}}}`, `{}`)
	f.Fuzz(func(t *testing.T, method, request, step string) {
		var p params
		var i item
		if json.Unmarshal([]byte(request), &p) != nil || json.Unmarshal([]byte(step), &i) != nil {
			return
		}
		what := permissionOf(method, &p, "/h", func(fits func(*item) bool) *item {
			if fits(&i) {
				return &i
			}
			return nil
		})
		if what == nil {
			return
		}
		if a := what.approval; len(a.Missing) > 0 && len(a.Allows()) > 0 || len(a.Denies()) == 0 || len(a.Shown) == 0 {
			t.Errorf("%+v", a)
		}
	})
}
