package archtest

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A finding is one broken rule at one line.
type finding struct {
	file string // relative to the top, with slashes
	line int
	rule string
	text string
}

func (f finding) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", f.file, f.line, f.rule, f.text)
}

// inspect reads every Go file below top and returns what breaks a rule. It
// parses the files itself: what `go list` says in a subprocess would not be
// seen by the test cache, which would then serve a stale pass.
func inspect(top string) ([]finding, error) {
	in := inspector{fset: token.NewFileSet()}
	packages := map[string][]*source{}
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() {
			if name != top && (base == "testdata" || base == "node_modules" || strings.ContainsAny(base[:1], "._")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") {
			return nil
		}
		rel, err := filepath.Rel(top, name)
		if err != nil {
			return err
		}
		src, err := in.read(name, filepath.ToSlash(rel))
		if err != nil {
			return err
		}
		packages[src.dir] = append(packages[src.dir], src)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the repository: %w", err)
	}
	for dir, sources := range packages {
		in.checkPackage(dir, sources)
	}
	slices.SortFunc(in.found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.file, b.file), a.line-b.line, cmp.Compare(a.rule, b.rule))
	})
	return in.found, nil
}

// A source is one parsed file and the folder it lies in.
type source struct {
	*ast.File
	name, dir string
	test      bool // a _test.go file
	external  bool // a test of package x_test
}

type inspector struct {
	fset  *token.FileSet
	found []finding
}

func (in *inspector) read(name, rel string) (*source, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(in.fset, rel, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	test := strings.HasSuffix(rel, "_test.go")
	external := test && strings.HasSuffix(file.Name.Name, "_test")
	return &source{file, rel, path.Dir(rel), test, external}, nil
}

func (in *inspector) report(at ast.Node, rule, format string, args ...any) {
	pos := in.fset.Position(at.Pos())
	in.found = append(in.found, finding{pos.Filename, pos.Line, rule, fmt.Sprintf(format, args...)})
}

func (in *inspector) checkPackage(dir string, sources []*source) {
	pkg := packageOf(dir)
	if pkg == "" {
		in.report(sources[0].Name, "package", "folder %s is in no package of the table: add it to internal/archtest/packages_test.go", dir)
	}
	in.checkDoc(sources)
	for _, src := range sources {
		for _, spec := range src.Imports {
			in.checkImport(src, pkg, spec)
		}
		if src.test {
			continue
		}
		in.checkInit(src)
		if pkg != "" && layers[pkg] <= 1 {
			in.checkPure(src)
		}
	}
}

// checkDoc wants a package comment: in a test file only if there is no other.
func (in *inspector) checkDoc(sources []*source) {
	onlyTests := !slices.ContainsFunc(sources, func(s *source) bool { return !s.test })
	for _, src := range sources {
		if (onlyTests || !src.test) && strings.TrimSpace(src.Doc.Text()) != "" {
			return
		}
	}
	in.report(sources[0].Name, "doc", "package %s has no package comment", sources[0].Name.Name)
}

func (in *inspector) checkImport(src *source, pkg string, spec *ast.ImportSpec) {
	importPath, _ := strconv.Unquote(spec.Path.Value)
	dir, ours := folder(importPath)
	first, _, _ := strings.Cut(importPath, "/")
	switch {
	case !ours && moduleOf(src.dir) == "root" && (strings.Contains(first, ".") || first == "C"):
		in.report(spec, "third-party", "the root module is standard library only, not %s", importPath)
		return
	case !ours:
		return
	case moduleOf(src.dir) != "root" && strings.HasPrefix(dir, "internal/"):
		in.report(spec, "internal", "%s is private to the root module", importPath)
		return
	}
	to := packageOf(dir)
	// An external test stands outside its pkg, so it may look up, but not
	// into a module that is built on its own.
	if src.external && (moduleOf(dir) == moduleOf(src.dir) || moduleOf(dir) == "root") {
		return
	}
	switch {
	case pkg == "" || to == pkg:
	case to == "":
		in.report(spec, "package", "%s is in no package of the table", importPath)
	case layers[to] > layers[pkg]:
		in.report(spec, "upward", "%s (layer %d) imports %s (layer %d)", pkg, layers[pkg], to, layers[to])
	case layers[to] == layers[pkg]:
		in.report(spec, "sideways", "%s imports %s, both on layer %d", pkg, to, layers[pkg])
	}
}

// checkInit refuses init functions: wiring is explicit in cli.
func (in *inspector) checkInit(src *source) {
	for _, decl := range src.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
			in.report(fn, "init", "no init functions: let the caller wire it")
		}
	}
}

// impure are the calls that layers 0 and 1 leave to whoever wires them; nil
// means every one. Naming a thing as the default of a field (Now: time.Now,
// Random: rand.Reader) is no call; to hand it to one is.
var impure = map[string][]string{
	"time":         {"Now", "Since", "Until"},
	"os":           {"Getenv", "LookupEnv", "Environ", "ExpandEnv"},
	"crypto/rand":  nil,
	"math/rand":    nil,
	"math/rand/v2": nil,
}

func (in *inspector) checkPure(src *source) {
	local := map[string]string{} // the name in this file → import path
	for _, spec := range src.Imports {
		importPath, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(importPath)
		if importPath == "math/rand/v2" {
			name = "rand"
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		local[name] = importPath
	}
	isImpure := func(e ast.Expr) bool {
		sel, ok := e.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		// The parser gives an identifier an Obj only if the file declares it:
		// a variable named time is not the package.
		pkg, ok := sel.X.(*ast.Ident)
		if !ok || pkg.Obj != nil {
			return false
		}
		names, ok := impure[local[pkg.Name]]
		return ok && (names == nil || slices.Contains(names, sel.Sel.Name))
	}
	ast.Inspect(src.File, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		method, _ := call.Fun.(*ast.SelectorExpr)
		if isImpure(call.Fun) || method != nil && isImpure(method.X) || slices.ContainsFunc(call.Args, isImpure) {
			in.report(call, "pure", "no clock, randomness or environment on layers 0 and 1: let the caller inject it")
		}
		return true
	})
}
