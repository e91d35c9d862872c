package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// A test that does not run says what it lacks, so that whoever reads the log knows
// what to install or to set.
func TestSkipsSayWhy(t *testing.T) {
	bare := regexp.MustCompile(`\bt\.(Skip(Now)?\(\)|Skip\([a-z]\w*\))`)
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".work" || d.Name() == ".git" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if ok, _ := filepath.Match("*_test.go", d.Name()); !ok {
			return nil
		}
		text, err := os.ReadFile(name)
		if err == nil {
			for _, found := range bare.FindAll(text, -1) {
				t.Errorf("%s: %s says nothing", name, found)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !bare.MatchString("\tt."+"Skip(err)") || !bare.MatchString("t."+"Skip()") || bare.MatchString(`t.Skip("needs root")`) {
		t.Error("the pattern does not tell them apart")
	}
}
