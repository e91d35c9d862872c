package docstest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/saysohq/sayso"
)

// unbuilt marks what a page promises and the program does not do.
var unbuilt = regexp.MustCompile(`\b(NOT|PARTLY) BUILT\b`)

// Check returns what can be found wrong with the blocks of a page without running
// them. top is the folder of the repository.
func (p *Page) Check(top string) (problems []Problem) {
	wrong := func(line int, format string, args ...any) {
		problems = append(problems, Problem{p.Name, line, fmt.Sprintf(format, args...)})
	}
	for i, line := range p.Lines {
		if found := unbuilt.FindString(line); found != "" {
			wrong(i+1, "%s: document what works, or make it work", found)
		}
	}
	for _, b := range p.Blocks {
		if b.From != "" && b.NoTest == "" {
			want, err := region(top, b.From)
			if err != nil {
				wrong(b.Line-1, "%v", err)
			} else if got := strings.Join(b.Text, "\n"); got != want {
				wrong(b.Line, "differs from %s; copy it in with: go test ./docstest -update\nthe page has\n%s\nthe source has\n%s", b.From, got, want)
			}
		}
		if len(b.Options) > 0 && !b.runs() {
			wrong(b.Line-1, "test options are for console and sh test blocks")
		}
		if b.Test && b.Lang != "sh" {
			wrong(b.Line-1, "only sh blocks take the word test")
		}
		switch b.Lang {
		case "console", "text":
		case "sh":
			if !b.Test && b.NoTest == "" {
				wrong(b.Line-1, "an sh block needs the word test, or a reason: <!-- no-test: reason --> directly before it")
			}
		case "go":
			if b.From == "" && b.NoTest == "" {
				wrong(b.Line-1, "a go block is a copy of compiled code: <!-- from FILE#Name --> directly before it")
			}
		case "python", "js":
			if b.From == "" {
				wrong(b.Line-1, "a %s block is a copy of a file that a test runs: <!-- from FILE#name --> directly before it", b.Lang)
			}
		case "json":
			if err := strictJSON(strings.Join(b.Text, "\n")); err != nil && b.NoTest == "" {
				wrong(b.Line, "%v", err)
			}
		case "toml":
			if err := strictTOML(strings.Join(b.Text, "\n")); err != nil && b.NoTest == "" {
				wrong(b.Line, "%v", err)
			}
		case "mermaid": // see mermaid_test.go
		case "":
			wrong(b.Line-1, "name the block's language; text is for anything that is not checked")
		default:
			wrong(b.Line-1, "blocks are console, sh, go, python, js, json, toml, mermaid or text, not %q", b.Lang)
		}
		if b.NoTest != "" && b.runs() {
			wrong(b.Line-1, "a block is either tested or has a no-test comment")
		}
	}
	return problems
}

// runs reports whether the block's commands are run.
func (b *Block) runs() bool { return b.Lang == "console" && b.NoTest == "" || b.Lang == "sh" && b.Test }

func strictJSON(text string) error {
	if err := sayso.CheckJSON([]byte(text)); err != nil {
		return fmt.Errorf("this is not JSON: %w", err)
	}
	var v any
	return json.Unmarshal([]byte(text), &v)
}

func strictTOML(text string) error {
	var v any
	if err := toml.Unmarshal([]byte(text), &v); err != nil {
		return fmt.Errorf("this is not TOML: %w", err)
	}
	return nil
}
