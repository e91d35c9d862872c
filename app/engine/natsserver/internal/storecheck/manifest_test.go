package storecheck

import (
	"os"
	"path/filepath"
	"testing"
)

// TestManifestMoving: a server that has stopped may still write its Raft log. The manifest is of what is there in the end.
func TestManifestMoving(t *testing.T) {
	const dir = "SYS/_js_/_meta_/__msgs__/"
	for name, move := range map[string]func(t *testing.T, root string){
		"a file goes": func(t *testing.T, root string) { must(t, os.Remove(filepath.Join(root, dir, "index.db"))) },
		"a file comes": func(t *testing.T, root string) {
			must(t, os.WriteFile(filepath.Join(root, dir, "2.blk"), []byte("two"), 0o600))
		},
		"a block grows": func(t *testing.T, root string) {
			must(t, os.WriteFile(filepath.Join(root, dir, "1.blk"), []byte("one and more"), 0o600))
		},
		"a block goes": func(t *testing.T, root string) { must(t, os.Remove(filepath.Join(root, dir, "1.blk"))) },
	} {
		for _, when := range []string{"before", "after"} { // the file is synced
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				root, path := t.TempDir(), filepath.Join(t.TempDir(), "manifest")
				must(t, os.MkdirAll(filepath.Join(root, dir), 0o700))
				for _, file := range []string{"1.blk", "index.db", "meta.inf"} {
					must(t, os.WriteFile(filepath.Join(root, dir, file), []byte("one"), 0o600))
				}
				synced := 0
				must(t, writeManifest(path, root, func(file string) error {
					synced++
					if when == "before" && synced == 1 || when == "after" && synced == 3 {
						err := syncFile(file)
						move(t, root)
						return err
					}
					return syncFile(file)
				}))
				m, err := readManifest(path)
				must(t, err)
				if m == nil {
					t.Fatal("there is no manifest")
				}
				damage, stale, err := m.compare(root)
				if err != nil || len(damage)+len(stale) > 0 {
					t.Errorf("the next start finds %v and %v, %v", damage, stale, err)
				}
			})
		}
	}
}
