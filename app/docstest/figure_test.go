package docstest

import (
	"os"
	"testing"
)

// TestFigure_DOCS says how much of the documentation is run.
func TestFigure_DOCS(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("counts what other tests do: set SAYSO_FIGURES")
	}
	for name, test := range map[string]func(*testing.T){
		"pages": TestPages, "person": TestPerson, "excused": TestExcused, "troubleshooting": TestTroubleshooting,
	} {
		t.Run(name, test)
	}
	names, err := Pages(top)
	if err != nil {
		t.Fatal(err)
	}
	var run, byHand, copied, parsed, excused, trouble int
	for _, name := range names {
		p, _, err := load(top, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range p.Blocks {
			switch {
			case b.NoTest == typed:
				byHand++
			case b.NoTest != "":
				excused++
			case b.runs():
				run++
			case b.From != "":
				copied++
			case b.Lang != "text":
				parsed++
			}
		}
		if name == troubleshooting {
			trouble = len(rows(p))
		}
	}
	broken, links := CheckLinks(top, everyPage(t))
	t.Logf("FIGURE DOCS-pages %d pages", len(names))
	t.Logf("FIGURE DOCS-run %d blocks", run)
	t.Logf("FIGURE DOCS-typed %d blocks", byHand)
	t.Logf("FIGURE DOCS-copied %d blocks", copied)
	t.Logf("FIGURE DOCS-parsed %d blocks", parsed)
	t.Logf("FIGURE DOCS-excused %d blocks", excused)
	t.Logf("FIGURE DOCS-links %d links", links)
	t.Logf("FIGURE DOCS-links-broken %d links", len(broken))
	t.Logf("FIGURE DOCS-troubleshooting %d rows", trouble)
}
