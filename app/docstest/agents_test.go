package docstest

import (
	"regexp"
	"testing"

	"github.com/saysohq/sayso/app/door/doortest"
)

var agentMark = regexp.MustCompile(`^<!-- (cells|received)(?:: ([a-z-]+))? -->$`)

// TestAgentPages fills in what is shown of each agent, and what its model receives: what
// the tests with the published programs compare. Every program has a page with both.
func TestAgentPages(t *testing.T) {
	tested, err := doortest.Versions()
	if err != nil {
		t.Fatal(err)
	}
	names, err := Pages(top)
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, name := range names {
		for _, part := range []string{"cells", "received"} {
			p, _, err := load(top, name)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range p.Lines {
				m := agentMark.FindStringSubmatch(line)
				if m == nil || m[1] != part {
					continue
				}
				has[name+" "+part+" "+m[2]] = true
				text, err := tested.CellTable(), error(nil)
				switch {
				case part == "received":
					text, err = doortest.ReceivedPart(m[2])
				case m[2] != "":
					text, err = tested.CellsPart(m[2])
				}
				if err != nil {
					t.Error(Problem{name, 0, err.Error()})
					continue
				}
				want, err := p.Replace(part, text)
				if err != nil {
					t.Fatal(err)
				}
				rewrite(t, p, want)
			}
		}
	}
	if !has["docs/integrations/README.md cells "] {
		t.Error("docs/integrations/README.md does not have the table of all programs")
	}
	for _, program := range tested.Programs {
		for _, part := range []string{"cells", "received"} {
			if page := "docs/integrations/" + program.Page + ".md"; !has[page+" "+part+" "+program.Name] {
				t.Errorf("%s does not have <!-- %s: %s -->", page, part, program.Name)
			}
		}
	}
}
