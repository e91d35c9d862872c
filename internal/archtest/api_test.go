package archtest

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "add what is new to golden files")

const apiFile = "testdata/api/v0.1.txt"

// TestAPI holds the exported API of the library: no line of the file may go or change. What
// is new is not promised before a release adds it, with -update, which removes nothing.
//
// The lines are read from the syntax, as Go's own api/go1.txt looks. golang.org/x/exp/apidiff
// knows types better, but its record of an API is binary, so that a reviewer would not see what
// a change adds. What the syntax does not show: a change of the meaning of a name that a
// line mentions and that is not exported.
func TestAPI(t *testing.T) {
	t.Parallel()
	have := exported(t, top)
	promised := strings.Split(strings.TrimSpace(read(t, top, apiFile)), "\n")
	for _, line := range promised {
		if !slices.Contains(have, line) {
			t.Errorf("gone from the API, or changed: %s", line)
		}
	}
	added := slices.DeleteFunc(slices.Clone(have), func(line string) bool { return slices.Contains(promised, line) })
	switch {
	case len(added) == 0:
	case *update:
		all := append(promised, added...)
		slices.Sort(all)
		write(t, top, apiFile, strings.TrimSpace(strings.Join(slices.Compact(all), "\n"))+"\n")
	default:
		t.Logf("new, and not promised yet; a release adds it with -update:\n%s", strings.Join(added, "\n"))
	}
}

// TestAPICanFail changes a copy of a small library, one thing at a time.
func TestAPICanFail(t *testing.T) {
	t.Parallel()
	const source = `package x
const Max = 3
type T struct{ Name string; secret int }
type Asker interface{ Ask(s string) error }
func (t *T) Do(n, m int) (string, error)
func Of(name string) *T
`
	lines := func(source string) []string {
		dir := t.TempDir()
		write(t, dir, "x.go", source)
		return exported(t, dir)
	}
	before := lines(source)
	for _, tt := range []struct{ old, new, gone string }{
		{"secret int", "secret int; More int", ""},
		{"secret int", "other bool", ""},
		{"name string", "n string", ""},
		{"Max = 3", "Max = 4", "pkg sayso, const Max = 3"},
		{"Name string", "Name []byte", "pkg sayso, type T struct, Name string"},
		{"Name string; ", "", "pkg sayso, type T struct, Name string"},
		{"Ask(s string) error", "Ask(s string) error; Close() error", "pkg sayso, type Asker interface { Ask(string) error }"},
		{"(n, m int)", "(n int)", "pkg sayso, method (*T) Do(int, int) (string, error)"},
		{"func Of(name string) *T", "", "pkg sayso, func Of(string) *T"},
	} {
		after := lines(strings.Replace(source, tt.old, tt.new, 1))
		gone := slices.DeleteFunc(slices.Clone(before), func(line string) bool { return slices.Contains(after, line) })
		if got := strings.Join(gone, "; "); got != tt.gone {
			t.Errorf("%q becomes %q: gone is %q, want %q", tt.old, tt.new, got, tt.gone)
		}
	}
}

// exported lists the API of the library below top: a line for every exported constant,
// variable, function, method, type and field.
func exported(t *testing.T, top string) []string {
	t.Helper()
	a := api{fset: token.NewFileSet()}
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			private := strings.ContainsAny(d.Name()[:1], "._") && rel != "." || slices.Contains([]string{"internal", "testdata", "examples", "docs"}, d.Name())
			if private || moduleOf(rel) != "root" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(a.fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		a.pkg = "pkg " + strings.TrimPrefix(filepath.ToSlash(filepath.Join(filepath.Base(module), filepath.Dir(rel))), "./")
		for _, decl := range file.Decls {
			a.decl(decl)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(a.lines)
	return slices.Compact(a.lines)
}

type api struct {
	fset  *token.FileSet
	pkg   string
	lines []string
}

func (a *api) line(format string, args ...any) {
	a.lines = append(a.lines, a.pkg+", "+fmt.Sprintf(format, args...))
}

func (a *api) decl(decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if !d.Name.IsExported() {
			return
		}
		if d.Recv == nil {
			a.line("func %s%s", d.Name, a.signature(d.Type))
		} else if recv := a.text(d.Recv.List[0].Type); ast.IsExported(strings.TrimPrefix(recv, "*")) {
			a.line("method (%s) %s%s", recv, d.Name, a.signature(d.Type))
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					a.typ(s)
				}
			case *ast.ValueSpec:
				a.values(d.Tok, s)
			}
		}
	}
}

