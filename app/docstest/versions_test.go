package docstest

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/door/doortest"
)

var versionsMark = regexp.MustCompile(`^<!-- versions: ([a-z-]+) -->$`)

// agentVersion is a version of a program, such as 2.1.325, but no section (1.2) and
// no address (127.0.0.1).
var agentVersion = regexp.MustCompile(`(?:^|[^\d.])(\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?)(?:[^\d.]|\.?$|\. )`)

// TestVersions fills in what the pages of the integrations were tested with, and
// finds versions that nothing was tested with.
func TestVersions(t *testing.T) {
	tested, err := doortest.Versions()
	if err != nil {
		t.Fatal(err)
	}
	names, err := Pages(top)
	if err != nil {
		t.Fatal(err)
	}
	filled := 0
	for _, name := range names {
		p, _, err := load(top, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range p.Lines {
			m := versionsMark.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			filled++
			text, err := tested.Sentence(m[1])
			if err != nil {
				t.Error(err)
				continue
			}
			want, err := p.Replace("versions", text)
			if err != nil {
				t.Fatal(err)
			}
			rewrite(t, p, want)
		}
		if name != "README.md" && path.Dir(name) != "docs/integrations" {
			continue
		}
		for i, line := range p.Prose {
			for _, m := range agentVersion.FindAllStringSubmatch(line, -1) {
				if !tested.Known(m[1]) {
					t.Error(Problem{name, i + 1, m[1] + " is not in app/door/doortest/versions.json"})
				}
			}
		}
	}
	if filled != len(tested.Pages) {
		t.Errorf("%d pages say what they were tested with, versions.json has %d", filled, len(tested.Pages))
	}
}

func TestVersionsCanFail(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Claude Code 2.1.325, in CI": "2.1.325", "with 0.2.0-alpha.12.": "0.2.0-alpha.12", "127.0.0.1:80, section 1.2": "", "| 1.0.102 |": "1.0.102", "sayso 0.4.0.": "0.4.0",
	} {
		var got []string
		for _, m := range agentVersion.FindAllStringSubmatch(text, -1) {
			got = append(got, m[1])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	tested := &doortest.Tested{Pages: map[string]string{"a": "with {b}"}}
	if _, err := tested.Sentence("a"); err == nil {
		t.Error("a version that is missing was filled in")
	}
}
