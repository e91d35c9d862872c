package hubfake

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rogpeppe/go-internal/txtar"
)

// Transcripts plays every script of testdata/transcript in a bubble of its own, and
// compares what play returns with the wire that is kept beside the script; update
// keeps it instead.
func Transcripts(t *testing.T, update bool, play func(t *testing.T, script string) (wire string)) {
	files, err := filepath.Glob("testdata/transcript/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil || len(archive.Files) == 0 || archive.Files[0].Name != "script" {
				t.Fatal("a transcript has a script and the wire", err)
			}
			var got string
			synctest.Test(t, func(t *testing.T) { got = play(t, string(archive.Files[0].Data)) })
			if update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "wire", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(archive.Files) != 2 || string(archive.Files[1].Data) != got {
				t.Errorf("the wire is not that of %s (run with -update and read the difference):\n%s", file, got)
			}
		})
	}
}