// values has the value of a constant that is written there, except of a sentence.
func (a *api) values(tok token.Token, s *ast.ValueSpec) {
	for i, name := range s.Names {
		if !name.IsExported() {
			continue
		}
		kind, value := "", ""
		if s.Type != nil {
			kind = " " + a.text(s.Type)
		}
		if tok == token.CONST && i < len(s.Values) {
			value = " = " + a.text(s.Values[i])
			if strings.Contains(value, `"`) && strings.Count(value, " ") > 2 {
				value = ""
			}
		}
		a.line("%s %s%s%s", tok, name, kind, value)
	}
}

func (a *api) typ(s *ast.TypeSpec) {
	name := s.Name.Name
	if s.TypeParams != nil {
		name += "[" + strings.Join(a.fields(s.TypeParams), ", ") + "]"
	}
	if s.Assign.IsValid() {
		a.line("type %s = %s", name, a.text(s.Type))
		return
	}
	switch u := s.Type.(type) {
	case *ast.StructType:
		a.line("type %s struct", name)
		for _, f := range u.Fields.List {
			if len(f.Names) == 0 && ast.IsExported(a.text(f.Type)[strings.LastIndexAny(a.text(f.Type), "*.")+1:]) {
				a.line("type %s struct, embedded %s", name, a.text(f.Type))
			}
			for _, n := range f.Names {
				if n.IsExported() {
					a.line("type %s struct, %s %s", name, n, a.text(f.Type))
				}
			}
		}
	case *ast.InterfaceType: // in one line: a method more breaks whoever implements it
		var methods []string
		for _, f := range u.Methods.List {
			fn, ok := f.Type.(*ast.FuncType)
			switch {
			case !ok:
				methods = append(methods, a.text(f.Type))
			case f.Names[0].IsExported():
				methods = append(methods, f.Names[0].Name+a.signature(fn))
			default:
				methods = append(methods, "unexported methods")
			}
		}
		slices.Sort(methods)
		a.line("type %s interface { %s }", name, strings.Join(slices.Compact(methods), "; "))
	default:
		a.line("type %s %s", name, a.text(s.Type))
	}
}

// signature is written without the names of parameters, which nobody depends on.
func (a *api) signature(f *ast.FuncType) string {
	s := ""
	if f.TypeParams != nil {
		s = "[" + strings.Join(a.fields(f.TypeParams), ", ") + "]"
	}
	s += "(" + strings.Join(a.types(f.Params), ", ") + ")"
	switch results := a.types(f.Results); len(results) {
	case 0:
	case 1:
		s += " " + results[0]
	default:
		s += " (" + strings.Join(results, ", ") + ")"
	}
	return s
}

func (a *api) types(list *ast.FieldList) (all []string) {
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		for range max(1, len(f.Names)) {
			all = append(all, a.text(f.Type))
		}
	}
	return all
}

func (a *api) fields(list *ast.FieldList) (all []string) {
	for _, f := range list.List {
		for _, n := range f.Names {
			all = append(all, n.Name+" "+a.text(f.Type))
		}
	}
	return all
}

func (a *api) text(n ast.Node) string {
	if f, ok := n.(*ast.FuncType); ok {
		return "func" + a.signature(f)
	}
	var buf bytes.Buffer
	printer.Fprint(&buf, a.fset, n)
	return strings.Join(strings.Fields(buf.String()), " ")
}
