package docstest

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestFigure_TEAMSETUP follows the guide of a team server to the letter, from an empty
// home to the first answer of a teammate, and counts the commands and the seconds.
func TestFigure_TEAMSETUP(t *testing.T) {
	if os.Getenv("SAYSO_FIGURES") == "" {
		t.Skip("measures: set SAYSO_FIGURES=1, or run make figures ONLY=TEAMSETUP")
	}
	p, problems, err := load(top, "docs/guides/team-server.md")
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	end := slices.IndexFunc(p.Lines, func(l string) bool { return strings.HasPrefix(l, "## 5. ") })
	if end < 0 {
		t.Fatal("the guide has no section 5: the first answer is given in section 4")
	}
	commands := 0
	p.Blocks = slices.DeleteFunc(p.Blocks, func(b *Block) bool { return b.Line > end })
	for _, b := range p.Blocks {
		if !b.runs() {
			continue
		}
		steps, err := b.steps()
		if err != nil {
			t.Fatal(err)
		}
		commands += len(steps)
	}
	begin := time.Now()
	if _, problems := p.Run(program(t)); len(problems) > 0 {
		t.Fatal(problems)
	}
	t.Logf("FIGURE TEAMSETUP %d commands", commands)
	t.Logf("FIGURE TEAMSETUP-time %.1f s", time.Since(begin).Seconds())
}
