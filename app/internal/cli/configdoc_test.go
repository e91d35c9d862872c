package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestConfigPage: the page has the tables that the program is made of.
func TestConfigPage(t *testing.T) {
	t.Parallel()
	const page = "../../../docs/reference/config.md"
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	got := string(b)
	want := got
	for _, part := range configTables() {
		at := regexp.MustCompile(`(?s)(<!-- ` + part.name + `: [^>]*-->\n).*?(<!-- end -->)`)
		if !at.MatchString(want) {
			t.Errorf("the page has no part %q", part.name)
		}
		want = at.ReplaceAllString(want, "${1}"+strings.ReplaceAll(part.markdown(), "$", "$$")+"${2}")
	}
	if got == want {
		return
	}
	if !*update {
		t.Fatal("docs/reference/config.md is not what the program says; run: go test ./internal/cli -run TestConfigPage -update")
	}
	if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestConfigHelp(t *testing.T) {
	t.Parallel()
	text := configHelp() + environmentHelp()
	for _, o := range options() {
		if !strings.Contains(text, "\n  "+o.name+" ") {
			t.Errorf("the help does not name %s", o.name)
		}
	}
	if strings.Contains(text, "`") {
		t.Error("the help has Markdown in it")
	}
}
