package surfacetest_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/surface/surfacetest"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/contributing/surfaces.md, and testdata")

const top = "../../.."

// TestPage: docs/contributing/surfaces.md has the tables of this package.
func TestPage(t *testing.T) {
	file := filepath.Join(top, "docs", "contributing", "surfaces.md")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	for name, table := range map[string]string{"rules": rulesTable(), "surfaces": surfacesTable()} {
		place := regexp.MustCompile(`(?s)(<!-- ` + name + ` -->\n).*?(<!-- end -->)`)
		if !place.MatchString(page) {
			t.Fatalf("%s has no place for the table of %s", file, name)
		}
		page = place.ReplaceAllStringFunc(page, func(string) string { return "<!-- " + name + " -->\n" + table + "<!-- end -->" })
	}
	if page == string(data) {
		return
	}
	if !*update {
		t.Fatalf("%s has other tables than this package; -update rewrites them", file)
	}
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestNamed: the tests that the table names exist and run the suite for that surface.
func TestNamed(t *testing.T) {
	for _, s := range surfacetest.Surfaces {
		folder, name, _ := strings.Cut(s.Test, ".")
		files, err := filepath.Glob(filepath.Join(top, folder, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		if s.Approvals == "" {
			t.Errorf("%s: say in Approvals what it does with them", s.Name)
		}
		if !slices.ContainsFunc(files, func(file string) bool {
			data, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(data), "func "+name+"(t *testing.T)") &&
				strings.Contains(string(data), fmt.Sprintf("%q", s.Name)) && strings.Contains(string(data), "surfacetest.Run(")
		}) {
			t.Errorf("%s: there is no %s that runs the suite", s.Name, s.Test)
		}
	}
}

func rulesTable() string {
	var b strings.Builder
	b.WriteString("| rule | name | what it demands |\n|---|---|---|\n")
	for _, r := range surfacetest.Rules {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.ID, r.Name, r.Text)
	}
	return b.String()
}

func surfacesTable() string {
	var b, notes strings.Builder
	b.WriteString("| surface | kind | test |")
	for _, r := range surfacetest.Rules {
		b.WriteString(" " + r.ID + " |")
	}
	b.WriteString(" approvals |\n|---|---|---|" + strings.Repeat("---|", len(surfacetest.Rules)) + "---|\n")
	var reasons []string
	for _, s := range surfacetest.Surfaces {
		fmt.Fprintf(&b, "| %s | %s | `%s` |", s.Name, s.Kind, s.Test)
		for _, r := range surfacetest.Rules {
			why := s.Exempt[r.ID]
			if why == "" {
				b.WriteString(" yes |")
				continue
			}
			if !slices.Contains(reasons, why) {
				reasons = append(reasons, why)
				fmt.Fprintf(&notes, "%d. %s.\n", len(reasons), strings.ToUpper(why[:1])+why[1:])
			}
			fmt.Fprintf(&b, " %d |", slices.Index(reasons, why)+1)
		}
		fmt.Fprintf(&b, " %s |\n", s.Approvals)
	}
	return b.String() + "\n" + notes.String()
}
