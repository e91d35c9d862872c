package words

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// Every word is read by a surface: by its name behind a dot in Go and in the templates,
// or by its name in JSON in the scripts. Another thing of the same name hides one that
// nobody reads; most names are their own.
func TestEveryWordIsSaid(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	for _, pattern := range []string{
		"../tui/*.go", "../web/*.go", "../web/templates/*.html", "../web/assets/*.js", "../../internal/cli/*.go", "../../internal/cli/localhub/*.go",
		"asks.go", "catalogue.go", "keys.go", "later.go", "stats.go", "status.go", "times.go",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files, %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(file, "_test.go") {
				source.Write(text)
			}
		}
	}
	said := map[string]bool{}
	for _, m := range regexp.MustCompile(`\.(\w+)`).FindAllStringSubmatch(source.String(), -1) {
		said[m[1]] = true
	}
	scripts := map[string]string{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Script]()) {
		scripts["Script."+f.Name] = f.Tag.Get("json")
	}
	walk(reflect.ValueOf(English()).Elem(), "", func(name string, _ reflect.Value) {
		var field string
		if json, ok := scripts[name]; ok {
			field = json
		} else if parts := strings.Split(name, "."); len(parts) > 1 && len(parts[len(parts)-1]) == 1 {
			field = parts[len(parts)-2] // one of a list
		} else {
			field = parts[len(parts)-1]
		}
		if !said[field] {
			t.Errorf("no surface says %s", name)
		}
	})
}
