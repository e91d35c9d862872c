package doortest

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the texts that models received")

// cell shows one cell of a program, in a world of its own, beside the others.
func cell(t *testing.T, program, name string, show func(t *testing.T, w *World)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		show(t, New(t))
	})
}

// received compares the exact text that the model of a program received with the one
// that the page of the program shows.
func received(t *testing.T, program, name, text string) {
	t.Helper()
	file := filepath.Join("testdata/received", program, name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text+"\n" != string(want) {
		t.Errorf("the model received %q,\n want %q (%s)", text+"\n", want, file)
	}
}

// TestCells: versions.json says of exactly those cells that they are shown which a
// test shows, and why the others are not.
func TestCells(t *testing.T) {
	all, err := Versions()
	if err != nil {
		t.Fatal(err)
	}
	tested := cellsInSource(t)
	shown, cells := 0, 0
	for _, p := range all.Programs {
		if len(p.Cells) != len(CellNames) {
			t.Errorf("%s has %d cells, not %d", p.Name, len(p.Cells), len(CellNames))
		}
		for _, c := range CellNames {
			cells++
			says, has := p.Cells[c.Cell], tested[p.Name+" "+c.Cell]
			delete(tested, p.Name+" "+c.Cell)
			switch {
			case strings.HasPrefix(says, Shown) && has:
				shown++
			case strings.HasPrefix(says, Shown):
				t.Errorf("%s %s: versions.json says that it is shown, and no test shows it", p.Name, c.Cell)
			case has:
				t.Errorf("%s %s: a test shows it, and versions.json says %q", p.Name, c.Cell, says)
			case strings.TrimSpace(says) == "":
				t.Errorf("%s %s: versions.json says neither ✓ nor why not", p.Name, c.Cell)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tested)) {
		t.Errorf("a test shows %s, which versions.json does not have", name)
	}
	t.Logf("%d of %d cells are shown", shown, cells)
}

// cellsInSource returns the cells for which the tests of this package call [cell].
func cellsInSource(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) < 3 {
				return true
			}
			if f, ok := call.Fun.(*ast.Ident); !ok || f.Name != "cell" {
				return true
			}
			program, is1 := call.Args[1].(*ast.BasicLit)
			letter, is2 := call.Args[2].(*ast.BasicLit)
			if !is1 || !is2 {
				t.Errorf("%s: cell is called with something else than two texts", name)
				return true
			}
			p, _ := strconv.Unquote(program.Value)
			c, _ := strconv.Unquote(letter.Value)
			found[p+" "+c] = true
			return true
		})
	}
	return found
}
